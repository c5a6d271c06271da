/* fsstats.c - darshan-fsstats: sizes, ages and owners of the files below a directory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "util/lib/emit.h"
#include "util/command/common.h"
#include "command-line/options.h"
#include "measure/fsstats/walk.h"

#define COMMAND     "darshan-fsstats"
#define MAX_THREADS 64
#define TOP_OWNERS  10

enum { OPT_JSON = 1, OPT_THREADS, OPT_CROSS, OPT_WITHOUT };

static const struct dsn_option options[] = {
    { "json", NULL, "print JSON, for `darshan-accounting import fsstats`", OPT_JSON },
    { "threads", "N", "use N threads (twice the number of processors)", OPT_THREADS },
    { "cross-mounts", NULL, "enter file systems mounted below", OPT_CROSS },
    { "without-owner", "UID", "leave out the files of this user", OPT_WITHOUT },
};

static const struct dsn_command command = { COMMAND,
                                            "[options] DIRECTORY",
                                            "Prints the numbers of files below a directory by size, age and owner.",
                                            options,
                                            sizeof options / sizeof options[0],
                                            NULL };

static const struct {
    const char *name, *title, *unit;
} histograms[DSN_NHISTOGRAMS] = {
#define H(symbol, name, title, unit) { name, title, unit },
#include "measure/fsstats/histograms.def"
#undef H
};

struct settings {
    int json;
    struct dsn_tree_walk walk;
};

static int take_option(void *context, int value, const char *argument)
{
    struct settings *s = context;
    int64_t n;

    if (value == OPT_JSON)
        s->json = 1;
    else if (value == OPT_CROSS)
        s->walk.cross = 1;
    else if (value == OPT_WITHOUT && dsn_number(argument, 0, &n) && n <= UINT32_MAX)
        s->walk.has_without = 1, s->walk.without = (uint32_t)n;
    else if (value == OPT_WITHOUT)
        return 0;
    else if (dsn_number(argument, 1, &n) && n <= MAX_THREADS)
        s->walk.threads = (int)n;
    else
        return 0;
    return 1;
}

static void show_progress(int64_t seen)
{
    fprintf(stderr, "\r%" PRId64 " entries\033[K", seen);
}

/* ------------------------------------------------------------------ JSON */

static void print_bins(struct dsn_text *out, const struct dsn_bin *bin)
{
    const char *between = "";

    for (int i = 0; i < DSN_NBINS; i++) {
        if (bin[i].count == 0)
            continue;
        dsn_text_printf(out, "%s[%d, %" PRId64 ", %" PRId64 "]", between, i, bin[i].count, bin[i].bytes);
        between = ", ";
    }
}

static void print_owners(struct dsn_text *out, const char *name, const struct dsn_owners *o)
{
    dsn_text_printf(out, ",\n  \"%s\": [", name);
    for (size_t i = 0; i < o->n; i++)
        dsn_text_printf(out, "%s[%" PRIu32 ", %" PRId64 ", %" PRId64 "]", i ? ", " : "", o->owners[i].id,
                        o->owners[i].files, o->owners[i].bytes);
    dsn_text_string(out, "]");
}

static void print_json(struct dsn_text *out, const struct dsn_tally *t, const char *root, const char *largest)
{
    dsn_text_string(out, "{\n  \"format\": \"" COMMAND " 1\",\n  \"directory\": ");
    dsn_emit_quoted(out, DSN_EMIT_JSON, root, strlen(root));
    dsn_text_printf(out,
                    ",\n  \"time\": %" PRId64 ",\n  \"files\": %" PRId64 ",\n  \"directories\": %" PRId64
                    ",\n  \"others\": %" PRId64 ",\n  \"bytes\": %" PRId64 ",\n  \"space\": %" PRId64
                    ",\n  \"names_of_linked_files\": %" PRId64 ",\n  \"mounts_not_entered\": %" PRId64
                    ",\n  \"vanished\": %" PRId64 ",\n  \"unreadable\": %" PRId64 ",\n  \"histograms\": {",
                    t->now, t->files, t->directories, t->others, t->bytes, t->space, t->linked, t->mounts, t->vanished,
                    t->unreadable);
    for (int h = 0; h < DSN_NHISTOGRAMS; h++) {
        dsn_text_printf(out, "%s\n    \"%s\": [", h ? "," : "", histograms[h].name);
        print_bins(out, t->bin[h]);
        dsn_text_string(out, "]");
    }
    dsn_text_string(out, "\n  }");
    print_owners(out, "owners", &t->users);
    print_owners(out, "groups", &t->groups);
    print_owners(out, "projects", &t->projects);
    if (t->largest >= 0) {
        dsn_text_string(out, ",\n  \"largest\": {\"path\": ");
        dsn_emit_quoted(out, DSN_EMIT_JSON, largest, strlen(largest));
        dsn_text_printf(out, ", \"bytes\": %" PRId64 ", \"owner\": %" PRIu32 "}", t->largest, t->largest_owner);
    }
    dsn_text_string(out, "\n}\n");
}

/* ------------------------------------------------------------------ text */

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

/* Cumulative, from the smallest bin on. */
static void print_histogram(struct dsn_text *out, const struct dsn_bin *bin, int h)
{
    int64_t count = 0, bytes = 0, all = 0, all_bytes = 0;
    const int has_bytes = h != DSN_H_NAME && h != DSN_H_ENTRIES;

    for (int i = 0; i < DSN_NBINS; i++) {
        all += bin[i].count;
        all_bytes += bin[i].bytes;
    }
    dsn_text_printf(out, "\n%s (%s below)%*s number  to here%s\n", histograms[h].title, histograms[h].unit,
                    (int)(27 - strlen(histograms[h].title) - strlen(histograms[h].unit)), "",
                    has_bytes ? "              bytes  to here" : "");
    for (int i = 0; i < DSN_NBINS; i++) {
        if (bin[i].count == 0)
            continue;
        count += bin[i].count;
        bytes += bin[i].bytes;
        dsn_text_printf(out, "%20" PRIu64 " %22" PRId64 " %6.2f %%", i < 64 ? (uint64_t)1 << i : UINT64_MAX,
                        bin[i].count, percent(count, all));
        if (has_bytes)
            dsn_text_printf(out, " %18" PRId64 " %6.2f %%", bin[i].bytes, percent(bytes, all_bytes));
        dsn_text_string(out, "\n");
    }
}

static int by_bytes(const void *a, const void *b)
{
    const struct dsn_owner_sum *x = a, *y = b;

    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes) : (x->id > y->id) - (x->id < y->id);
}

static void print_most(struct dsn_text *out, const struct dsn_tally *t, const char *what, const struct dsn_owners *o)
{
    dsn_text_printf(out, "\n%s with most bytes%*s  share           files                bytes\n", what,
                    20 - (int)strlen(what), "");
    for (size_t i = 0; i < o->n && i < TOP_OWNERS; i++)
        dsn_text_printf(out, "%35" PRIu32 " %5.1f %% %15" PRId64 " %20" PRId64 "\n", o->owners[i].id,
                        percent(o->owners[i].bytes, t->bytes), o->owners[i].files, o->owners[i].bytes);
}

static void print_text(struct dsn_text *out, const struct dsn_tally *t, const char *root, const char *largest)
{
    dsn_text_untrusted(out, root, strlen(root));
    dsn_text_printf(out,
                    ": %" PRId64 " files, %" PRId64 " directories, %" PRId64 " others\n%" PRId64
                    " bytes, taking %" PRId64 " bytes of space\n",
                    t->files, t->directories, t->others, t->bytes, t->space);
    if (t->largest >= 0) {
        dsn_text_printf(out, "the largest, of %" PRId64 " bytes, is of user %" PRIu32 ": ", t->largest,
                        t->largest_owner);
        dsn_text_untrusted(out, largest, strlen(largest));
        dsn_text_string(out, "\n");
    }
    if (t->linked > 0)
        dsn_text_printf(out, "%" PRId64 " names are of files with several names; such a file counts once per name\n",
                        t->linked);
    if (t->mounts > 0)
        dsn_text_printf(out, "%" PRId64 " other file systems not entered\n", t->mounts);
    if (t->vanished > 0)
        dsn_text_printf(out, "%" PRId64 " disappeared before they were examined\n", t->vanished);
    for (int h = 0; h < DSN_NHISTOGRAMS; h++)
        print_histogram(out, t->bin[h], h);
    print_most(out, t, "Owners", &t->users);
    print_most(out, t, "Groups", &t->groups);
    if (t->projects.n > 0)
        print_most(out, t, "Projects", &t->projects);
}

static int print(const struct settings *s, struct dsn_tally *t, const char *root)
{
    char largest[2 * PATH_MAX];
    struct dsn_text out;
    int rc;

    snprintf(largest, sizeof largest, "%s/%s", strcmp(s->walk.root, "/") == 0 ? "" : s->walk.root, t->largest_path);
    if (!dsn_text_init(&out, STDOUT_FILENO)) {
        fprintf(stderr, COMMAND ": out of memory\n");
        return 1;
    }
    out.safe = isatty(STDOUT_FILENO);
    if (t->users.n > 0)
        qsort(t->users.owners, t->users.n, sizeof *t->users.owners, by_bytes);
    if (t->groups.n > 0)
        qsort(t->groups.owners, t->groups.n, sizeof *t->groups.owners, by_bytes);
    if (t->projects.n > 0)
        qsort(t->projects.owners, t->projects.n, sizeof *t->projects.owners, by_bytes);
    if (s->json)
        print_json(&out, t, root, largest);
    else
        print_text(&out, t, root, largest);
    rc = dsn_end_output(&out, COMMAND);
    dsn_text_free(&out);
    return rc;
}

/* Raises the limit, because nested directories are open at the same time. */
static void allow_descriptors(void)
{
    struct rlimit most;

    if (getrlimit(RLIMIT_NOFILE, &most) != 0)
        return;
    most.rlim_cur = most.rlim_max;
    setrlimit(RLIMIT_NOFILE, &most);
}

static int walk_and_print(struct settings *s, const char *directory)
{
    struct dsn_tally total;
    char *root = realpath(directory, NULL), *named = NULL;
    const char *shown;
    int error, rc = 1;

    if (!root) {
        dsn_warn(COMMAND, directory, "cannot be scanned: %s; check its name and permissions", strerror(errno));
        return 1;
    }
    allow_descriptors();
    dsn_tally_init(&total, time(NULL));
    s->walk.root = root;
    if (s->walk.has_without && asprintf(&named, "%s (without user %" PRIu32 ")", root, s->walk.without) < 0)
        named = NULL;
    shown = named ? named : root; /* another series of snapshots than that of all files */
    error = dsn_tree_walk(&s->walk, &total);
    if (s->walk.progress)
        fputs("\r\033[K", stderr);
    if (error != 0)
        dsn_warn(COMMAND, directory, "cannot be scanned: %s", strerror(error));
    else
        rc = print(s, &total, shown);
    if (error == 0 && total.unreadable > 0) {
        dsn_warn(COMMAND, total.unreadable_path,
                 "cannot be read: %s; so could not %" PRId64 " in all, which are left out",
                 strerror(total.unreadable_error), total.unreadable);
        rc = 1;
    }
    dsn_tally_free(&total);
    free(named);
    free(root);
    return rc;
}

int main(int argc, char **argv)
{
    struct settings s = { .walk = { .progress = isatty(STDERR_FILENO) ? show_progress : NULL } };
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int rc;

    dsn_begin();
    s.walk.threads = processors < 1 ? 2 : processors > MAX_THREADS / 2 ? MAX_THREADS : 2 * (int)processors;
    rc = dsn_options(&command, argc, argv, take_option, &s);
    if (rc >= 0)
        return rc;
    if (optind != argc - 1)
        return dsn_usage(&command, optind < argc ? "give one directory" : "no directory given");
    return walk_and_print(&s, argv[optind]);
}
