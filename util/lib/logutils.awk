# logutils.awk - fills the enumerations into logutils.h.in: awk -f logutils.awk PREPROCESSED-logutils.c logutils.h.in
# SPDX-License-Identifier: BSD-3-Clause

FNR == NR { text = text " " $0; next }

/^@enumerations@$/ {
    n = split(text, statement, ";")
    first = 1
    for (i = 1; i <= n; i++) {
        if (statement[i] !~ /_counter_names\[\] *= *\{/ || statement[i] ~ /extern/)
            continue
        sub(/.*\{/, "", statement[i])
        sub(/\}.*/, "", statement[i])
        gsub(/"/, "", statement[i])
        print (first ? "" : "\n") "enum {"
        first = 0
        m = split(statement[i], value, ",")
        for (j = 1; j <= m; j++) {
            gsub(/[ \t]/, "", value[j])
            sub(/=/, " = ", value[j])
            if (value[j] != "")
                print "    " value[j] ","
        }
        print "};"
    }
    next
}

{ print }
