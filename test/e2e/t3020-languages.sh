# t3020-languages.sh - Fortran and C++ programs, built by their compiler wrappers
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    known preload 4 fortran.f90 fortran-units.want
    known linked 4 fortran.f90 fortran-units.want
    known preload 1 phases-fortran.f90 "-L$DSN_PREFIX/lib" -ldarshan-phase
    known preload 1 cxx.cc cxx-streams.want
    known linked 1 cxx.cc cxx-streams.want
    known static 1 cxx.cc
}

each_mpi all_ways

# Fortran's MPI_Init is a call inside of shared libraries where the MPI is shared; wholly static programs are the case
# where libdarshan.a is needed.
static_mpi() {
    echo 'program p; use mpi; integer e; call MPI_Init(e); call MPI_Finalize(e); end program' >probe.f90
    if have_mpi mpich && MPI=mpich build plain probe probe.f90 -static 2>/dev/null; then
        known static 4 fortran.f90 -static fortran-units.want
        known static 4 mpiio-basic.c -static mpiio-below.want
    else
        skip 'wholly static programs' 'MPI: mpich as an archive that links statically'
    fi
}
MPI=mpich
static_mpi
finish
