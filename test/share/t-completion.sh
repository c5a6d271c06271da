# t-completion.sh - bash, zsh and fish complete the commands, with the options that --help lists
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

data=$DSN_PREFIX/share
export PATH="$DSN_PREFIX/bin:$PATH"
mkdir -p there/directory config
: >there/job.darshan

# those in the table of options, and those only in the usage line (darshan-config)
options_of() {
    "$@" --help 2>&1 | sed -nE 's/^Usage: [^ ]* \[(--[a-z-]+).*/\1/p; s/^ +(-., )?(--[A-Za-z][A-Za-z0-9_-]*)( [^ ]+)?(, -.)?(  .*|$)/\2/p' | sort -u
}

bash_offers() { # COMMAND WORD...: what is offered for the last word
    bash --norc -c '. "$0"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); compopt() { :; }
        "_${1//-/_}"; printf "%s\n" "${COMPREPLY[@]}"' "$data/bash-completion/completions/$1" "$@" | sort -u
}

fish_offers() { # LINE
    HOME=$PWD XDG_CONFIG_HOME=$PWD/config \
        fish -c "set fish_complete_path $data/fish/vendor_completions.d; complete -C '$1'" | cut -f1 | sort -u
}

# For every command, exactly the options of its --help are offered.
wrong_bash='' wrong_fish='' commands=0
for command in "$DSN_PREFIX"/bin/*; do
    name=$(basename "$command")
    case $name in *.pl | lbio) continue ;; esac
    commands=$((commands + 1))
    options=$(options_of "$name")
    [ "$(bash_offers "$name" -- | grep '^--')" = "$options" ] || wrong_bash="$wrong_bash $name"
    [ "$(fish_offers "$name --")" = "$options" ] || wrong_fish="$wrong_fish $name"
done
is "$((commands > 15))" 1 'there are commands'
is "$wrong_bash" '' 'bash offers the options of --help'
is "$wrong_fish" '' 'fish offers the options of --help'
is "$(bash_offers darshan-trace cut -- | grep '^--')" "$(options_of darshan-trace cut)" 'bash: those of a command of its own'
is "$(fish_offers 'darshan-trace cut --')" "$(options_of darshan-trace cut)" 'fish: the same'
is "$(bash_offers darshan-accounting in | tr '\n' ' ')" 'ingest init ' 'bash: the words of darshan-accounting'
is "$(fish_offers 'darshan-accounting in' | tr '\n' ' ')" 'ingest init ' 'fish: the same'
is "$(bash_offers lbio recover --al),$(fish_offers 'lbio recover --al')" '--all,--all' 'lbio recover'
is "$(bash_offers darshan-sweep there/)" there/directory 'bash: only directories where those are wanted'
is "$(bash_offers darshan-trace cat --from str)" "$(fish_offers 'darshan-trace cat --from str')" 'formats are asked for'
is "$(bash_offers darshan-trace cat --from str)" strace 'and named'
is "$(bash_offers lbio run -- tru | grep -x true)" true 'bash: a command behind --'

# As typed: the line after a tab.
typed() { python3 "$DSN_SRC/test/share/completion.py" "$1" "$2" "$3" 2>&1 | tr '\n' ' '; }
for shell in bash zsh; do
    case $shell in
    bash) setup='for f in '"$data"'/bash-completion/completions/*; do . $f; done' ;;
    zsh) setup='bindkey -e; fpath=('"$data"'/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -d ./dump' ;;
    esac
    is "$(typed $shell "$setup" 'darshan-parser --perf --js')" 'darshan-parser --perf --json ' "$shell: an option"
    is "$(typed $shell "$setup" 'darshan-parser --base there/j')" 'darshan-parser --base there/job.darshan ' "$shell: a file"
    is "$(typed $shell "$setup" 'darshan-trace sta')" 'darshan-trace stat ' "$shell: a command of its own"
    is "$(typed $shell "$setup" 'darshan-trace stat --large')" 'darshan-trace stat --large-files ' "$shell: an option of that"
    is "$(typed $shell "$setup" 'darshan-accounting --db there/x.db ing')" 'darshan-accounting --db there/x.db ingest ' \
        "$shell: behind an option with an argument"
    is "$(typed $shell "$setup" 'darshan-fsstats --json there/' | sed 's|/* $||')" 'darshan-fsstats --json there/directory' \
        "$shell: a directory"
    is "$(typed $shell "$setup" 'darshan-top --o')" 'darshan-top --o ' "$shell: nothing where several begin so"
done

finish
