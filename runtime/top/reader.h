/* reader.h - processes that look at what users' programs do, each with the rights of that user
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Survival files are of users' making. Root reads none but its own: it asks a process that has become the user, and that
 * answers in JSON, of which nothing is believed but the user's own doing. */
#ifndef DSN_TOP_READER_H
#define DSN_TOP_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command/as-user.h"
#include "top/report.h"

struct dsn_top_readers {
    /* set by the caller: whether all users but root are looked at, */
    int all;
    uid_t uid; /* else this one */

    struct dsn_top_reader {
        struct dsn_user_process process;
        uid_t uid;
        char user[33];
        int has_files, is_asked;
        int rests;   /* looks until one that did not answer is begun again */
        char *bytes; /* of the answer so far */
        size_t used, room;
    } * *reader;
    size_t n, room;
    const struct dsn_top_watch *like;
    size_t refused;
};

/* Asks all of them to look, those of new users, too; before the look of `like`, which tells what is looked for. 0: there is
 * no memory. */
int dsn__top_readers_ask(struct dsn_top_readers *rs, const struct dsn_top_watch *like);

/* Adds what they saw to the report; who does not answer in time is begun again at the next look, and counted as one that
 * could not be read. */
void dsn__top_readers_answer(struct dsn_top_readers *rs, struct dsn_top_report *r);
void dsn__top_readers_end(struct dsn_top_readers *rs);

#endif
