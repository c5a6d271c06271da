#!/bin/sh
# hash.sh - hash.sh FILE...: what a Content-Security-Policy calls each file, as C macros
# SPDX-License-Identifier: BSD-3-Clause
#
# made/page.js becomes #define DSN_HASH_PAGE_JS "'sha256-<base64>'".
set -eu
for file; do
    name=$(basename "$file" | tr 'a-z.-' 'A-Z__')
    # digits of sha256sum, two by two, as octal escapes: printf of any shell turns them into bytes
    bytes=$(sha256sum <"$file" | awk -v digits=0123456789abcdef '{
        for (i = 1; i < 64; i += 2) {
            high = index(digits, substr($1, i, 1)) - 1
            printf "\\%03o", 16 * high + index(digits, substr($1, i + 1, 1)) - 1
        }
    }')
    printf '#define DSN_HASH_%s "'"'sha256-%s'"'"\n' "$name" "$(printf "$bytes" | base64)"
done
