# t-manpages.sh - every command has its page, with exactly the options of its --help; what pages name is there
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

pages=$DSN_PREFIX/share/man
rows=$DSN_BUILD/share/completion/rows # commands, words and options of all --help, from which completions are made

# The text of a page, without font escapes
plain() { sed 's/\\-/-/g; s/\\f[BIRP]//g; s/\\|//g' "$@"; }
options() { grep -oE -- '(^|[^-A-Za-z0-9])--[A-Za-z][A-Za-z0-9_-]*' | grep -oE -- '--.*' | sort -u; }

without='' unknown='' missing=''
for command in "$DSN_PREFIX"/bin/*; do
    name=$(basename "$command")
    case $name in *.pl) continue ;; esac
    page=$pages/man1/$name.1
    [ -f "$page" ] || { without="$without $name"; continue; }
    awk -F '\t' -v name="$name" '$1 == "option" && $2 == name { print "--" $4 }' "$rows" | sort -u >offered
    plain "$page" | options >named
    # the items that the page lists
    plain "$page" | awk 'before ~ /^\.T[PQ]/ && /^\.B/ { print } { before = $0 }' | options >items
    for option in $(comm -23 offered named); do missing="$missing $name$option"; done
    for option in $(comm -23 items offered); do unknown="$unknown $name$option"; done
done
is "$without" '' 'every command has a page'
is "$missing" '' 'every option of --help is in the page'
is "$unknown" '' 'every option of a page is in --help'

# Subcommands
missing=''
while IFS="$(printf '\t')" read -r _ name word _; do
    plain "$pages/man1/$name.1" | grep -qE "(^|[^a-z-])$word([^a-z-]|\$)" || missing="$missing $name $word"
done <<END
$(grep '^word' "$rows")
END
is "$missing" '' 'every word of a command is in its page'

# darshan-log(3) in "SEE ALSO" and elsewhere: our pages that are referred to exist
missing=''
for page in "$pages"/man?/*; do
    for other in $(plain "$page" | tr -d '"' | sed 's/ *(\([0-9]\))/(\1)/g' | grep -oE '\b(lib)?(darshan|lbio)[a-z-]*\([0-9]\)'); do
        section=${other##*(}
        section=${section%)}
        [ -f "$pages/man$section/${other%(*}.$section" ] || missing="$missing $(basename "$page"):$other"
    done
done
is "$missing" '' 'pages that are named exist'

# Functions of the installed headers of libraries
missing=''
for row in darshan/log.h:darshan_reader darshan/writer.h:darshan_writer darshan/trace.h:darshan_trace darshan/sched.h:darshan_sched lbio.h:lbio; do
    for function in $(grep -oE "\b${row#*:}_[a-z_0-9]+ *\(" "$DSN_PREFIX/include/${row%:*}" | tr -d ' (' | sort -u); do
        plain "$pages"/man3/*.3 | grep -q "\b$function\b" || missing="$missing $function"
    done
done
is "$missing" '' 'every function of the libraries is in a page'

# As rendered by man
wrong=$(for page in "$pages"/man?/*; do
    LC_ALL=C.UTF-8 MANWIDTH=100 MANROFFSEQ= man --warnings=mac,missing,number,syntax -E UTF-8 -l "$page" 2>&1 >/dev/null | sed "s|^|$(basename "$page"): |"
done | head -n 5)
is "$wrong" '' 'man has nothing to complain of'

finish
