/* sites.c - which lines of the program make its I/O calls
 * SPDX-License-Identifier: BSD-3-Clause */
#include "sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "source-lines.h"
#include "util/lib/idtable.h"

#define LOOKED_UP 200 /* chains of calls, those with most time: others are "elsewhere" */

/* A record of the part, with the place that it is part of. */
struct dsn_site_row {
    const struct dsn_rec *rec;
    const char *stack;
    uint32_t file; /* index into report.files */
    uint32_t site; /* index into the list */
};

/* ------------------------------------------------------------------ chains of calls */

struct frame {
    char path[256], build_id[64];
    uint64_t offset; /* of Python: the line */
    char function[128];
    int is_python;
};

/* Undoes what Python's faulthandler makes of characters that are not ASCII: \xe9, \u20ac, \U0001f4be. */
static void put_characters(char *text)
{
    char *to = text;

    for (const char *from = text; *from;) {
        const int digits = from[0] != '\\' ? 0 : from[1] == 'x' ? 2 : from[1] == 'u' ? 4 : from[1] == 'U' ? 8 : 0;
        char hex[9] = "";
        unsigned long c;

        if (digits)
            snprintf(hex, (size_t)digits + 1, "%s", from + 2);
        c = digits && strspn(hex, "0123456789abcdef") == (size_t)digits ? strtoul(hex, NULL, 16) : 0;
        if (c < 0xa0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) { /* none that a name may have */
            *to++ = *from++;
            continue;
        }
        from += 2 + digits;
        if (c >= 0x10000)
            *to++ = (char)(0xf0 | c >> 18);
        if (c >= 0x800)
            *to++ = (char)(c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12);
        *to++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    *to = '\0';
}

/* The next function of a chain; `*at`: a line of the text, and what follows; `*place`: NULL, or the next offset in that line.
 * Returns 0 at its end. What is no such line is left out. */
static int next_frame(const char **at, const char **place, struct frame *f)
{
    char kind;
    int n = 0;

    while (**at) {
        const char *end = strchr(*at, '\n'), *tab = strchr(*at, '\t');

        if (!end)
            end = *at + strlen(*at);
        if (*place) { /* offsets of the same object */
            char *behind;

            f->offset = strtoull(*place, &behind, 16);
            if (behind > *place && behind <= end) {
                *place = *behind == ' ' ? behind + 1 : end;
                return 1;
            }
            *place = NULL;
            *at = *end ? end + 1 : end;
            continue;
        }
        kind = **at;
        if (!tab || tab > end || (kind != 'n' && kind != 'p')) {
            *at = *end ? end + 1 : end;
            continue;
        }
        snprintf(f->path, sizeof f->path, "%.*s", (int)(tab - *at - 1), *at + 1);
        f->function[0] = f->build_id[0] = '\0';
        f->is_python = kind == 'p';
        if (f->is_python) {
            f->offset = strtoull(tab + 1, NULL, 10);
            tab = memchr(tab + 1, '\t', (size_t)(end - tab - 1));
            if (tab)
                snprintf(f->function, sizeof f->function, "%.*s", (int)(end - tab - 1), tab + 1);
            put_characters(f->path);
            put_characters(f->function);
            *at = *end ? end + 1 : end;
            return 1;
        }
        n = (int)strcspn(tab + 1, "\t\n");
        snprintf(f->build_id, sizeof f->build_id, "%.*s", n, tab + 1);
        *place = tab + 1 + n < end ? tab + 2 + n : end;
    }
    return 0;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int begins_with_any(const char *text, const char *const *with)
{
    for (; *with; with++)
        if (strncmp(text, *with, strlen(*with)) == 0)
            return 1;
    return 0;
}

/* Libraries that programs do their I/O through, wherever they are installed. */
static int is_io_library(const char *path)
{
    static const char *const known[] = {
        "libc.",     "libc-",     "libpthread", "libm.",     "libdl.",     "librt.",     "ld-linux",  "libgfortran",
        "libstdc++", "libgcc_s",  "libgomp",    "libifcore", "libnvf",     "libflang",   "libmpi",    "libmpich",
        "libopen-",  "libpmi",    "libprrte",   "libhdf5",   "libnetcdf",  "libpnetcdf", "libadios",  "libsilo",
        "libcgns",   "libpython", "libdarshan", "liblbio",   "libfabric",  "libuc",      "libcufile", "libdaos",
        "libdfs",    "libcart",   "libgurt",    "libz.",     "linux-vdso", "mca_",       NULL
    };

    return begins_with_any(base_of(path), known);
}

static int is_of_system(const char *path)
{
    static const char *const system[] = { "/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", NULL };

    return begins_with_any(path, system);
}

/* The same of functions, in programs that these libraries are part of. What has lines is the program's own, whatever it is
 * called: such libraries are rarely compiled with -g. */
static int is_library_function(const struct dsn_source_place *p)
{
    static const char *const always[] = { "__wrap_", "counted_", "dsn__", "_start", "std::", "_ZNSt", "_ZSt", NULL };
    static const char *const without_line[] = { "MPI_",    "PMPI_",  "MPIR_",  "MPID", "MPIO",      "mpi_file_",
                                                "ADIO",    "ompi_",  "mca_",   "H5",   "ncmpi",     "nc_",
                                                "NC",      "nf90_",  "nfmpi_", "nf_",  "_gfortran", "_IO_",
                                                "__libc_", "fwrite", "fread",  NULL };

    return begins_with_any(p->function, always) ||
           (p->known != DSN_SOURCE_LINE && begins_with_any(p->function, without_line));
}

static int is_package(const char *path)
{
    static const char *const given[] = { "<string>", "<stdin>", "<ipython-input",
                                         NULL }; /* to the interpreter, as it stands */

    return (path[0] == '<' && !begins_with_any(path, given)) || strstr(path, "/site-packages/") ||
           strstr(path, "/dist-packages/") || strstr(path, "/lib/python") || strstr(path, "/lib64/python");
}

static const char *reason(enum dsn_source_known known)
{
    switch (known) {
    case DSN_SOURCE_FUNCTION:
        return "compiled without -g";
    case DSN_SOURCE_NOTHING:
        return "it has no symbols";
    case DSN_SOURCE_CHANGED:
        return "the file has changed since";
    case DSN_SOURCE_MISSING:
        return "the file cannot be read here";
    default:
        return NULL;
    }
}

/* Whose a function is. */
enum owner {
    OF_LIBRARY,        /* that the program does its I/O through */
    OF_SYSTEM_LIBRARY, /* another one of the system, which may be most of a program that is installed there */
    OF_STRIPPED,       /* the program's, of which there is no name */
    OWN
};

/* What is shown of a function; returns why there is no line, or NULL. */
static const char *describe(struct dsn_source *source, const struct frame *f, char *where, size_t size,
                            enum owner *owner)
{
    struct dsn_source_place p;

    if (f->is_python) {
        *owner = is_package(f->path) ? OF_LIBRARY : OWN;
        snprintf(where, size, "%s, %s:%" PRIu64, f->function, base_of(f->path), f->offset);
        return NULL;
    }
    memset(&p, 0, sizeof p);
    p.known = DSN_SOURCE_MISSING;
    if (source)
        dsn_source_find(source, f->path, f->build_id, f->offset, &p);
    if (is_io_library(f->path) || is_library_function(&p))
        *owner = OF_LIBRARY;
    else if (is_of_system(f->path))
        *owner = p.function[0] ? OF_SYSTEM_LIBRARY : OF_LIBRARY;
    else
        *owner = p.known == DSN_SOURCE_NOTHING ? OF_STRIPPED : OWN;
    if (p.known == DSN_SOURCE_LINE)
        snprintf(where, size, "%s%s%s:%d", p.function, p.function[0] ? ", " : "", base_of(p.file), p.line);
    else if (p.known == DSN_SOURCE_FUNCTION)
        snprintf(where, size, "%s+0x%" PRIx64 " in %s", p.function, p.offset, base_of(f->path));
    else
        snprintf(where, size, "%s+0x%" PRIx64, base_of(f->path), f->offset - 1);
    return reason(p.known);
}

void dsn_site_frames(const struct dsn_sites *s, const char *stack, dsn_take_frame take, void *context)
{
    const char *at = stack, *place = NULL;
    struct frame f = { .offset = 0 };
    char where[sizeof s->list->where];

    while (next_frame(&at, &place, &f)) {
        enum owner owner;

        describe(s->source, &f, where, sizeof where, &owner);
        take(context, where, owner >= OF_STRIPPED);
    }
}

/* The innermost function of the program's own; if that has no name, or there is none, the innermost line of Python, else the
 * innermost function of a library that is not one to do I/O through, else that without a name, else any. Writes to `site`. */
static void locate(struct dsn_source *source, const char *stack, struct dsn_site *site)
{
    enum rank { NONE, ANY, STRIPPED, OF_SYSTEM, PYTHON, NAMED } best = NONE;
    static const enum rank ranks[] = {
        [OF_LIBRARY] = ANY, [OF_SYSTEM_LIBRARY] = OF_SYSTEM, [OF_STRIPPED] = STRIPPED, [OWN] = NAMED
    };
    const char *at = stack, *place = NULL;
    struct frame f = { .offset = 0 };

    while (best != NAMED && next_frame(&at, &place, &f)) {
        char where[sizeof site->where];
        enum owner owner;
        const char *why = describe(source, &f, where, sizeof where, &owner);
        const enum rank rank = f.is_python && owner != OWN ? PYTHON : ranks[owner];

        if (rank <= best)
            continue;
        memcpy(site->where, where, sizeof where);
        site->why = why;
        best = rank;
    }
}

/* ------------------------------------------------------------------ what they did */

static double seconds_of(const struct dsn_rec *rec)
{
    return dsn__seconds(rec, SITE_F_READ_TIME) + dsn__seconds(rec, SITE_F_WRITE_TIME) +
           dsn__seconds(rec, SITE_F_META_TIME);
}

static void add_row(const struct dsn_report *r, struct dsn_site *p, const struct dsn_rec *rec)
{
    const int layer = (int)rec->v[SITE_LAYER].i;
    const struct dsn_work w = { .reads = dsn__count(rec, SITE_READS),
                                .writes = dsn__count(rec, SITE_WRITES),
                                .bytes_read = dsn__count(rec, SITE_BYTES_READ),
                                .bytes_written = dsn__count(rec, SITE_BYTES_WRITTEN),
                                .read = dsn__seconds(rec, SITE_F_READ_TIME),
                                .write = dsn__seconds(rec, SITE_F_WRITE_TIME),
                                .meta = dsn__seconds(rec, SITE_F_META_TIME) };
    const int64_t metas = dsn__count(rec, SITE_METAS);

    dsn_work_add(&p->at[layer], &w);
    p->metas[layer] = dsn__plus(p->metas[layer], metas);
    if (!dsn_layer_is_at_storage(r, (enum dsn_phase_of)layer))
        return;
    dsn_work_add(&p->work, &w);
    p->work_metas = dsn__plus(p->work_metas, metas);
}

/* Rows of files that the report is about, of layers that there are. */
static int gather(const struct dsn_report *r, struct dsn_sites *s)
{
    const size_t n = darshan_reader_sites(r->log);

    s->rows = malloc((n + 1) * sizeof s->rows[0]);
    if (!s->rows)
        return DSN_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const struct dsn_rec *rec = darshan_reader_site(r->log, i);
        const uint32_t file = dsn__idmap_get(&r->file_index, (uint64_t)rec->v[SITE_FILE].i);

        if (rec->v[SITE_LAYER].i < 0 || rec->v[SITE_LAYER].i >= DSN_PHASE_LAYERS)
            continue;
        if (file != DSN_IDMAP_NONE ? r->files[file].is_exempt && dsn_file_is_elsewhere(&r->files[file])
                                   : r->selection != NULL)
            continue;
        s->rows[s->nrows++] = (struct dsn_site_row){
            .rec = rec, .stack = darshan_reader_stack(r->log, (uint64_t)rec->v[SITE_STACK].i), .file = file
        };
    }
    return DSN_ERR_OK;
}

struct chain {
    const char *stack;
    double seconds;
    uint32_t site;
};

static int by_time(const void *a, const void *b)
{
    const struct chain *x = *(struct chain *const *)a, *y = *(struct chain *const *)b;

    if (x->seconds < y->seconds || x->seconds > y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return x < y ? -1 : x > y;
}

static int has_line_of_python(const char *stack)
{
    return stack[0] == 'p' || strstr(stack, "\np") != NULL;
}

/* "python3.13+0x60954a", "Py_RunMain+0x376 in python3.13" */
static int is_in_interpreter(const char *where)
{
    const char *behind = strstr(where, " in ");

    return begins_with_any(behind ? behind + strlen(" in ") : where,
                           (const char *const[]){ "python", "libpython", NULL });
}

/* A run of Python without a line of it: then what is known of the interpreter itself tells nobody where the calls are. */
static void explain_python(struct dsn_sites *s, const struct chain *chains, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (chains[i].stack && has_line_of_python(chains[i].stack))
            return;
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].stack && is_in_interpreter(s->list[i].where)) {
            s->list[i].why = "this release of Python does not tell them";
            s->is_silent_python = 1;
        }
}

/* The number of the place that a chain is at; a new one if it is not in the list. */
static uint32_t place_in(struct dsn_sites *s, const struct dsn_site *site)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].where, site->where) == 0)
            return (uint32_t)i;
    s->list[s->n] = *site;
    return (uint32_t)s->n++;
}

/* Finds the place of each chain, those with most time first. */
static int find_places(struct dsn_sites *s, struct dsn__idtable *chains)
{
    struct chain **order = malloc((chains->n + 1) * sizeof(struct chain *));

    s->list = calloc(LOOKED_UP + 2, sizeof s->list[0]);
    s->order = malloc((LOOKED_UP + 2) * sizeof(struct dsn_site *));
    if (!order || !s->list || !s->order) {
        free(order);
        return DSN_ERR_MEMORY;
    }
    for (size_t i = 0; i < chains->n; i++)
        order[i] = (struct chain *)chains->elements + i;
    if (chains->n > 0)
        qsort(order, chains->n, sizeof(struct chain *), by_time);
    for (size_t i = 0; i < chains->n; i++) {
        struct dsn_site site = { .stack = order[i]->stack, .file = DSN_IDMAP_NONE };

        if (!order[i]->stack || i >= LOOKED_UP)
            snprintf(site.where, sizeof site.where, "%s", order[i]->stack ? "elsewhere" : "not looked at");
        else
            locate(s->source, order[i]->stack, &site);
        if (!site.where[0])
            snprintf(site.where, sizeof site.where, "not looked at");
        order[i]->site = place_in(s, &site);
    }
    free(order);
    return DSN_ERR_OK;
}

static int by_site_and_file(const void *a, const void *b)
{
    const struct dsn_site_row *x = a, *y = b;

    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    return x->file < y->file ? -1 : x->file > y->file;
}

static void add_files(const struct dsn_report *r, struct dsn_sites *s)
{
    if (s->nrows > 0)
        qsort(s->rows, s->nrows, sizeof s->rows[0], by_site_and_file);
    for (size_t i = 0, to; i < s->nrows; i = to) {
        struct dsn_site *p = &s->list[s->rows[i].site];
        double seconds = 0;

        for (to = i; to < s->nrows && s->rows[to].site == s->rows[i].site && s->rows[to].file == s->rows[i].file;
             to++) {
            add_row(r, p, s->rows[to].rec);
            seconds += seconds_of(s->rows[to].rec);
        }
        if (s->rows[i].file == DSN_IDMAP_NONE)
            continue;
        p->files++;
        if (p->file == DSN_IDMAP_NONE || seconds > p->file_seconds) {
            p->file = s->rows[i].file;
            p->file_seconds = seconds;
        }
    }
}

static int by_seconds(const void *a, const void *b)
{
    const struct dsn_site *x = *(const struct dsn_site *const *)a, *y = *(const struct dsn_site *const *)b;

    if ((x->stack == NULL) != (y->stack == NULL))
        return x->stack ? -1 : 1;
    if (x->seconds < y->seconds || x->seconds > y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return strcmp(x->where, y->where);
}

int dsn_sites_make(const struct dsn_report *r, enum dsn_sites_as as, struct dsn_sites *out)
{
    struct dsn__idtable chains;
    int rc, fresh;

    memset(out, 0, sizeof *out);
    if (darshan_reader_sites(r->log) == 0)
        return DSN_ERR_OK;
    dsn__idtable_init(&chains, sizeof(struct chain));
    out->source = as == DSN_AS_LINES ? dsn_source_new() : NULL;
    rc = out->source || as == DSN_AS_ADDRESSES ? gather(r, out) : DSN_ERR_MEMORY;
    for (size_t i = 0; rc == DSN_ERR_OK && i < out->nrows; i++) {
        struct dsn_site_row *row = &out->rows[i];
        struct chain *c = dsn__idtable_element(&chains, row->stack ? (uint64_t)row->rec->v[SITE_STACK].i : 0, &fresh);

        if (!c)
            rc = DSN_ERR_MEMORY;
        else {
            c->stack = row->stack;
            c->seconds += seconds_of(row->rec);
        }
    }
    if (rc == DSN_ERR_OK)
        rc = find_places(out, &chains);
    if (rc == DSN_ERR_OK)
        explain_python(out, (const struct chain *)chains.elements, chains.n);
    for (size_t i = 0; rc == DSN_ERR_OK && i < out->nrows; i++) {
        struct dsn_site_row *row = &out->rows[i];

        row->site =
            ((struct chain *)dsn__idtable_find(&chains, row->stack ? (uint64_t)row->rec->v[SITE_STACK].i : 0))->site;
    }
    dsn__idtable_free(&chains);
    if (rc != DSN_ERR_OK) {
        dsn_sites_free(out);
        return rc;
    }
    add_files(r, out);
    for (size_t i = 0; i < out->n; i++) {
        out->list[i].seconds = dsn_layers_time(out->list[i].at);
        out->seconds += out->list[i].seconds;
        dsn_work_add(&out->work, &out->list[i].work);
        out->metas = dsn__plus(out->metas, out->list[i].work_metas);
        out->order[i] = &out->list[i];
    }
    if (out->n > 0)
        qsort(out->order, out->n, sizeof(struct dsn_site *), by_seconds);
    return DSN_ERR_OK;
}

void dsn_sites_free(struct dsn_sites *s)
{
    dsn_source_free(s->source);
    free(s->list);
    free(s->order);
    free(s->rows);
    memset(s, 0, sizeof *s);
}

/* ------------------------------------------------------------------ what a finding is about */

enum calls { READS = 1, WRITES = 2, METAS = 4 };

static unsigned calls_of(enum dsn_finding_id id)
{
    switch (id) {
    case DSN_FINDING_SMALL_READS:
    case DSN_FINDING_SAME_DATA:
    case DSN_FINDING_REREADS:
    case DSN_FINDING_RANDOM_READS:
        return READS;
    case DSN_FINDING_SMALL_WRITES:
    case DSN_FINDING_REWRITES:
    case DSN_FINDING_RANDOM_WRITES:
    case DSN_FINDING_SYNCS:
        return WRITES;
    case DSN_FINDING_REOPENS:
    case DSN_FINDING_SEEKS:
    case DSN_FINDING_STATS:
    case DSN_FINDING_UNTOUCHED:
    case DSN_FINDING_NAMES:
    case DSN_FINDING_METADATA:
    case DSN_FINDING_LIBRARY_META:
    case DSN_FINDING_OPEN_WAITING:
        return METAS;
    default:
        return READS | WRITES | METAS;
    }
}

/* Whether it is about the time of calls as the program makes them, waiting and work of libraries included, and not about time
 * at storage. */
static int is_of_program_calls(enum dsn_finding_id id)
{
    return id == DSN_FINDING_METADATA || id == DSN_FINDING_LIBRARY_META || id == DSN_FINDING_OPEN_WAITING ||
           id == DSN_FINDING_LIBRARY_WORK;
}

static double seconds_for(const struct dsn_rec *rec, unsigned calls)
{
    return (calls & READS ? dsn__seconds(rec, SITE_F_READ_TIME) : 0) +
           (calls & WRITES ? dsn__seconds(rec, SITE_F_WRITE_TIME) : 0) +
           (calls & METAS ? dsn__seconds(rec, SITE_F_META_TIME) : 0);
}

/* Of more files than a finding names, all count. */
static int concerns(const struct dsn_report *r, const struct dsn_finding *f, uint32_t file)
{
    if (f->files > (int64_t)f->nfiles)
        return 1;
    for (size_t i = 0; i < f->nfiles && file != DSN_IDMAP_NONE; i++)
        if (f->file[i] == &r->files[file])
            return 1;
    return 0;
}

/* Adds up such calls of each place in each layer: at[DSN_PHASE_LAYERS * place + layer]. */
static void add_concerned(const struct dsn_report *r, const struct dsn_sites *s, const struct dsn_finding *f,
                          struct dsn_work *at)
{
    const unsigned calls = calls_of(f->id);

    for (size_t i = 0; i < s->nrows; i++) {
        const struct dsn_site_row *row = &s->rows[i];
        const int64_t layer = row->rec->v[SITE_LAYER].i;

        if (!concerns(r, f, row->file) ||
            (!is_of_program_calls(f->id) && !dsn_layer_is_at_storage(r, (enum dsn_phase_of)layer)))
            continue;
        at[DSN_PHASE_LAYERS * row->site + (size_t)layer].meta += seconds_for(row->rec, calls);
    }
}

const struct dsn_site *dsn_sites_blame(const struct dsn_report *r, const struct dsn_sites *s,
                                       const struct dsn_finding *f, double *share)
{
    struct dsn_work *at = s->n > 0 && f->nfiles > 0 ? calloc(s->n * DSN_PHASE_LAYERS, sizeof *at) : NULL;
    double all = 0, most = 0;
    size_t which = 0;

    if (at)
        add_concerned(r, s, f, at);
    for (size_t i = 0; at && i < s->n; i++) {
        const double of = dsn_layers_time(at + DSN_PHASE_LAYERS * i);

        all += of;
        if (of > most) {
            most = of;
            which = i;
        }
    }
    free(at);
    *share = all > 0 ? most / all : 0;
    if (!(*share > 0) || !s->list[which].stack || (s->is_silent_python && is_in_interpreter(s->list[which].where)))
        return NULL;
    return &s->list[which];
}
