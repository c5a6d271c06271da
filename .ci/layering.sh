#!/bin/sh
# layering.sh - fails on an #include that climbs, and on a circle of includes; `sh .ci/layering.sh --circles` prints all circles
# SPDX-License-Identifier: BSD-3-Clause
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

# apart: log-based I/O takes base/ and the tables of calls in wrap/ alone, and nothing takes it
apart() {
    taken=$(arrows runtime util darshan-log-format | awk '
        { from = $1; to = $2; sub(/\/[^\/]*$/, "", from); sub(/\/[^\/]*$/, "", to) }
        from == "runtime/lbio" && to != "runtime/lbio" && to != "runtime/base" && $2 !~ /^runtime\/wrap\/.*\.wrap$/ { print $1 " includes " $2 }
        from != "runtime/lbio" && to == "runtime/lbio" { print $1 " includes " $2 }')
    climbing=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<](record|config|module|reduce|log|survive|life|command|recover|top|darshan-log-format)/' \
        runtime/lbio; grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]wrap/' runtime/lbio | grep -v '\.wrap"')
    [ -z "$taken$climbing" ] && return 0
    printf '%s\n' "$taken" "$climbing" | grep .
    echo "layering: runtime/lbio takes runtime/base and the tables of runtime/wrap, and nothing takes it" >&2
    bad=1
}

if [ "${1:-}" = --circles ]; then
    circles darshan-log-format runtime util
    exit
fi

deny darshan-log-format '(.*/)?(runtime|util|test)/'
deny darshan-log-format '(\.\./|(zlib|mpi|hdf5|pnetcdf|stdio|stdlib)\.h)'
deny runtime '(.*/)?(util|test)/'
deny util '(.*/)?(runtime|test)/'
deny share '(.*/)?(runtime|util|test|darshan-log-format)/'
deny runtime '(.*/)?\.\./'
deny util '(.*/)?\.\./'
deny runtime '(hdf5|pnetcdf)\.h'
rooms runtime base config record module/shared module reduce log survive life wrap command recover top lbio
alone
apart
rooms util lib trace rhythm simulate command page report account fsstats sweep block sched spmv tools
if ! circles darshan-log-format runtime util; then
    echo "layering: a circle of includes" >&2
    bad=1
fi
exit $bad
