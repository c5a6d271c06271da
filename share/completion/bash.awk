# bash.awk - completion for bash of one command (-v command=NAME), from the rows of rows.awk
# SPDX-License-Identifier: BSD-3-Clause
BEGIN { FS = "\t" }
$2 != command { next }
$1 == "command" { operands = $3 }
$1 == "word" { words = words (words == "" ? "" : " ") $3 }
$1 == "option" {
    list[$3] = list[$3] " --" $4 ($5 == "" ? "" : " -" $5)
    if (!($3 in known)) {
        known[$3] = 1
        with[++n] = $3
    }
    if ($6 != "")
        takes = takes "    " ($3 == "" ? "*" : $3) ",--" $4 ($5 == "" ? "" : " | " ($3 == "" ? "*" : $3) ",-" $5) \
            ") what='" ($7 == "" ? "nothing" : $7) "' ;;\n"
}
END {
    name = command
    gsub(/-/, "_", name)
    print "# " command " - completion for bash; made from what " command " --help prints\n_" name "()\n{"
    print "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} word= options= what=" operands " i"
    print "    # --option=value comes as three words"
    print "    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    [[ $current != = ]] || { before=${COMP_WORDS[COMP_CWORD - 1]} current=; }"
    print "    for ((i = 1; i < COMP_CWORD; i++)); do"
    print "        case ${COMP_WORDS[i]} in"
    print "        --) word=--; break ;;"
    if (words != "") {
        alternatives = words
        gsub(/ /, " | ", alternatives)
        print "        " alternatives ") [[ -n $word ]] || word=${COMP_WORDS[i]} ;;"
    }
    print "        esac\n    done"
    print "    case $word in"
    print "    --) what=commands before= ;;"
    for (i = 1; i <= n; i++)
        if (with[i] != "")
            print "    " with[i] ") options='" substr(list[with[i]], 2) "' ;;"
    print "    *) options='" substr(list[""], 2) "'" (words == "" ? "" : "; [[ -n $word ]] || what='" words "'") " ;;"
    print "    esac"
    print "    case $word,$before in\n" takes "    *) [[ $current != -* || $word = -- ]] || what=$options ;;\n    esac"
    print "    COMPREPLY=()"
    print "    case $what in"
    print "    nothing) ;;"
    print "    files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;"
    print "    directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;"
    print "    commands) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -c -f -- \"$current\") ;;"
    print "    formats) mapfile -t COMPREPLY < <(compgen -W \"$(darshan-trace --formats 2>/dev/null | awk '/^[a-z]/ { print $1 }')\" -- \"$current\") ;;"
    print "    *) mapfile -t COMPREPLY < <(compgen -W \"${what//|/ }\" -- \"$current\") ;;"
    print "    esac\n}\ncomplete -F _" name " " command
}
