# packages.sh - installs missing packages of share/packages, or says what to install; to be sourced
# SPDX-License-Identifier: BSD-3-Clause

# need_packages FILE WHO...: ensures that the packages that FILE lists for WHO (build, checkout, test, cluster) are installed;
# those needed for a command only if that is missing. As root it runs apt-get, otherwise it prints the command and
# returns 1. On a system without dpkg, configure reports what is missing.
need_packages() {
    np_file=$1
    shift
    command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 || return 0
    np_missing=
    while read -r np_name np_who np_rest; do
        case $np_name in ''|'#'*) continue ;; esac
        case " $* " in *" $np_who "*) ;; *) continue ;; esac
        case $np_name in
        *=*)
            command -v "${np_name%%=*}" >/dev/null 2>&1 && continue
            np_name=${np_name#*=}
            ;;
        esac
        case $(dpkg-query -W -f='${db:Status-Status}' "$np_name" 2>/dev/null) in
        installed) ;;
        *) np_missing="$np_missing $np_name" ;;
        esac
    done <"$np_file"
    [ -n "$np_missing" ] || return 0

    if [ "$(id -u)" != 0 ]; then
        echo "These packages are missing. Have root run this, then try again:" >&2
        echo "    apt-get install --yes --no-install-recommends$np_missing" >&2
        return 1
    fi
    echo "installing:$np_missing"
    np_log=$(mktemp) || return 1
    # Daemons of the cluster's packages are for its nodes: none is started here.
    np_policy=
    case " $* " in
    *' cluster '*) [ -e /usr/sbin/policy-rc.d ] || { np_policy=/usr/sbin/policy-rc.d && printf '#!/bin/sh\nexit 101\n' >$np_policy && chmod +x $np_policy; } ;;
    esac
    # A new system has no package lists, or outdated ones: fetches them if the first attempt fails.
    if np_install $np_missing >"$np_log" 2>&1 ||
        { DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 update >>"$np_log" 2>&1 && np_install $np_missing >>"$np_log" 2>&1; }; then
        rm -f "$np_log" $np_policy
        return 0
    fi
    [ -z "$np_policy" ] || rm -f $np_policy
    echo "apt-get failed. Its last words:" >&2
    tail -n 20 "$np_log" >&2
    rm -f "$np_log"
    return 1
}

# Waits for another apt-get, such as that of the daily upgrade.
np_install() {
    DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install --yes --no-install-recommends "$@" </dev/null
}
