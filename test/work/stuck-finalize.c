/* stuck-finalize.c - a library whose MPI_Finalize never returns
 * SPDX-License-Identifier: BSD-3-Clause */
#include <unistd.h>

int MPI_Finalize(void);
int MPI_Finalize(void)
{
    for (;;)
        pause();
}
