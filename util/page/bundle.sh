#!/bin/sh
# bundle.sh - bundle.sh DIRECTORY: makes DIRECTORY/charts.min.js and DIRECTORY/charts-licenses.txt by npm and esbuild
# SPDX-License-Identifier: BSD-3-Clause
#
# Packages are those of package-lock.json, to the byte; they are put into DIRECTORY/npm, never beside the sources. None
# of their scripts is run.
set -eu
[ $# = 1 ] || { echo "usage: bundle.sh DIRECTORY" >&2; exit 2; }
src=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/npm"
out=$(cd "$1" && pwd)
cd "$out/npm"
cp "$src/package.json" "$src/package-lock.json" "$src/.npmrc" "$src/charts.js" .

if ! npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --loglevel=error >npm.log 2>&1; then
    tail -n 3 npm.log >&2
    echo "bundle.sh: npm could not fetch the charts' packages: pages of reports come with tables alone (make clean, then make tries again)" >&2
    exit 1
fi
{
    echo '/*! Apache ECharts (Apache License 2.0), zrender (BSD-3-Clause) and tslib (0BSD): see charts-licenses.txt */'
    node_modules/.bin/esbuild charts.js --bundle --minify --format=iife --target=es2020 --legal-comments=none \
        --log-level=warning
} >charts.min.js
# The page has this inside of a script element.
if grep -qi -e '</script' -e '<!--' charts.min.js; then
    echo "bundle.sh: the bundle would end the element that it stands in" >&2
    exit 1
fi
{
    for file in echarts/NOTICE echarts/LICENSE zrender/LICENSE tslib/LICENSE.txt; do
        printf '%s\n\n' "==== $file"
        cat "node_modules/$file"
        echo
    done
} >charts-licenses.txt
mv charts-licenses.txt charts.min.js "$out"
