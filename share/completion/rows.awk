# rows.awk - the usages that helps.sh prints, as rows of a table, from which the shells' completions are generated
# SPDX-License-Identifier: BSD-3-Clause
#
# Fields are separated by tabs:
#     command NAME OPERANDS              OPERANDS: files or directories
#     word    NAME WORD HELP             a subcommand
#     option  NAME WORD LONG LETTER ARGUMENT KIND HELP
# Of regular expressions only what every awk has: no empty alternative, no .* before what has to be found last.
# WORD is empty for options of any subcommand. KIND of an argument: files, directories, formats, or words between |.

# Kind of an argument, by its name in the usage.
function kind(argument)
{
    if (argument ~ /^[a-z]+(\|[a-z]+)+$/)
        return argument
    if (argument ~ /^DIR/ || argument ~ /FOLDER$/)
        return "directories"
    if (argument ~ /FILE|LOG|PATH/)
        return "files"
    if (argument == "FORMAT")
        return "formats"
    return ""
}

function row(word, long, letter, argument, help)
{
    if ((name, word, long) in seen)
        return
    seen[name, word, long] = 1
    continues = 1
    options = options "option\t" name "\t" word "\t" long "\t" letter "\t" argument "\t" kind(argument) "\t" help "\n"
}

function add_word(word, help)
{
    if ((name, word) in words)
        return
    words[name, word] = 1
    continues = 1
    options = options "word\t" name "\t" word "\t" help "\n"
}

# A usage line: operands, subcommands of commands with several usages, and options that are not listed elsewhere.
function usage(line,    n, part, i, word, option, argument)
{
    operands = operands " " line
    n = split(line, part, / \| /)
    for (i = 1; i <= n; i++) {
        sub("^ *" name " ", "", part[i])
        if (part[i] ~ /^[a-z]+ /) {
            word = part[i]
            sub(/ .*/, "", word)
            add_word(word, "")
        }
        while (match(part[i], /--[a-z][a-z-]*/)) {
            option = substr(part[i], RSTART + 2, RLENGTH - 2)
            part[i] = substr(part[i], RSTART + RLENGTH)
            argument = match(part[i], /^ [A-Za-z|]+/) ? substr(part[i], 2, RLENGTH - 1) : ""
            pending = pending word "\t" option "\t" argument "\n"
        }
    }
}

# "  -o, --output FILE  help", "      --from YEAR  help", "  --help, -h   help": a row of the table of options.
function option_line(line,    letter, long, argument)
{
    sub(/^ +/, "", line)
    if (match(line, /^-[A-Za-z0-9], /)) {
        letter = substr(line, 2, 1)
        line = substr(line, 5)
    }
    match(line, /^--[A-Za-z0-9_-]+/)
    long = substr(line, 3, RLENGTH - 2)
    line = substr(line, RLENGTH + 1)
    if (match(line, /^, -[A-Za-z0-9]/)) {
        letter = substr(line, 4, 1)
        line = substr(line, 5)
    }
    if (match(line, /^ [^ ]+/)) {
        argument = substr(line, 2, RLENGTH - 1)
        line = substr(line, RLENGTH + 1)
    }
    sub(/^ +/, "", line)
    row(within, long, letter, argument, line)
}

# The end of a text.
function flush(    n, line, field, i)
{
    if (name == "" || within != "")
        return
    print "command\t" name "\t" (operands ~ /DIRECTORY|ROOT/ && operands !~ /FILE|LOG|PATH/ ? "directories" : "files")
    n = split(pending, line, "\n")
    for (i = 1; i < n; i++) {
        split(line[i], field, "\t")
        if (field[1] == "" || !has_table)
            row(field[1], field[2], "", field[3], "")
    }
}

$1 == "@" {
    flush()
    name = $2
    within = NF > 2 ? $3 : ""
    if (within == "")
        operands = pending = has_table = ""
    in_usage = 0
    next
}
/^Usage: / {
    in_usage = within == ""
    commands = $0 ~ /^Usage: [^ ]+ (\[options\] )?COMMAND /
    way = substr($0, length("Usage: ") + 1)
    next
}
# Another way to call it, or more of the one before
in_usage && /^       / {
    if (index($0, "       " name " ") == 1) {
        usage(way)
        way = ""
    }
    sub(/^ +/, "")
    way = way (way == "" ? "" : " ") $0
    next
}
in_usage {
    usage(way)
    in_usage = 0
}
# More of the help of an option or a word
continues && /^         / {
    sub(/^ +/, "")
    options = substr(options, 1, length(options) - 1) " " $0 "\n"
    next
}
{ continues = 0 }
/^ +(-[A-Za-z0-9], )?--[A-Za-z][A-Za-z0-9_-]*( [^ ]+)?(, -[A-Za-z0-9])?(  |$)/ {
    has_table = 1
    option_line($0)
    next
}
commands && within == "" && /^  [a-z]+  / {
    add_word($1, columns[split($0, columns, /  +/)])
}
END {
    flush()
    printf "%s", options
}
