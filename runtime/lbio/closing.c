/* closing.c - what `lbio run` says at its end: what was logged on this node, and what was not, and why
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/closing.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/shown.h"

static const char *const reasons[LBIO_REASONS] = {
    [LBIO_IS_SHARED] = "one that several processes had open",
    [LBIO_OPENED_SO] = "one opened with O_APPEND, O_SYNC, O_DSYNC or O_DIRECT",
    [LBIO_IS_STANDARD] = "one that was standard output (descriptors 0, 1 and 2)",
    [LBIO_IS_MAPPED] = "a mapped one",
    [LBIO_IS_LOCKED] = "a locked one, which those of HDF5 are without HDF5_USE_FILE_LOCKING=FALSE",
    [LBIO_BY_STREAM] = "one of a stream that appends, is reopened, has wide characters or is dprintf's",
    [LBIO_BY_ASYNC] = "one of a process with asynchronous I/O",
    [LBIO_IS_REMOVED] = "one that was removed while it was open",
    [LBIO_NO_ROOM] = "one for which there was no log or no descriptor",
};

int lbio__closing_create(const char *directory, char *path, size_t size)
{
    char full[PATH_MAX];
    int fd = -1;

    if (realpath(directory, full) && (size_t)snprintf(path, size, "%s/.lbio-run.XXXXXX", full) < size)
        fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

/* What all processes have logged; the times are those of the one whose data took longest to write. */
static void add_figures(struct lbio_counts *all, const struct lbio_counts *one)
{
    all->writes += one->writes;
    all->bytes += one->bytes;
    all->incomplete_files += one->incomplete_files;
    for (int i = 0; i < LBIO_REASONS; i++)
        all->direct[i] += one->direct[i];
    if (one->replay_seconds > all->replay_seconds) {
        all->replay_seconds = one->replay_seconds;
        all->wait_seconds = one->wait_seconds + one->drain_seconds;
    }
}

static void print_not_logged(const struct lbio_counts *all, FILE *to)
{
    const char *before = ". Written directly: ";

    for (int i = 0; i < LBIO_REASONS; i++)
        if (all->direct[i] > 0) {
            fprintf(to, "%s%s", before, reasons[i]);
            if (all->direct[i] > 1)
                fprintf(to, " (%llu times)", (unsigned long long)all->direct[i]);
            before = "; ";
        }
}

/* In a regular expression a star repeats what comes before it. */
static int looks_like_glob(const char *pattern)
{
    for (const char *at = strchr(pattern, '*'); at; at = strchr(at + 1, '*'))
        if (at == pattern || strchr("/_-", at[-1]))
            return 1;
    return 0;
}

void lbio__closing_print(const char *path, const char *pattern, FILE *to)
{
    struct lbio_counts all = { 0 };
    struct lbio_figures f;
    FILE *from = fopen(path, "re");
    uint64_t direct = 0;

    while (from && fread(&f, sizeof f, 1, from) == 1 && f.size == sizeof f)
        add_figures(&all, &f.counts);
    if (from)
        fclose(from);
    unlink(path);
    for (int i = 0; i < LBIO_REASONS; i++)
        direct += all.direct[i];
    if (all.writes > 0) {
        const double hidden = all.replay_seconds - all.wait_seconds;
        const int is_small = all.bytes < 1048576;

        fprintf(to, "lbio: logged on this node: %llu write%s, %.1f %s; writing them to the files took %.2f s",
                (unsigned long long)all.writes, all.writes == 1 ? "" : "s",
                (double)all.bytes / (is_small ? 1024 : 1048576), is_small ? "KiB" : "MiB", all.replay_seconds);
        fprintf(to, ", %.2f s of it beside the program", hidden > 0 ? hidden : 0);
        if (all.incomplete_files > 0)
            fputs("; what is left in the logs goes to the files by lbio recover --all", to);
    } else if (direct > 0) {
        fputs("lbio: nothing was logged on this node", to);
    } else {
        fputs("lbio: nothing was logged on this node: no process of a dynamically linked program opened a file that "
              "matches '",
              to);
        dsn__put_shown(to, pattern);
        fprintf(to, "'%s and wrote to it",
                looks_like_glob(pattern) ? ", a regular expression (.* where a shell has *)," : "");
    }
    print_not_logged(&all, to);
    fputc('\n', to);
}
