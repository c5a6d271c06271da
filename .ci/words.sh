#!/bin/sh
# words.sh - fails on names and phrases that a term of the field has replaced
# SPDX-License-Identifier: BSD-3-Clause
#
# 1. Identifiers of the runtime do not contain the words on the left, alone or between underscores.
# 2. Functions are not just called take, add, begin or finish: their names have an object.
# 3. Comments, messages and the documentation do not contain the phrases below.
# 4. No file contains a conflict marker.
# words.sh FILE...: 3. in these files only.
cd "$(dirname "$0")/.." || exit 1
replaced='image=survival family=process_tree families=process_trees heir=collector spool=exit_record
gone=dead holder=owner
remains=salvaged mend=salvage mended=salvaged settle=flush live=state slot=module home=target side=auxiliary facts=rank_summary
leavings=leftovers folded=aggregated told=reported
cut=(none) seal=snapshot sealed=snapshot parted=separated mending=repair way=direction'

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

names() {
    find runtime -name '*.[ch]' -o -name '*.wrap' | sort | xargs awk -v replaced="$replaced" '
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
        while (1) { # what is not a comment
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
                    # names of the log, of ncurses and of sockets, and what is another word
                    if (word[k] in say && name[i] !~ /^(RANK|KEY)_|^(sa|sin6?|ai)_family$/ && tolower(name[i]) !~ /(of_the|under|make)_way/)
                        print FILENAME ":" FNR ": " name[i] ": " word[k] " is called " say[word[k]]
            }
            if (!at)
                break
            line = substr(line, at + 2)
            inside = 1
        }
    }'
}

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
found=$(names)
# A name says what is taken, added, begun or finished, too.
vague=$(grep -nE '^[a-zA-Z_(].*[ *](take|add|begin|finish)\(' $(find command-line runtime util measure -name '*.c'))
text=$(said $(find darshan-log-format command-line runtime util measure test/lib -name '*.[ch]' -o -name '*.def' -o -name '*.wrap' | sort) \
    README.md CONTRIBUTING.md $(find doc -name '*.md' -o -name '*.[137]' -o -name '*.in' | sort))
marks=$(grep -rnE '^(<<<<<<<|>>>>>>>) ' darshan-log-format command-line runtime util measure test share doc .ci README.md CONTRIBUTING.md NEWS)
[ -z "$found$vague$text$marks" ] && exit 0
printf '%s\n' "$found" "$vague" "$text" "$marks" | grep .
exit 1
