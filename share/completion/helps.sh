# helps.sh - prints the --help of several commands, from which completions are generated
# SPDX-License-Identifier: BSD-3-Clause
#
#     sh helps.sh COMMAND...
#
# Each text follows a line "@ NAME", or "@ NAME WORD" for subcommands (darshan-trace cat) with their own. A COMMAND that
# ends in .in is a script whose paths are not filled in yet.
help() { # COMMAND [WORD]: some of the commands end with a status that others expect of them
    case $1 in
    *.in) sh "$1" --help ;;
    */*) "$@" --help ;;
    *) ./"$@" --help ;;
    esac </dev/null 2>&1 || :
}

for command; do
    name=$(basename "$command" .in)
    text=$(help "$command")
    case $text in [Uu]sage:*) ;; *) echo "helps.sh: $command --help printed no usage: $text" >&2; exit 1 ;; esac
    printf '@ %s\n%s\n' "$name" "$text"
    case $text in *' COMMAND --help'*) ;; *) continue ;; esac
    for word in $(printf '%s\n' "$text" | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        printf '@ %s %s\n%s\n' "$name" "$word" "$(help "$command" "$word")"
    done
done
