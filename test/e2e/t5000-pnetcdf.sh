# t5000-pnetcdf.sh - PnetCDF in every shape: exact counters in every way
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

MPI=openmpi
have_mpi openmpi || skip_all 'MPI: openmpi'
[ -n "$PNETCDF_LIBS" ] || skip_all 'package libpnetcdf-dev'
for way in preload linked static; do
    known $way 4 nc-basic.c $PNETCDF_CFLAGS $PNETCDF_LIBS
done

# PnetCDF as an archive, which is searched before the tool
echo 'int main(void) { return 0; }' >empty.c
if cc -o empty empty.c -l:libpnetcdf.a 2>/dev/null; then
    known static 4 nc-basic.c $PNETCDF_CFLAGS -l:libpnetcdf.a -lm
else
    skip 'PnetCDF as an archive' 'libpnetcdf.a'
fi

# all names that the library has of the calls that move data are wrapped, and no others
"$OPENMPI_CC" -E -P $PNETCDF_CFLAGS -include pnetcdf.h -x c /dev/null |
    grep -oE 'ncmpi_(get|put|iget|iput|bput)_var[1asmnd]?(_[a-z]+)?(_all)?\(' | tr -d '(' | sort -u >theirs
grep -E '^ncmpi_(get|put|iget|iput|bput)_var' "$DSN_BUILD/runtime/symbols.list" | sort -u >ours
check 'the names are those of the header' alike theirs ours
is "$(grep -c '^ncmpi_' "$DSN_BUILD/runtime/symbols.list")" 561 'names of PnetCDF'
finish
