# zsh.awk - completion for zsh of one command (-v command=NAME), from the rows of rows.awk
# SPDX-License-Identifier: BSD-3-Clause
BEGIN {
    FS = "\t"
    action["files"] = "_files"
    action["directories"] = "_files -/"
    action["formats"] = "_darshan_formats"
    action[""] = " "
}

function quoted(text)
{
    gsub(/'/, "&\\\\&&", text)
    return text
}

# An option in the form that _arguments requires.
function spec(long, letter, argument, kind, help,    words, end)
{
    gsub(/[][\\]/, "\\\\&", help)
    words = kind
    end = kind in action ? action[kind] : "(" (gsub(/\|/, " ", words) ? words : kind) ")"
    end = "[" quoted(help) "]" (argument == "" ? "" : ":" argument ":" end) "'"
    if (letter == "")
        return " \\\n    '--" long (argument == "" ? "" : "=") end
    return " \\\n    '(-" letter " --" long ")'{-" letter (argument == "" ? ",--" long : "+,--" long "=") "}'" end
}

$2 != command { next }
$1 == "command" { operands = "'*:" $3 ":" action[$3] "'" }
$1 == "word" {
    words = words " \\\n    '" $3 ($4 == "" ? "" : ":" quoted($4)) "'"
    order[++n] = $3
}
$1 == "option" { specs[$3] = specs[$3] spec($4, $5, $6, $7, $8) }

END {
    print "#compdef " command "\n# _" command " - completion for zsh; made from what " command " --help prints"
    print "_darshan_formats()\n{\n    local -a formats\n" \
        "    formats=(${(f)\"$(darshan-trace --formats 2>/dev/null | awk '/^[a-z]/ { print $1 }')\"})\n    compadd -a formats\n}"
    if (words == "") {
        print "_arguments -s -S" specs[""] " \\\n    " operands
        exit
    }
    print "local curcontext=$curcontext state line\nlocal -a words_of\nwords_of=(" words ")"
    print "_arguments -C -s -S" specs[""] " \\\n    '1: :->word' '*:: :->rest'"
    print "case $state in\nword) _describe command words_of ;;\nrest)\n    case $words[1] in"
    for (i = 1; i <= n; i++)
        if (order[i] in specs)
            print "    " order[i] ")\n    _arguments -s -S" specs[order[i]] " \\\n    " operands "\n    ;;"
    print "    *)\n    _arguments -s -S" specs[""] " \\\n    " operands "\n    ;;\n    esac\n    ;;\nesac"
}
