# t0170-coverage.sh - every function of the libraries that does I/O is wrapped, or is listed with the reason why not
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

# The list is of newer C libraries; older ones have some functions elsewhere, and others that nobody calls.
[ "$(printf '%s\n' 2.36 "$(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" | sort -V | head -n 1)" = 2.36 ] || skip_all 'glibc 2.36'
unseen=$DSN_SRC/runtime/wrap/unseen.list
wrapped=$DSN_BUILD/runtime/symbols.list

# -- which functions do I/O, by their names

cat >looks <<'END'
open|close|read|write|seek|sync|stat|mmap|munmap|mremap|remap|truncat|fallocate|link|rename|mknod|mkfifo|remove
dir|dirent|getdents|sendfile|splice|^tee$|copy_file|dup|fcntl|ioctl|pipe|aio_|lio_|handle_at|pidfd|_fd$
putc|puts|putw|getc|gets|getw|getline|getdelim|print|scanf|ungetc|flush|buf|tell|fgetpos|fsetpos|fileno|purge|^_IO_
tmp|temp|access|chmod|chown|utime|xattr|lockf|flock|advise|ahead|flow|glob|ftw|fts|shm|memfd|perror|psig|^v?err|^v?warn
spawn|socket|accept|epoll|inotify|fanotify|eventfd|timerfd|signalfd|syscall|madvise
END
# families that have such words in their names and nothing to do with files
cat >looks-only <<'END'
^(__)?pthread_|^_?_?(str|wcs|mbs|isw|sched|iconv|gconv|rpc|res|nss)[_a-z0-9]*|^(xdr|svc|clnt|thrd|mtx|cnd|tss|dl|argp|key|sem|mq|timer)_
^sig[a-e]|^clock|^_dl_|^_nss_|^dl|^_?_?dcgettext|gettext$|textdomain$|^__mq_|^xdrmem|^xdrrec|^xdrstdio|^catgets
END
exported() {
    nm -D --defined-only "$1" | awk '$2 ~ /^[TWiV]$/ { sub(/@.*/, "", $3); print $3 }' | sort -u
}
libc=$(ldd "$preload" | awk '$1 ~ /^libc\.so/ { print $3 }')
exported "$libc" | grep -E -f looks | grep -vE -f looks-only >candidates
is "$(grep -cxE 'read|fopen|sendfile|aio_read|ftw|mmap' candidates)" 6 'the C library: functions that do I/O are found'
echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >use.c
mpi_names() {
    "$(compiler use.c)" -o use use.c && ldd ./use | awk '$1 ~ /mpi/ { print $3 }' | while read -r lib; do
        exported "$lib" | grep -E '^MPI_(File_|Register_datarep)'
    done | sort -u >"$MPI.candidates"
    is "$(grep -cxE 'MPI_File_open|MPI_File_write_all' "$MPI.candidates")" 2 "$MPI: functions that do I/O are found"
    cat "$MPI.candidates" >>candidates
}
each_mpi mpi_names
sort -u -o candidates candidates

# -- what is said of them

sed 's/#.*//; /^[[:space:]]*$/d' "$unseen" >reasons
awk 'NF < 2 { print "no reason: " $0 }' reasons >bad
is "$(cat bad)" '' 'every line of the list has a reason'

# unexplained WRAPPED REASONS: candidates that are neither in one nor in the other
unexplained() {
    awk '{ print $1 }' "$2" | sed 's/^?//' | while read -r pattern; do
        echo "$pattern"
    done | sed 's/[.]/\\./g; s/\*/[A-Za-z0-9_]*/g; s/^/^/; s/$/$/' >patterns
    comm -23 candidates "$1" | grep -vE -f patterns
}

# stale WRAPPED REASONS: reasons for nothing, or for what is wrapped
stale() {
    comm -23 candidates "$1" >open-questions
    awk '{ print $1 }' "$2" | while read -r pattern; do
        optional=${pattern#\?}
        expression="^$(echo "$optional" | sed 's/[.]/\\./g; s/\*/[A-Za-z0-9_]*/g')\$"
        if ! grep -qE "$expression" open-questions && { [ "$pattern" = "$optional" ] || grep -qE "$expression" "$1"; }; then
            echo "$pattern"
        fi
    done
}

is "$(unexplained "$wrapped" reasons)" '' 'what does I/O is wrapped or has a reason'
is "$(stale "$wrapped" reasons)" '' 'no reason is stale'

# -- the test itself can fail

grep -vx pread64 "$wrapped" >fewer
is "$(unexplained fewer reasons)" pread64 'a missing wrapper is found'
grep -v '^glob ' reasons >fewer-reasons
is "$(unexplained "$wrapped" fewer-reasons)" glob 'a missing reason is found'
{ cat reasons; echo 'fread reads'; echo 'freed_open reads'; echo '?splice moves'; } >more-reasons
is "$(stale "$wrapped" more-reasons | tr '\n' ' ')" 'fread freed_open ?splice ' 'stale reasons are found'

# -- the page of calls tells all of it

page=$DSN_PREFIX/share/doc/darshan/calls.md
check 'there is a page of calls' test -s "$page"
sed 's/^P\(MPI_.*\)/\1/' "$wrapped" | sort -u | while read -r name; do
    grep -qF "\`$name\`" "$page" || echo "$name"
done >untold
is "$(cat untold)" '' 'the page names every wrapped function'
awk '{ sub(/^\?/, "", $1); print $1 }' reasons | while read -r name; do
    grep -qF "\`$name\`" "$page" || echo "$name"
done >untold
is "$(cat untold)" '' 'the page names every reason'
finish
