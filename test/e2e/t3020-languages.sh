# t3020-languages.sh - Fortran and C++ programs, by their own compiler commands
# SPDX-License-Identifier: BSD-3-Clause
. "$DSN_SRC/test/lib/lib.sh"
. "$DSN_SRC/test/e2e/known.sh"

all_ways() {
    known preload 4 fortran.f90 fortran-units.want
    known linked 4 fortran.f90 fortran-units.want
    known static 4 fortran.f90
    known preload 1 cxx.cc cxx-streams.want
    known linked 1 cxx.cc cxx-streams.want
    known static 1 cxx.cc
}

each_mpi all_ways
finish
