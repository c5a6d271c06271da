/* gone.h - ranks of this node that will not come to MPI_Finalize any more
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A rank that waits for another one looks now and then whether that one can still come: what it has counted lies in the
 * directory of images, and says which process it is (core/family.h). Of ranks of other nodes, or without images, nothing
 * is known: they are never gone. */
#ifndef DSN_CORE_GONE_H
#define DSN_CORE_GONE_H

#include "core/family.h"

/* Whether this rank of the job has been killed, or has left what it had counted, so that it sends nothing more. Only
 * what is known for sure makes it 1. The ranks' images are looked for less and less often; to ask again for one that
 * was found costs a look at it. */
int dsn__rank_is_gone(int rank);

/* The same of any rank whose image is here. */
int dsn__any_rank_is_gone(void);

#endif
