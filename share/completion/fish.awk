# fish.awk - completion for fish of one command (-v command=NAME), from the rows of rows.awk
# SPDX-License-Identifier: BSD-3-Clause
#
# What is only known after all rows is inserted into the lines at the end: @words, and @general, which prevents options
# without a subcommand from being offered after one that has its own.
BEGIN {
    FS = "\t"
    takes["files"] = " -r -F"
    takes["directories"] = " -x -a '(__fish_complete_directories)'"
    takes["formats"] = " -x -a '(darshan-trace --formats 2>/dev/null | string match -r \"^[a-z][^ ]*\")'"
    takes[""] = " -x"
}

function quoted(text)
{
    gsub(/\\/, "\\\\&", text)
    gsub(/'/, "\\\\&", text)
    return "'" text "'"
}

$2 != command { next }
$1 == "command" {
    print "# " command " - completion for fish; made from what " command " --help prints"
    operands = $3
}
$1 == "word" {
    words = words " " $3
    lines = lines "complete -c " command " -n 'not __fish_seen_subcommand_from @words' -f -a " $3 ($4 == "" ? "" : " -d " quoted($4)) "\n"
}
$1 == "option" {
    kind = $7
    if (gsub(/\|/, " ", kind))
        what = " -x -a '" kind "'"
    else
        what = takes[kind]
    if ($3 != "" && !($3 in own)) {
        own[$3] = 1
        owners = owners " " $3
    }
    lines = lines "complete -c " command ($3 == "" ? "@general" : " -n '__fish_seen_subcommand_from " $3 "'") " -l " $4 \
        ($5 == "" ? "" : " -s " $5) ($6 == "" ? "" : what) ($8 == "" ? "" : " -d " quoted($8)) "\n"
}
END {
    if (operands == "directories")
        print "complete -c " command " -f -a '(__fish_complete_directories)'"
    gsub(/ @words/, words, lines)
    gsub(/@general/, owners == "" ? "" : " -n 'not __fish_seen_subcommand_from" owners "'", lines)
    printf "%s", lines
}
