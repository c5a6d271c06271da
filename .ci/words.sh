#!/bin/sh
# words.sh - fails on a name in the code that has been replaced by a word of the field
# SPDX-License-Identifier: BSD-3-Clause
#
# The left word, between underscores or alone, is in no identifier of the runtime; the right one says the same.
cd "$(dirname "$0")/.." || exit 1
replaced='image=survival family=process_tree kin=process_tree heir=collector spool=exit_record gone=dead holder=owner
remains=salvaged mend=salvage settle=flush live=state slot=module home=target side=auxiliary facts=rank_summary
member=participant members=participants leavings=leftovers folded=aggregated told=reported
cut=(none) seal=snapshot parted=separated mending=repair'

found=$(find runtime -name '*.[ch]' -o -name '*.wrap' | sort | xargs awk -v replaced="$replaced" '
    BEGIN {
        n = split(replaced, pairs, /[ \n]+/)
        for (i = 1; i <= n; i++) {
            split(pairs[i], pair, "=")
            say[pair[1]] = pair[2]
        }
    }
    FNR == 1 { inside = 0 }
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "", line)
        while (1) { # what is no comment
            if (inside) {
                at = index(line, "*/")
                if (!at)
                    next
                line = substr(line, at + 2)
                inside = 0
            }
            at = index(line, "/*")
            code = at ? substr(line, 1, at - 1) : line
            names = split(code, name, /[^A-Za-z0-9_]+/)
            for (i = 1; i <= names; i++) {
                words = split(tolower(name[i]), word, /_+/)
                for (k = 1; k <= words; k++)
                    if (word[k] in say && name[i] !~ /^(RANK|KEY)_/) # which is what the log, and ncurses, call it
                        print FILENAME ":" FNR ": " name[i] ": " word[k] " is called " say[word[k]]
            }
            if (!at)
                break
            line = substr(line, at + 2)
            inside = 1
        }
    }')

# A function is called by what it takes, adds, begins or finishes, too.
vague=$(grep -nE '^[a-zA-Z_(].*[ *](take|add|begin|finish)\(' $(find runtime util -name '*.c'))

[ -z "$found$vague" ] && exit 0
printf '%s\n' "$found" "$vague" | grep .
exit 1
