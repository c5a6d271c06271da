# t-troubleshooting.sh - a missing log has the effects described in doc/troubleshooting.md
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

page=$DSN_SRC/doc/troubleshooting.md
library=$("$DSN_PREFIX/bin/darshan-config" --preload)
mkdir logs

# said VARIABLE...: the messages of a program that writes a file
said() {
    env DARSHAN_VERBOSE=1 DARSHAN_MMAP_LOGPATH="$PWD" LD_PRELOAD="$library" "$@" sh -c "${program:-echo text >written}" 2>&1
}
# quoted TEXT: this is in the page's table, and in the first line of the message (stdin)
quoted() {
    grep -qF -- "$1" "$page" || { echo "not in the page: $1"; return 1; }
    cat >line
    grep -qE -- "$(printf '%s' "$1" | sed 's/\.\.\./.*/; s/[()]/\\&/g')" line || { echo "not said: $1, but: $(cat line)"; return 1; }
}
count() { find logs -name '*.darshan' | wc -l; }

said DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH="$PWD/logs" >out
check 'the log is named' grep -q "^darshan: log: $PWD/logs/.*\.darshan" out
is "$(count)" 1 'and is there'
said DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH="$PWD/none" >out
check 'a missing directory' quoted 'no log of this job: ...: No such file or directory' <out
is "$(DARSHAN_MMAP_LOGPATH=$PWD DARSHAN_LOGPATH=$PWD/logs "$DSN_PREFIX/bin/darshan-recover" --output logs | wc -l),$(count)" 1,2 \
    'darshan-recover writes that log'
said DARSHAN_LOGPATH="$PWD/logs" >out
check 'a program without MPI' quoted 'no log of ...: it has not called MPI_Init, and DARSHAN_ENABLE_NONMPI is not set' <out
said DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH="$PWD/logs" DARSHAN_DISABLE=0 >out
check 'disabled by any value' quoted 'no log of ...: DARSHAN_DISABLE is set' <out
said DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH="$PWD/logs" DARSHAN_APP_EXCLUDE='sh$' >out
check 'excluded' quoted 'no log of ...: it is excluded by DARSHAN_APP_EXCLUDE, and nothing that it has started was recorded' <out
is "$(count)" 2 'no log of either'
said LD_PRELOAD="$PWD/none.so" >out
check 'a library that is not there' quoted "object '...' from LD_PRELOAD cannot be preloaded" <out
for text in 'no log of this job: ' 'Darshan was built without support for this MPI' 'a rank was lost in MPI_Init, or does not have Darshan'; do
    check "the library can say: $text" sh -c 'grep -qF "$1" "$2" && grep -qaF "$1" "$3"' sh "$text" "$page" "$library"
done
program='echo text >written; kill -9 $$'
said DARSHAN_ENABLE_NONMPI=1 DARSHAN_LOGPATH="$PWD/logs" >out
recovered=$(DARSHAN_MMAP_LOGPATH=$PWD "$DSN_PREFIX/bin/darshan-recover" --output logs)
check 'a killed program leaves a log' test -f "$recovered"
check 'which is incomplete' status 1 "$DSN_PREFIX/bin/darshan-parser" "$recovered"
check 'as darshan-parser says' grep -q 'incomplete data' err
check 'and prints it all the same' status 0 "$DSN_PREFIX/bin/darshan-parser" --show-incomplete "$recovered"

finish
