# properties.sh - verifies that this machine lacks what skips name; to be sourced by test/run
# SPDX-License-Identifier: BSD-3-Clause

# installed NAME...: are these Debian packages installed? Other words, such as "and", are ignored.
installed() {
    command -v dpkg-query >/dev/null 2>&1 || return 1
    for installed_name; do
        case $installed_name in and | package | packages | the) continue ;; esac
        [ "$(dpkg-query -W -f='${db:Status-Status}' "${installed_name%,}" 2>/dev/null)" = installed ] || return 1
    done
}

# has_property PROPERTY: is the machine known to have it, so that a skip for lack of it hides a breakage? Says no if
# that cannot be determined. The results of configure only apply to a tree built by test/run ($given is empty).
has_property() {
    case $1 in
    *', when it was configured') [ -z "${given:-}" ] && installed ${1%, when it was configured} ;;
    *' or '* | *'('*npm*) return 1 ;;
    package* | 'the package '*) installed $1 ;;
    'command '* | 'shell '*) command -v "${1#* }" >/dev/null 2>&1 ;;
    'MPI: openmpi' | 'MPI: mpich') command -v "mpicc.${1#MPI: }" >/dev/null 2>&1 ;;
    openmpi | mpich) command -v "mpicc.$1" >/dev/null 2>&1 ;;
    'another user than root') [ "$(id -u)" != 0 ] ;;
    'rights of root') [ "$(id -u)" = 0 ] ;;
    'rights of root, setpriv'* | 'setpriv (util-linux), for root' | 'root, and setpriv') [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null 2>&1 ;;
    'right to mount' | 'the right to mount'*) unshare -m mount -t tmpfs none /mnt 2>/dev/null ;;
    'kernel: seccomp') grep -q '^Seccomp:' /proc/self/status ;;
    'processor: x86_64 or aarch64') case $(uname -m) in x86_64 | aarch64) ;; *) return 1 ;; esac ;;
    'processor: x86_64') [ "$(uname -m)" = x86_64 ] ;;
    *) return 1 ;;
    esac
}
