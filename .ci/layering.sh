#!/bin/sh
# layering.sh - fails on an #include that climbs, and on a circle of includes; `sh .ci/layering.sh --circles` prints all circles
# SPDX-License-Identifier: BSD-3-Clause
#
# layering.sh --symbols TREE fails on a function of libdarshan.so that a room uses and one below it in the list defines, unless it
# is a hook, and on a large circle of units by such uses. Only our own names count: a library that calls open() means the
# C library's, though it defines one itself. TREE: the build tree.
#
# A unit is a .c file and the .h file of the same name. Rooms are folders; each includes itself and rooms above it only.
cd "$(dirname "$0")/.." || exit 1
bad=0

# deny WHERE WHAT: no file below WHERE may include a path that holds WHAT
deny() {
    [ -d "$1" ] || return 0
    if grep -rnE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[\"<]$2" "$1" --include='*.[ch]' --include='*.def' --include='*.wrap'; then
        echo "layering: $1 may not include that" >&2
        bad=1
    fi
}

# arrows FOLDER...: "file included-file" for every include of one of our files by another, below these folders
arrows() {
    find "$@" -name '*.[ch]' -o -name '*.def' -o -name '*.wrap' | sort | awk '
        { is_ours[$0] = 1; files[NR] = $0 }
        END {
            for (i = 1; i <= NR; i++) {
                folder = files[i]
                sub(/[^\/]*$/, "", folder)
                while ((getline line < files[i]) > 0) {
                    if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/)
                        continue
                    split(line, quoted, "[\"<>]")
                    n = split((line ~ /</ ? "" : folder) " ./ runtime/ util/", places, " ")
                    for (p = 1; p <= n; p++) {
                        path = places[p] quoted[2]
                        sub(/^\.\//, "", path)
                        if (path in is_ours) {
                            print files[i], path
                            break
                        }
                    }
                }
                close(files[i])
            }
        }'
}

# circles FOLDER...: the loops among their units, as tsort finds them; status 1 if there is one
circles() {
    loops=$(arrows "$@" | sed 's/\.[ch] / /; s/\.[ch]$//' | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null | sed 's/^tsort: //')
    [ -z "$loops" ] && return 0
    printf '%s\n' "$loops"
    return 1
}

# rooms PARENT ROOM...: each may include itself and those before it in the list
rooms() {
    parent=$1
    shift
    climbing=$(arrows "$parent" | awk -v parent="$parent/" -v rooms="$*" '
        function room(path) {
            path = substr(path, length(parent) + 1)
            sub(/\/[^\/]*$/, "", path)
            return path
        }
        BEGIN { n = split(rooms, names, " "); for (i = 1; i <= n; i++) at[names[i]] = i }
        index($1, parent) == 1 && index($2, parent) == 1 {
            from = room($1); to = room($2)
            if (!(from in at)) print $1 ": its folder is in no list of rooms"
            else if (!(to in at) || at[to] > at[from]) print $1 " includes " $2
        }')
    [ -z "$climbing" ] && return 0
    printf '%s\n' "$climbing"
    echo "layering: rooms of $parent, from above: $*" >&2
    bad=1
}

# alone: modules do not include each other; what several share is in module/shared/
alone() {
    others=$(arrows runtime/module | sed -n 's!^runtime/module/\([^/]*\.[ch]\) runtime/module/\([^/]*\)\.h$!\1 \2!p' |
        awk '$1 != "modules.c" { split($1, of, /[-.]/); split($2, to, "-")
             sub(/[df]$/, "", of[1]); sub(/[df]$/, "", to[1])
             if (of[1] != to[1]) print "runtime/module/" $1 " includes module/" $2 ".h" }')
    [ -z "$others" ] && return 0
    printf '%s\n' "$others"
    echo "layering: a module includes another one" >&2
    bad=1
}

# apart: log-based I/O takes base/, command-line/ and the tables of calls in wrap/ alone, and nothing takes it
apart() {
    taken=$(arrows runtime util measure darshan-log-format | awk '
        { from = $1; to = $2; sub(/\/[^\/]*$/, "", from); sub(/\/[^\/]*$/, "", to) }
        from == "runtime/lbio" && to != "runtime/lbio" && to != "runtime/base" && $2 !~ /^runtime\/wrap\/.*\.wrap$/ { print $1 " includes " $2 }
        from != "runtime/lbio" && to == "runtime/lbio" { print $1 " includes " $2 }')
    climbing=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<](record|config|module|reduce|log|survive|life|command|recover|top|darshan-log-format)/' \
        runtime/lbio; grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]wrap/' runtime/lbio | grep -v '\.wrap"')
    [ -z "$taken$climbing" ] && return 0
    printf '%s\n' "$taken" "$climbing" | grep .
    echo "layering: runtime/lbio takes runtime/base, command-line and the tables of runtime/wrap, and nothing takes it" >&2
    bad=1
}

rooms_of_runtime='base config record module/shared module reduce log survive life wrap command recover top lbio'
hooks='dsn__find_early' # functions that a higher room defines for a lower one; at most three
most_in_circle=4

# uses TREE: "unit symbol unit" for every use of a function of ours by another unit of libdarshan.so
uses() {
    find "$1/runtime" -name 'libdarshan_so_0-*.o' | sort | while read -r object; do
        nm "$object" | sed "s|^|$object |"
    done | awk -v tree="$1/runtime/" '
        function unit(object) { object = substr(object, length(tree) + 1); sub(/libdarshan_so_0-/, "", object); sub(/\.o$/, "", object); return object }
        $3 == "T" && $4 ~ /^dsn/ { of[$4] = unit($1) }
        $2 == "U" && $3 ~ /^dsn/ { uses[unit($1) " " $3] }
        END { for (use in uses) { split(use, u, " "); if (u[2] in of) print u[1], u[2], of[u[2]] } }' | sort
}

# symbols TREE: status 1 if a use climbs, or makes a large circle
symbols() {
    used=$(uses "$1")
    [ -n "$used" ] || { echo "layering: $1 has no objects of libdarshan.so" >&2; return 1; }
    climbing=$(printf '%s\n' "$used" | awk -v rooms="$rooms_of_runtime" -v hooks=" $hooks " '
        function room(unit) { sub(/\/[^\/]*$/, "", unit); return unit }
        BEGIN { n = split(rooms, names, " "); for (i = 1; i <= n; i++) at[names[i]] = i }
        at[room($3)] > at[room($1)] && !index(hooks, " " $2 " ") { print $1 " uses " $2 " of " $3 }')
    # Units in a circle with a unit: those that it reaches and that reach it.
    largest=$(printf '%s\n' "$used" | awk '
        { units[$1]; units[$3]; reach[$1, $3] = 1 }
        END {
            for (k in units) for (i in units) if ((i, k) in reach) for (j in units) if ((k, j) in reach) reach[i, j] = 1
            for (i in units) {
                n = 0
                for (j in units) n += ((i, j) in reach) && ((j, i) in reach)
                if (n > most) most = n
            }
            print most + 0
        }')
    echo "largest circle of units by symbols: $largest"
    [ -z "$climbing" ] || { printf '%s\n' "$climbing"; echo "layering: functions of a higher room" >&2; return 1; }
    [ "$largest" -le "$most_in_circle" ] || { echo "layering: a circle of more than $most_in_circle units" >&2; return 1; }
}

case ${1:-} in
--symbols)
    symbols "${2:?--symbols needs a build tree}"
    exit
    ;;
--circles)
    circles darshan-log-format command-line runtime util measure
    exit
    ;;
esac

deny darshan-log-format '(.*/)?(command-line|runtime|util|measure|test)/'
deny darshan-log-format '(\.\./|(zlib|mpi|hdf5|pnetcdf|stdio|stdlib)\.h)'
deny command-line '(.*/)?(runtime|util|measure|test)/'
deny command-line '(\.\./|(zlib|mpi|hdf5|pnetcdf)\.h)'
for room in base config record module reduce log survive life wrap; do # what is in every recorded program
    deny "runtime/$room" 'command-line/'
done
deny runtime '(.*/)?(util|measure|test)/'
deny util '(.*/)?(runtime|measure|test)/'
deny measure '(.*/)?(runtime|test)/'
deny share '(.*/)?(command-line|runtime|util|measure|test|darshan-log-format)/'
deny runtime '(.*/)?\.\./'
deny util '(.*/)?\.\./'
deny runtime '(hdf5|pnetcdf)\.h'
# shellcheck disable=SC2086 # names
rooms runtime $rooms_of_runtime
alone
apart
rooms util lib trace rhythm simulate command page report account tools
rooms measure fsstats sweep block sched spmv tools
if ! circles darshan-log-format command-line runtime util measure; then
    echo "layering: a circle of includes" >&2
    bad=1
fi
exit $bad
