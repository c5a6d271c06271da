/* add-participants.c - adds what other processes have left to the participants of a log, ordered by start time
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/add-participants.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/sort.h"
#include "config/who.h"
#include "survive/exit-record.h"

static int by_start(const void *a, const void *b)
{
    const struct dsn_who *x = (*(struct dsn_exit_record *const *)a)->who,
                         *y = (*(struct dsn_exit_record *const *)b)->who;

    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    if (x->member.number != y->member.number)
        return x->member.number < y->member.number ? -1 : 1;
    if ((*(struct dsn_exit_record *const *)a)->is_of_survival_file !=
        (*(struct dsn_exit_record *const *)b)->is_of_survival_file)
        return (*(struct dsn_exit_record *const *)b)->is_of_survival_file ? -1 : 1;
    return (*(struct dsn_exit_record *const *)a)->order < (*(struct dsn_exit_record *const *)b)->order ? -1 : 1;
}

/* Without memory they stay unsorted. */
void dsn__participants_sort(struct dsn_participants *participants)
{
    struct dsn_exit_record **at = &participants->exit_records, **all;
    size_t n = 0;

    for (const struct dsn_exit_record *record = participants->exit_records; record; record = record->next)
        n++;
    all = dsn__bump(&participants->memory, (n + 1) * sizeof all[0]);
    if (!all)
        return;
    n = 0;
    for (struct dsn_exit_record *record = participants->exit_records; record; record = record->next) {
        record->order = n;
        all[n++] = record;
    }
    dsn__sort(all, n, sizeof all[0], by_start);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && dsn__is_twice(all[i]->who, all[i + 1]->who))
            continue;
        *at = all[i];
        at = &all[i]->next;
    }
    *at = NULL;
}

bool dsn__participants_add_survival_file(struct dsn_participants *participants, const char *survival_file,
                                         const void *packed, size_t size)
{
    const size_t n = strlen(survival_file) + 1;
    struct dsn_leftover_file *i = dsn__bump(&participants->memory, sizeof *i + n);
    struct dsn_exit_record *before = participants->exit_records;

    if (i)
        dsn__exit_records_of(packed, size, &participants->exit_records, &participants->memory);
    if (!i || participants->exit_records == before)
        return false;
    participants->exit_records->next = before;
    participants->exit_records->is_of_survival_file = 1;
    i->pid = participants->exit_records->who->member.number;
    memcpy(i->path, survival_file, n);
    i->next = participants->survival_files;
    participants->survival_files = i;
    return true;
}

void dsn__participants_remove(const struct dsn_participants *participants, int64_t pid, int others)
{
    for (const struct dsn_leftover_file *i = participants->survival_files; i; i = i->next)
        if ((i->pid == pid) != others)
            unlink(i->path);
}

void dsn__participants_add_exit_records(struct dsn_participants *participants, const char *path)
{
    struct dsn_exit_record **last = &participants->exit_records;

    while (*last)
        last = &(*last)->next;
    participants->are_unread |= !dsn__exit_records_read(path, last, &participants->memory);
}
