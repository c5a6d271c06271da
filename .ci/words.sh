#!/bin/sh
# words.sh - fails on phrases that a term of the field has replaced, and on functions whose names have no object
# SPDX-License-Identifier: BSD-3-Clause
#
# 1. Functions are not just called take, add, begin or finish: their names have an object.
# 2. Comments, messages and the documentation do not contain the phrases below. Names are read by people, not by a list: a list
#    once turned slots of counters into modules.
# 3. No file contains a conflict marker.
# words.sh FILE...: 2. in these files only.
cd "$(dirname "$0")/.." || exit 1
# Extended regular expressions, without upper case, and what to say instead.
phrases='heirs?=collector
kin=process tree, or "the like"
(liveness )?holders?=owner
leavings=leftovers
seal(s|ed|ing)?=snapshot
settle[sd]?=flush
mend(s|ed|ing)?=repair, fix, recover
parted by=separated by
(is|are|was|were|be|been) told=reported, printed, known
told apart=distinguished
switch(es|ed)? (it |them |the library |modules )?(on|off)=enable, disable
no valid=invalid
is no (file|log|number|directory|regular|text|json|rank|setting|report|list)=is not a ...
in the place of=instead of, on behalf of, replaces
what is there stays=is kept
(he|his|him)=it, the process, the caller
as ever=as before, as in the original'

# said FILE...: lines of comments, strings and documents that contain a phrase. Text is compared by whole paragraphs, because
# a phrase may continue on the next line.
said() {
    awk -v phrases="$phrases" '
    function look(    i, rest) {
        text = tolower(text)
        gsub(/[ \t]+/, " ", text)
        gsub(/there (is|was) no/, "there-no", text)
        rest = " " text " "
        if (rest !~ any) {
            text = ""
            return
        }
        for (i = 1; i <= n; i++) {
            if (match(rest, "[^a-z0-9_`-](" bad[i] ")[^a-z0-9_`-]"))
                print file ":" start ": \"" substr(rest, RSTART + 1, RLENGTH - 2) "\": say " good[i]
        }
        text = ""
    }
    function add(s) {
        if (text == "")
            start = FNR
        file = FILENAME
        text = text " " s
    }
    BEGIN {
        n = split(phrases, rows, /\n/)
        for (i = 1; i <= n; i++) {
            at = index(rows[i], "=")
            bad[i] = substr(rows[i], 1, at - 1)
            good[i] = substr(rows[i], at + 1)
            any = any (i > 1 ? "|" : "") bad[i]
        }
        any = "[^a-z0-9_`-](" any ")[^a-z0-9_`-]"
    }
    FNR == 1 { look(); inside = 0; fenced = 0 }
    FILENAME !~ /\.(c|h|def|wrap)$/ { # documents: paragraphs, without code
        if (/^```/)
            fenced = !fenced
        if (fenced || /^```/ || /^    / || /^\.\\"/ || /^[ \t]*$/)
            look()
        else {
            line = $0
            gsub(/`[^`]*`/, "`", line)
            sub(/^\.[A-Z]+ */, "", line)
            add(line)
        }
        next
    }
    {
        line = $0
        while (line != "") {
            if (inside) {
                at = index(line, "*/")
                part = at ? substr(line, 1, at - 1) : line
                sub(/^[ \t]*\*/, "", part)
                gsub(/`[^`]*`/, "`", part)
                if (part ~ /^[ \t]*$/)
                    look()
                else
                    add(part)
                if (!at)
                    next
                look()
                inside = 0
                line = substr(line, at + 2)
            } else if (match(line, /"([^"\\]|\\.)*"|\/\*/)) {
                part = substr(line, RSTART, RLENGTH)
                line = substr(line, RSTART + RLENGTH)
                if (part == "/*")
                    inside = 1
                else {
                    gsub(/\\n/, " ", part)
                    add(part)
                    look()
                }
            } else
                break
        }
    }
    END { look() }' "$@"
}

if [ $# -gt 0 ]; then
    found=$(said "$@")
    [ -z "$found" ] && exit 0
    printf '%s\n' "$found"
    exit 1
fi
# A name says what is taken, added, begun or finished, too.
vague=$(grep -nE '^[a-zA-Z_(].*[ *](take|add|begin|finish)\(' $(find command-line runtime util measure -name '*.c'))
text=$(said $(find darshan-log-format command-line runtime util measure test/lib -name '*.[ch]' -o -name '*.def' -o -name '*.wrap' | sort) \
    README.md CONTRIBUTING.md $(find doc -name '*.md' -o -name '*.[137]' -o -name '*.in' | sort))
marks=$(grep -rnE '^(<<<<<<<|>>>>>>>) ' darshan-log-format command-line runtime util measure test share doc .ci README.md CONTRIBUTING.md NEWS)
[ -z "$vague$text$marks" ] && exit 0
printf '%s\n' "$vague" "$text" "$marks" | grep .
exit 1
