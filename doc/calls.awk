# calls.awk - the page of calls, from the preprocessed rows, calls.in and unseen.list, in this order
# SPDX-License-Identifier: BSD-3-Clause
FILENAME != last { last = FILENAME; part++ }

# CALL name "note"
part == 1 && $1 == "CALL" {
    key = $0
    sub(/^CALL [^ ]+ "/, "", key)
    sub(/"[ \t]*$/, "", key)
    if (key == "by hand")
        key = "=" $2
    else if (!match(key, /(dsn__[a-z_0-9]+|^[A-Z_]+)/))
        wrong("no note in: " $0)
    else
        key = substr(key, RSTART, RLENGTH)
    if (!($2 in seen))
        calls[key] = calls[key] (calls[key] == "" ? "" : " ") "`" $2 "`"
    seen[$2] = 1
    next
}

part == 2 && /^## / {
    printf "\n%s\n\n| calls | what they count |\n|---|---|\n", $0
    next
}
part == 2 && !/^(#|$)/ {
    text = names = ""
    for (i = 1; i <= NF; i++)
        if (text == "" && (i == 1 || $i ~ /^=/)) {
            if (!($i in calls))
                wrong("calls.in: no call is noted by " $i)
            names = names (names == "" ? "" : " ") calls[$i]
            told[$i] = 1
        } else {
            text = text (text == "" ? "" : " ") $i
        }
    printf "| %s | %s |\n", names, text
}

part == 3 && !begun++ {
    for (key in calls)
        if (!(key in told))
            wrong("calls.in: says nothing about " key " (" calls[key] ")")
    printf "\n# What is not seen, and why\n"
}
part == 3 && /^# / && !/SPDX|unseen.list|A name may|page of calls in|the documentation is made/ {
    printf "\n## %s\n\n| function | reason |\n|---|---|\n", toupper(substr($0, 3, 1)) substr($0, 4)
}
part == 3 && !/^(#|$)/ {
    name = $1
    sub(/^\?/, "", name)
    text = $0
    sub(/^[^ ]+ +/, "", text)
    printf "| `%s` | %s |\n", name, text
}

function wrong(what) {
    print "calls.awk: " what >"/dev/stderr"
    failed = 1
}
END { exit failed }
