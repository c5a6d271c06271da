# t-switch.sh - sourcing darshan-on.sh and darshan-off.sh changes the environment and changes it back, in every shell
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"

share=$DSN_PREFIX/share/darshan
list='env | grep -v -e "^_=" -e "^PWD=" | sort'

# shell TEXT: runs TEXT in $sh, without this test's own settings
shell() {
    env -u OMPI_LDFLAGS -u OMPI_FC -u MPICC_PROFILE -u MPICXX_PROFILE -u MPIFORT_PROFILE -u MPIF77_PROFILE -u MPIF90_PROFILE \
        "$sh" -c "$1" 2>&1
}

for sh in sh dash bash zsh; do
    command -v $sh >/dev/null 2>&1 || { skip $sh "shell $sh"; continue; }
    is "$(shell "$list >before; . $share/darshan-on.sh; . $share/darshan-off.sh; $list | diff before -")" '' \
        "$sh: on, off: as before"
    is "$(shell "$list >before; . $share/darshan-on.sh; . $share/darshan-on-static.sh; . $share/darshan-on.sh
        . $share/darshan-off.sh; $list | diff before -")" '' "$sh: dynamic, static, dynamic, off: as before"
    is "$(shell "set -eu; $list >before; . $share/darshan-on.sh; . $share/darshan-off.sh; $list | diff before -")" '' \
        "$sh: with set -eu"
    is "$(shell "OMPI_LDFLAGS='-L/a  b'; MPICC_PROFILE=; export OMPI_LDFLAGS MPICC_PROFILE; $list >before
        . $share/darshan-on.sh; case \$OMPI_LDFLAGS in '-L/a b '*-ldarshan*) ;; *) echo \"lost: \$OMPI_LDFLAGS\" ;; esac
        . $share/darshan-off.sh; $list | diff before -")" '' "$sh: what the user had set comes back"
    is "$(shell ". $share/darshan-on.sh; MPICC_PROFILE=mine; . $share/darshan-off.sh; echo \$MPICC_PROFILE")" mine \
        "$sh: what the user sets in between stays"
    is "$(shell ". $share/darshan-on.sh; PATH=/first:\$PATH:/last; . $share/darshan-off.sh; PATH=/usr/bin:/bin; $list" |
        grep -c -i darshan-on)" 0 "$sh: nothing of it is left"
    is "$(shell "was=\$PATH; . $share/darshan-on.sh; PATH=/first:\$PATH:/last; . $share/darshan-off.sh
        [ \"\$PATH\" = \"/first:\$was:/last\" ] || echo \"\$PATH\"")" '' "$sh: only our own entry leaves PATH"
    is "$(shell ". $share/darshan-on.sh; $sh -c '. $share/darshan-off.sh; echo \${OMPI_LDFLAGS-gone}'")" gone \
        "$sh: off in a shell below"
    is "$(shell ". $share/darshan-off.sh; echo \$?")" 0 "$sh: off without on"
    is "$(shell ". $share/darshan-on.sh; command -v darshan-config")" "$DSN_PREFIX/bin/darshan-config" \
        "$sh: the commands are in PATH"
done

# the modulefile
modulecmd=$(ls /usr/lib/*/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl /usr/libexec/modulecmd.tcl 2>/dev/null | head -n 1)
if [ -n "$modulecmd" ]; then
    sh=sh
    load="eval \"\$($modulecmd sh load darshan 2>err)\""
    unload="eval \"\$($modulecmd sh unload darshan 2>err)\""
    MODULEPATH=$share/modulefiles
    export MODULEPATH
    strip="grep -v -e '^_LMFILES_' -e '^LOADEDMODULES' -e '^__MODULES' -e '^MODULE' -e '^_=' -e '^PWD=' -e '^SHLVL='"
    is "$(shell "$load; cat err; echo \$OMPI_LDFLAGS; echo \$MPICC_PROFILE")" \
        "$("$DSN_PREFIX/bin/darshan-config" --openmpi-ldflags)
$share/mpi-profile/darshan-cc" 'module load'
    is "$(shell "OMPI_LDFLAGS=-L/mine; export OMPI_LDFLAGS; env | $strip | sort >before; $load; $unload; cat err
        env | $strip | sort | diff before -")" '' 'module unload: as before'
    is "$(shell "OMPI_LDFLAGS=-L/mine; export OMPI_LDFLAGS; $load
        case \$OMPI_LDFLAGS in '-L/mine '*-ldarshan*) ;; *) echo \"\$OMPI_LDFLAGS\" ;; esac")" '' \
        'module load adds to what the user had set'
else
    skip 'modulefile' 'package environment-modules'
fi
finish
