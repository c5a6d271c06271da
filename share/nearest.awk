# nearest.awk - awk -v word=WORD -f nearest.awk <CANDIDATES: the line that differs from WORD in the fewest letters, if in few
# SPDX-License-Identifier: BSD-3-Clause
#
# For the commands that are scripts, as the others do: letters inserted, removed or replaced (Levenshtein 1966), less than
# three of them, or two in a short word.
function distance(a, b,    i, j, row, diagonal, above, least) {
    for (j = 0; j <= length(b); j++)
        row[j] = j
    for (i = 1; i <= length(a); i++) {
        diagonal = row[0]
        row[0] = i
        for (j = 1; j <= length(b); j++) {
            above = row[j]
            least = diagonal + (substr(a, i, 1) != substr(b, j, 1))
            least = above + 1 < least ? above + 1 : least
            row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least
            diagonal = above
        }
    }
    return row[length(b)]
}

BEGIN {
    least = length(word) < 4 ? 2 : 3
}

{
    by = distance(word, $0)
    if (by < least) {
        least = by
        nearest = $0
    }
}

END {
    if (nearest != "")
        print nearest
}
