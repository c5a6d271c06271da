/* warn-fortran.c - libdarshan.a: the linker's warning for Fortran programs whose calls the archive cannot see
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * If the Fortran libraries of the MPI and of the compiler are shared, --wrap does not reach the calls inside them. Open
 * MPI's mpifort then links the tool dynamically (share/openmpi-fc.in), but build systems that ask it for its flags,
 * such as CMake, call the compiler themselves. With those flags the linker finds these forwarding functions, whose
 * sections contain the text of its warning. */
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

/* Open MPI 5's Fortran library calls this one, too. Weak, for a program that calls it itself gets the wrapper. */
extern int __real_PMPI_Session_init(void *info, void *handler, void *session) __attribute__((weak));
DSN_EXPORT int __wrap_PMPI_Session_init(void *info, void *handler, void *session) __attribute__((weak));
DSN_EXPORT int __wrap_PMPI_Session_init(void *info, void *handler, void *session)
{
    return __real_PMPI_Session_init(info, handler, session);
}
