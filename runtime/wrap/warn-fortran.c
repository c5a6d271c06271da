/* warn-fortran.c - in libdarshan.a: what the linker says of a Fortran program in which the archive would see nothing
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the Fortran libraries of the MPI and of the compiler are shared, what a program calls of them is out of reach
 * of --wrap. Open MPI's mpifort links the tool dynamically then (share/openmpi-fc.in), but build systems that ask it
 * for its flags, as CMake does, call the compiler themselves. Those flags let the linker find these functions, which
 * only go on; the sections say what it warns of. */
#include <config.h>

#include "wrap/wrap.h"

#define WARNING                                                                                                        \
    "this Fortran program is linked without Darshan, which as an archive cannot see into shared Fortran libraries: "   \
    "source darshan-on.sh instead of darshan-on-static.sh"

#define PASSES_ON(name, parameters, arguments)                                                                         \
    static const char warning_##name[] __attribute__((used, section(".gnu.warning.__wrap_" #name))) = WARNING;         \
    extern void __real_##name parameters __attribute__((weak));                                                        \
    DSN_EXPORT void __wrap_##name parameters;                                                                          \
    DSN_EXPORT void __wrap_##name parameters                                                                           \
    {                                                                                                                  \
        __real_##name arguments;                                                                                       \
    }

PASSES_ON(mpi_init_, (int *error), (error))
PASSES_ON(mpi_init_f08_, (int *error), (error))
PASSES_ON(mpi_init_thread_, (const int *required, int *provided, int *error), (required, provided, error))
PASSES_ON(mpi_init_thread_f08_, (const int *required, int *provided, int *error), (required, provided, error))
