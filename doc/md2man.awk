# md2man.awk - a manual page of a format, from the document that describes it
# SPDX-License-Identifier: BSD-3-Clause
#
#     awk -v name=darshan-log -v section=5 -v does='...' -v also='darshan-parser(1), ...' -v release=1.0.0 -v only=HEADING
#         -f md2man.awk DOCUMENT
#
# It knows what our documents use: headings, paragraphs, lists, tables and code. With HEADING it is that section only.
BEGIN {
    print "'\\\" t"
    printf ".TH %s %s \"\" \"darshan %s\" \"Darshan\"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", toupper(name), section, release, name, does
    inside = only == ""
    top = only == "" ? 2 : 3 # the level of headings that become sections
}

# Comments at the top
/^<!--/ { comment = 1 }
comment { if (/-->/) comment = 0; next }

/^```/ {
    if (!inside) next
    flush()
    print code ? ".fi" : ".PP\n.nf"
    code = !code
    next
}
code { print safe(literal($0)); next }

/^#+ / {
    level = index($0, " ") - 1
    text = substr($0, level + 2)
    if (only != "" && level <= 2) {
        flush()
        inside = text == only
        next
    }
    if (!inside || level == 1)
        next
    flush()
    print (level == top ? ".SH " : ".SS ") (level == top ? toupper(plain(text)) : plain(text))
    next
}
!inside { next }

/^\|/ { flush_text(); rows[++nrows] = $0; next }
/^- / { flush(); print ".IP \\(bu 2"; paragraph = substr($0, 3); item = 1; next }
/^    [^ ]/ && paragraph == "" { flush_table(); if (!quoted) print ".PP\n.nf"; quoted = 1; print safe(literal(substr($0, 5))); next }
/^$/ { flush(); next }
{
    flush_table()
    end_quote()
    if (paragraph == "" && !item)
        print ".PP"
    sub(/^ +/, "")
    paragraph = paragraph (paragraph == "" ? "" : " ") $0
}
END {
    flush()
    print ".SH SEE ALSO"
    n = split(also, pages, ", ")
    for (i = 1; i <= n; i++) {
        match(pages[i], /\([0-9]\)$/)
        printf ".BR %s %s%s\n", literal(substr(pages[i], 1, RSTART - 1)), substr(pages[i], RSTART), (i < n ? "," : "")
    }
}

function flush() {
    flush_text()
    flush_table()
    end_quote()
}
function end_quote() {
    if (quoted)
        print ".fi"
    quoted = 0
}
function flush_text() {
    if (paragraph != "")
        print safe(inline(paragraph))
    paragraph = ""
    item = 0
}

# A column of long cells shares the width that is left
function flush_table(   i, j, n, cells, longest, columns, line) {
    if (!nrows)
        return
    columns = split(rows[1], cells, "|") - 2
    for (i = 1; i <= nrows; i++) {
        split(rows[i], cells, "|")
        for (j = 1; j <= columns; j++) {
            cell[i, j] = trim(cells[j + 1])
            if (i != 2 && length(cell[i, j]) > longest[j])
                longest[j] = length(cell[i, j])
        }
    }
    print ".PP\n.TS"
    for (i = 1; i <= 2; i++) {
        line = ""
        for (j = 1; j <= columns; j++)
            line = line (i == 1 ? "lI" : "l") (longest[j] > 24 ? "x" : "") (j < columns ? " " : "")
        print line (i == 2 ? "." : "")
    }
    for (i = 1; i <= nrows; i++) {
        if (i == 2)
            continue
        for (j = 1; j <= columns; j++)
            printf "T{\n%s\nT}%s", (cell[i, j] == "" ? "\\&" : safe(inline(cell[i, j]))), (j < columns ? "\t" : "\n")
    }
    print ".TE"
    nrows = 0
}

function trim(text) {
    gsub(/^ +| +$/, "", text)
    return text
}
function literal(text) {
    gsub(/\\/, "&e", text) # a backslash in a replacement means the same to every awk only before "&"
    gsub(/-/, "\\\\&", text)
    gsub(/×/, "\\\\&", text)
    gsub(/×/, "(mu", text)
    gsub(/…/, "...", text)
    return text
}
function plain(text) {
    gsub(/[`*]/, "", text)
    return literal(text)
}
# A line must not begin with what the formatter takes as a request
function safe(text) {
    return text ~ /^['.]/ ? "\\&" text : text
}
# `code` and **strong** are bold, *emphasis* is italic, of [text](address) the text stays
function inline(text,   out, at, rest) {
    while (match(text, /`[^`]+`|\*\*[^*]+\*\*|\*[^* ][^*]*\*|\[[^]]+\]\([^)]+\)/)) {
        out = out literal(substr(text, 1, RSTART - 1))
        rest = substr(text, RSTART + RLENGTH)
        at = substr(text, RSTART, RLENGTH)
        if (at ~ /^`/)
            out = out "\\fB" literal(substr(at, 2, length(at) - 2)) "\\fP"
        else if (at ~ /^\*\*/)
            out = out "\\fB" literal(substr(at, 3, length(at) - 4)) "\\fP"
        else if (at ~ /^\*/)
            out = out "\\fI" literal(substr(at, 2, length(at) - 2)) "\\fP"
        else
            out = out literal(substr(at, 2, index(at, "]") - 2))
        text = rest
    }
    return out literal(text)
}
