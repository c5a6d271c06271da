/* reader.h - child processes that sample users' processes, each with the rights of its user
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Survival files are written by users. Root only reads its own: for other users it asks a child process that has become
 * that user and answers in JSON, which is accepted only for that user's own processes. */
#ifndef DSN_TOP_READER_H
#define DSN_TOP_READER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/as-user.h"
#include "top/report.h"

struct dsn_top_readers {
    /* set by the caller: sample all users except root, */
    int all;
    uid_t uid; /* or only this one */

    struct dsn_top_reader {
        struct dsn_user_process process;
        uid_t uid;
        char user[33];
        int has_files, is_asked;
        int rests;   /* samples until a reader that did not answer is restarted */
        char *bytes; /* of the answer so far */
        size_t used, room;
    } * *reader;
    size_t n, room;
    const struct dsn_top_watch *like;
    size_t refused;
};

/* Requests a sample from all readers, starting those of new users; call before the sample of `like`, which has the
 * selection. 0: no memory. */
int dsn__top_readers_ask(struct dsn_top_readers *rs, const struct dsn_top_watch *like);

/* Adds the answers to the report; a reader that does not answer in time is restarted at the next sample, and counted as
 * an unreadable process. */
void dsn__top_readers_answer(struct dsn_top_readers *rs, struct dsn_top_report *r);
void dsn__top_readers_end(struct dsn_top_readers *rs);

#endif
