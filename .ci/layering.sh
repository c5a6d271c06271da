#!/bin/sh
# layering.sh - fails on an #include that climbs: darshan-log-format <- runtime, darshan-log-format <- util, all <- test
# SPDX-License-Identifier: BSD-3-Clause
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

deny darshan-log-format '(.*/)?(runtime|util|test)/'
deny darshan-log-format '(\.\./|(zlib|mpi|hdf5|pnetcdf|stdio|stdlib)\.h)'
deny runtime '(.*/)?(util|test)/'
deny util '(.*/)?(runtime|test)/'
deny share '(.*/)?(runtime|util|test|darshan-log-format)/'
deny runtime '(hdf5|pnetcdf)\.h'
exit $bad
