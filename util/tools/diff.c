/* diff.c - darshan-diff: differences between the counters of two logs
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The output is parsed by scripts: spec parser-output.md 7. */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/command/common.h"
#include "command-line/options.h"
#include "place.h"
#include "util/lib/emit.h"
#include "util/lib/grow.h"
#include "util/lib/idmap.h"

#define COMMAND "darshan-diff"

static const struct dsn_command command = {
    COMMAND, "LOG1 LOG2", "Prints the differences between the job and the counters of two Darshan logs.", NULL, 0, NULL
};

/* A record in memory. */
struct item {
    uint32_t order; /* position of its id in the output */
    uint8_t module;
    int64_t rank;
    size_t nth; /* in the log */
    struct dsn_rec *rec;
    struct dsn_tail tail;
};

struct log {
    const char *file;
    struct darshan_reader *log;
    struct item *items;
    size_t n, room;
    int sync;                          /* APMPI: rows of role SYNC were measured */
    struct darshan_reader_error first; /* of reading */
    int nerrors;
};

struct run {
    struct log log[2];
    struct dsn__idmap ids;      /* position of each id in the output */
    uint32_t nids, nfirst;      /* ids; those of the first log */
    uint64_t told;              /* bit i: a difference of module i's versions was reported */
    struct dsn_text out, lines; /* lines: of one record, in a memory file */
};

static int fail(struct log *l, int code)
{
    if (l->nerrors++ == 0) {
        l->first.code = code;
        snprintf(l->first.text, sizeof l->first.text, "%s", dsn_err_text(code));
    }
    return 0;
}

/* ------------------------------------------------------------------ reading */

/* A copy of a record with its tail; NULL: no memory. */
static struct dsn_rec *keep(const struct dsn_table *t, const struct dsn_rec *r, const struct dsn_tail *from,
                            struct dsn_tail *to)
{
    const size_t size = dsn_rec_size(t), array = from->n * sizeof(int64_t), comps = from->ncomps * sizeof *from->comps;
    char *p = malloc(size + 2 * array + comps);
    struct dsn_rec *copy = (struct dsn_rec *)(void *)p;

    if (!p)
        return NULL;
    memcpy(copy, r, size);
    *to = *from;
    p += size;
    for (int i = 0; i < 2; i++) {
        if (!from->values[i])
            continue;
        memcpy(p, from->values[i], array);
        to->values[i] = (const int64_t *)(const void *)p;
        p += array;
    }
    if (comps > 0)
        memcpy(p, from->comps, comps);
    to->comps = (const struct dsn_lustre_comp *)(const void *)p;
    return copy;
}

static int add_record(struct run *run, struct log *l, const struct dsn_table *t, const struct dsn_rec *r,
                      const struct dsn_tail *tail)
{
    static const struct dsn_tail nothing;
    struct item *item;

    if (!dsn_grow(&l->items, &l->room, sizeof *l->items, l->n))
        return fail(l, DSN_ERR_MEMORY);
    item = &l->items[l->n];
    item->order = dsn__idmap_add(&run->ids, r->id, run->nids);
    item->module = t->id;
    item->rank = r->rank;
    item->nth = l->n;
    item->rec = keep(t, r, dsn_table_varies(t) ? tail : &nothing, &item->tail);
    if (item->order == DSN_IDMAP_NONE || run->nids == DSN_IDMAP_NONE - 1 || !item->rec) {
        free(item->rec);
        return fail(l, DSN_ERR_MEMORY);
    }
    run->nids += item->order == run->nids;
    l->n++;
    return 1;
}

/* Returns 0 if out of memory. */
static int read_module(struct run *run, struct log *l, const struct dsn_table *t)
{
    struct darshan_reader_error err;
    struct darshan_reader_records *it;
    const struct dsn_rec *r;
    int good = 1;

    if (darshan_reader_begin(l->log, t->id, &it, &err) == DSN_ERR_OK) {
        if (t->id == DSN_APMPI_MODULE && darshan_reader_apmpi(it, NULL))
            l->sync |= darshan_reader_apmpi(it, NULL)->sync != 0;
        while (good && (r = darshan_reader_next(it, &err)) != NULL)
            good = add_record(run, l, t, r, darshan_reader_tail(it));
        darshan_reader_end(it);
    }
    if (good && err.code != DSN_ERR_OK && l->nerrors++ == 0)
        l->first = err;
    return good && err.code != DSN_ERR_MEMORY;
}

/* In output order. */
static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->nth < y->nth ? -1 : x->nth > y->nth;
}

/* Opens a log and reads all records. 0: it cannot be used. */
static int read_log(struct run *run, struct log *l)
{
    if (darshan_reader_open(l->file, &l->log, &l->first) != DSN_ERR_OK) {
        l->nerrors = 1;
        return 0;
    }
    if (darshan_reader_damage(l->log, &l->first) != DSN_ERR_OK)
        l->nerrors = 1;
    for (unsigned i = 0; i < DSN_MODULE_SLOTS; i++)
        if (dsn_table(i) && !read_module(run, l, dsn_table(i)))
            return 0;
    if (l->n > 0)
        qsort(l->items, l->n, sizeof *l->items, compare_items);
    return 1;
}

/* ------------------------------------------------------------------ job */

static void print_number(struct dsn_text *out, const char *what, int64_t a, int64_t b)
{
    dsn_text_printf(out, "- # %s: %" PRId64 "\n+ # %s: %" PRId64 "\n", what, a, what, b);
}

static int64_t minus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b); /* values of a damaged log may overflow */
}

static void print_jobs(struct run *run)
{
    const struct dsn_job *a = darshan_reader_job(run->log[0].log), *b = darshan_reader_job(run->log[1].log);
    const int64_t length_a = minus(a->end_sec, a->start_sec), length_b = minus(b->end_sec, b->start_sec);

    if (strcmp(darshan_reader_exe(run->log[0].log), darshan_reader_exe(run->log[1].log)) != 0)
        for (int i = 0; i < 2; i++) {
            const char *exe = darshan_reader_exe(run->log[i].log);

            dsn_text_string(&run->out, i == 0 ? "- # exe:  " : "+ # exe:  ");
            dsn_text_untrusted(&run->out, exe, strlen(exe));
            dsn_text_string(&run->out, "\n");
        }
    if (a->uid != b->uid)
        print_number(&run->out, "uid", a->uid, b->uid);
    if (a->start_sec != b->start_sec)
        print_number(&run->out, "start_time", a->start_sec, b->start_sec);
    if (a->end_sec != b->end_sec)
        print_number(&run->out, "end_time", a->end_sec, b->end_sec);
    if (a->nprocs != b->nprocs)
        print_number(&run->out, "nprocs", a->nprocs, b->nprocs);
    if (length_a != length_b)
        print_number(&run->out, "run time", minus(length_a, -1), minus(length_b, -1));
}

/* ------------------------------------------------------------------ records */

/* The lines of one record, as printed by darshan-parser, without the columns after the value. */
struct page {
    char *text;
    size_t nlines;
    char **line; /* NUL-terminated */
};

static void page_free(struct page *p)
{
    free(p->text);
    free(p->line);
}

/* Splits the text at "\t\t\t\n". 0: no memory. */
static int cut_lines(struct page *p, size_t size)
{
    static const char end[] = "\t\t\t\n";
    char *at = p->text, *stop;

    p->text[size] = '\0';
    for (const char *s = p->text; (s = strchr(s, '\n')) != NULL; s++)
        p->nlines++;
    p->line = malloc((p->nlines + 1) * sizeof *p->line);
    if (!p->line)
        return 0;
    p->nlines = 0;
    while ((stop = strstr(at, end)) != NULL) {
        *stop = '\0';
        p->line[p->nlines++] = at;
        at = stop + sizeof end - 1;
    }
    return 1;
}

/* 0: no memory, or no space in the memory file. */
static int print_page(struct run *run, struct dsn_emit *e, const struct item *item, struct page *p)
{
    static const struct dsn_emit_file nothing = { "", "", "" };
    off_t size;

    memset(p, 0, sizeof *p);
    if (ftruncate(run->lines.fd, 0) != 0 || lseek(run->lines.fd, 0, SEEK_SET) != 0)
        return 0;
    dsn_emit_record(e, item->rec, &item->tail, &nothing);
    if (!dsn_text_flush(&run->lines))
        return 0;
    size = lseek(run->lines.fd, 0, SEEK_CUR);
    p->text = size < 0 ? NULL : malloc((size_t)size + 1);
    return p->text && pread(run->lines.fd, p->text, (size_t)size, 0) == size && cut_lines(p, (size_t)size);
}

static void put_name(struct run *run, const struct log *l, const struct item *item)
{
    struct dsn_place place;

    dsn_locate(l->log, dsn_table(item->module), item->rec, &place);
    if (!place.file.name)
        place.file.name = "(null)";
    dsn_text_untrusted(&run->out, place.file.name, strlen(place.file.name));
}

/* Line `i` of a record of log 0 ("- ") or 1 ("+ "). */
static void put_line(struct run *run, int which, const struct item *item, const struct page *p, size_t i)
{
    dsn_text_string(&run->out, which == 0 ? "- " : "+ ");
    dsn_text_string(&run->out, p->line[i]);
    dsn_text_string(&run->out, "\t");
    put_name(run, &run->log[which], item);
    dsn_text_string(&run->out, "\t\t\n");
}

static void begin_module(struct run *run, int which, unsigned module, struct dsn_emit *e)
{
    dsn_emit_init(e, &run->lines, dsn_table(module));
    e->sync = run->log[which].sync;
    while (e->nrows > 0 && e->row[e->nrows - 1].role == DSN_OWNER) /* not compared */
        e->nrows--;
}

/* A record in one log only. */
static int put_alone(struct run *run, int which, const struct item *item)
{
    struct dsn_emit e;
    struct page p;
    int good;

    begin_module(run, which, item->module, &e);
    good = print_page(run, &e, item, &p);
    for (size_t i = 0; good && i < p.nlines; i++)
        put_line(run, which, item, &p, i);
    page_free(&p);
    return good ? 1 : fail(&run->log[which], DSN_ERR_MEMORY);
}

/* Whether two values differ, even if they look the same when printed. */
static int row_differs(const struct dsn__emit_row *row, const struct item *a, const struct item *b)
{
    const union dsn_val x = a->rec->v[row->at], y = b->rec->v[row->at];

    return row->kind == DSN_F64 ? x.f != y.f : x.i != y.i;
}

static int tails_differ(const struct dsn_tail *a, const struct dsn_tail *b)
{
    if (a->n != b->n || a->ncomps != b->ncomps)
        return 1;
    for (int i = 0; i < 2; i++)
        if (a->n > 0 && a->values[i] && b->values[i] && memcmp(a->values[i], b->values[i], a->n * sizeof(int64_t)) != 0)
            return 1;
    return a->ncomps > 0 && memcmp(a->comps, b->comps, a->ncomps * sizeof *a->comps) != 0;
}

/* The processor's name is text, not a counter. */
static int nodes_differ(const struct item *a, const struct item *b)
{
    return a->module == DSN_APMPI_MODULE &&
           strncmp((const char *)&a->rec->v[MPI_PROCESSOR_NAME], (const char *)&b->rec->v[MPI_PROCESSOR_NAME],
                   DSN_APMPI_NAME_SIZE) != 0;
}

/* Arrays after the counters; if their lengths differ, no elements correspond. */
static void put_rest(struct run *run, const struct item *a, const struct item *b, const struct page p[2], size_t from)
{
    const int same = p[0].nlines == p[1].nlines;

    for (size_t i = from; i < p[0].nlines; i++) {
        if (same && strcmp(p[0].line[i], p[1].line[i]) == 0)
            continue;
        put_line(run, 0, a, &p[0], i);
        if (same)
            put_line(run, 1, b, &p[1], i);
    }
    for (size_t i = from; !same && i < p[1].nlines; i++)
        put_line(run, 1, b, &p[1], i);
}

/* A record in both logs. */
static int put_pair(struct run *run, const struct item *a, const struct item *b)
{
    struct dsn_emit e;
    struct page p[2] = { { 0 }, { 0 } };
    size_t line = 0;
    int good, differs = nodes_differ(a, b) || tails_differ(&a->tail, &b->tail);

    begin_module(run, 0, a->module, &e);
    e.sync = run->log[0].sync && run->log[1].sync;
    for (unsigned i = 0; i < e.nrows; i++)
        differs |= row_differs(&e.row[i], a, b);
    if (!differs)
        return 1;
    good = print_page(run, &e, a, &p[0]) && print_page(run, &e, b, &p[1]);
    if (good && nodes_differ(a, b))
        for (int i = 0; i < 2; i++)
            put_line(run, i, i == 0 ? a : b, &p[i], 0);
    line += a->module == DSN_APMPI_MODULE;
    for (unsigned i = 0; good && i < e.nrows; i++) {
        if (e.row[i].role == DSN_SYNC && !e.sync)
            continue;
        if (row_differs(&e.row[i], a, b)) {
            put_line(run, 0, a, &p[0], line);
            put_line(run, 1, b, &p[1], line);
        }
        line++;
    }
    if (good)
        put_rest(run, a, b, p, line);
    page_free(&p[0]);
    page_free(&p[1]);
    return good ? 1 : fail(&run->log[0], DSN_ERR_MEMORY);
}

/* Number of records from `from` on with the same id and module. */
static size_t group(const struct log *l, size_t from, uint32_t order, unsigned module)
{
    size_t n = from;

    while (n < l->n && l->items[n].order == order && l->items[n].module == module)
        n++;
    return n - from;
}

/* Whether records of a module can be compared; if not, reports it once. */
static int is_comparable(struct run *run, unsigned module)
{
    const uint32_t a = darshan_reader_header(run->log[0].log)->mod_version[module];
    const uint32_t b = darshan_reader_header(run->log[1].log)->mod_version[module];

    if (a == b)
        return 1;
    if (!(run->told >> module & 1)) {
        dsn_text_flush(&run->out);
        dsn_warn(COMMAND, run->log[1].file,
                 "its %s records have version %" PRIu32 ", those of the first log version %" PRIu32
                 ": records that both logs have are not compared",
                 dsn_module_name(module), b, a);
    }
    run->told |= 1ULL << module;
    return 0;
}

/* Compares the records of one id and module: of log 0 from items[i] on, of log 1 from items[k] on. */
static int put_group(struct run *run, const struct item *a, size_t na, const struct item *b, size_t nb)
{
    int good = 1;

    if (na > 0 && nb > 0 && !is_comparable(run, a->module))
        return 1;
    while (good && (na > 0 || nb > 0)) {
        if (nb == 0 || (na > 0 && a->rank < b->rank)) {
            good = put_alone(run, 0, a++);
            na--;
        } else if (na == 0 || b->rank < a->rank) {
            good = put_alone(run, 1, b++);
            nb--;
        } else {
            good = put_pair(run, a++, b++);
            na--;
            nb--;
        }
    }
    return good;
}

/* 0: out of memory. */
static int put_records(struct run *run)
{
    const struct log *a = &run->log[0], *b = &run->log[1];
    size_t i = 0, k = 0;

    for (uint32_t order = 0; order < run->nids; order++) {
        if (order < run->nfirst)
            dsn_text_string(&run->out, "\n");
        for (unsigned module = 0; module < DSN_KNOWN_MODULES; module++) {
            const size_t na = group(a, i, order, module), nb = group(b, k, order, module);

            if (na + nb > 0 && !put_group(run, a->items + i, na, b->items + k, nb))
                return 0;
            i += na;
            k += nb;
        }
    }
    return 1;
}

/* ------------------------------------------------------------------ main */

static int compare(struct run *run)
{
    dsn__idmap_init(&run->ids);
    if (!read_log(run, &run->log[0]))
        return 1;
    run->nfirst = run->nids;
    if (!read_log(run, &run->log[1]))
        return 1;
    print_jobs(run);
    return !put_records(run);
}

static void close_log(struct log *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->items[i].rec);
    free(l->items);
    darshan_reader_close(l->log);
}

int main(int argc, char **argv)
{
    struct run run = { 0 };
    int fd, rc;

    dsn_begin();
    if (argc != 3) {
        rc = argc == 2 ? dsn_options(&command, argc, argv, NULL, NULL) : -1;
        return rc >= 0 ? rc : dsn_usage(&command, "give two logs");
    }
    run.log[0].file = argv[1];
    run.log[1].file = argv[2];
    fd = memfd_create("lines", MFD_CLOEXEC);
    if (fd < 0 || !dsn_text_init(&run.out, STDOUT_FILENO) || !dsn_text_init(&run.lines, fd)) {
        perror(COMMAND);
        return 1;
    }
    run.lines.safe = 1; /* so that a newline in text does not end the line */
    rc = compare(&run);
    dsn_text_flush(&run.out); /* before messages on stderr */
    for (int i = 0; i < 2; i++) {
        if (run.log[i].nerrors > 0)
            dsn_complain(COMMAND, run.log[i].file, &run.log[i].first, run.log[i].nerrors - 1);
        rc |= run.log[i].nerrors > 0;
        close_log(&run.log[i]);
    }
    rc |= dsn_end_output(&run.out, COMMAND);
    dsn__idmap_free(&run.ids);
    dsn_text_free(&run.out);
    dsn_text_free(&run.lines);
    close(fd);
    return rc;
}
