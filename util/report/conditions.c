/* conditions.c - what several conditions of findings.def ask: sums over the files concerned, databases, facts
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A condition about files adds up those concerned, as decided by `part`: the same function decides which files are
 * blamed. */
#include "conditions.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ facts and words */

static void add_fact(struct dsn_finding *f, struct dsn_fact fact)
{
    if (f->nfacts < DSN_FINDING_FACTS)
        f->fact[f->nfacts++] = fact;
}

void dsn__fact(struct dsn_finding *f, const char *name, double value, enum dsn_fact_unit unit)
{
    add_fact(f, (struct dsn_fact){ name, value, unit, 0 });
}

void dsn__seconds_of_all(struct dsn_finding *f, const char *name, double seconds)
{
    add_fact(f, (struct dsn_fact){ name, seconds, DSN_FACT_SECONDS, 1 });
}

void dsn__remark(struct dsn_finding *f, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(f->text, sizeof f->text, format, args);
    va_end(args);
}

/* ------------------------------------------------------------------ databases */

static int ends_with(const char *s, const char *with)
{
    const size_t n = strlen(s), m = strlen(with);

    return n >= m && strcmp(s + n - m, with) == 0;
}

/* Files of PostgreSQL beside its tables, which show that there is one. */
static int is_beside_tables(const char *name)
{
    return strstr(name, "/pg_wal/") || strstr(name, "/pg_xact/") || strstr(name, "/pg_multixact/") ||
           ends_with(name, "/PG_VERSION") || ends_with(name, "/global/pg_control");
}

/* Tables and indexes of PostgreSQL: base/DATABASE/NUMBER and global/NUMBER, both with _fsm, _vm or .SEGMENT behind. */
static int is_table(const char *name)
{
    const char *slash = strrchr(name, '/'), *at = slash;
    const size_t digits = slash ? strspn(slash + 1, "0123456789") : 0;

    if (digits == 0 || (slash[1 + digits] != '\0' && slash[1 + digits] != '_' && slash[1 + digits] != '.'))
        return 0;
    if (slash - name >= 7 && strncmp(slash - 7, "/global", 7) == 0)
        return 1;
    while (at > name && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at < slash && at - name >= 6 && strncmp(at - 6, "/base/", 6) == 0;
}

void dsn__find_postgresql(struct dsn__case *c)
{
    for (size_t i = 0; i < c->r->nfiles && !c->has_postgresql; i++) {
        const char *name = darshan_reader_name(c->r->log, c->r->files[i].id);

        c->has_postgresql = name && is_beside_tables(name);
    }
}

/* Whether it is one of the files that a server makes for its own purposes: how many, and how they are opened, is not in the
 * hands of who uses it. */
int dsn__is_of_server(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const char *name = c->has_postgresql ? darshan_reader_name(c->r->log, f->id) : NULL;

    return name && (is_beside_tables(name) || is_table(name));
}

/* Journals and tables of databases, by their customary names: SQLite, InnoDB, Aria, RocksDB and LevelDB, PostgreSQL, LMDB, Redis. */
int dsn__is_database(const struct dsn__case *c, const struct dsn_report_file *f)
{
    static const char *const ends[] = { "-journal", "-wal", ".ibd", ".ibu", ".db",  ".sqlite", ".sqlite3", ".db3",
                                        ".MAI",     ".MAD", ".sst", ".ldb", ".mdb", ".wal",    ".aof" };
    static const char *const starts[] = { "ib_logfile", "ibdata",   "#ib_",      "#innodb", "undo",
                                          "ibtmp",      "aria_log", "MANIFEST-", "binlog.", "mysql-bin." };
    const char *name = darshan_reader_name(c->r->log, f->id), *slash = name ? strrchr(name, '/') : NULL;
    const char *base = slash ? slash + 1 : name ? name : "";
    const char *dot = strrchr(base, '.'), *dash = strrchr(base, '-');

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const char *end = *ends[i] == '.' ? dot : dash;

        if (end && end[1] == ends[i][1] && strcmp(end, ends[i]) == 0)
            return 1;
    }
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (*base == *starts[i] && strncmp(base, starts[i], strlen(starts[i])) == 0)
            return 1;
    return (strspn(base, "0123456789") == 6 && strcmp(base + 6, ".log") == 0) || dsn__is_of_server(c, f);
}

/* ------------------------------------------------------------------ the files that are concerned */

/* Whether the program itself makes the calls, rather than a library on top, or a database. */
static int is_own_call(const struct dsn__case *c, const struct dsn_report_file *f)
{
    const char *interface = dsn_file_interface(c->r, f);

    return !c->r->runs_interpreter && !dsn__is_of_server(c, f) &&
           (strcmp(interface, "POSIX") == 0 || strcmp(interface, "STDIO") == 0);
}

double dsn__concern(const struct dsn__case *c, double (*part)(const struct dsn__case *, const struct dsn_report_file *),
                    const struct dsn_report_file *f)
{
    const double seconds = part(c, f);

    if (seconds < 0 || c->needs == 0)
        return seconds;
    if ((c->needs & DSN_NEEDS_OWN_CALLS && !is_own_call(c, f)) ||
        (c->needs & DSN_NEEDS_SEPARATE && dsn__is_collective_file(c->r, f)) ||
        (c->needs & DSN_NEEDS_ONE_FILE && f->is_aggregated) || (c->needs & DSN_NEEDS_DATA && f->kind == DSN_FILE_CODE))
        return DSN_UNCONCERNED;
    return seconds;
}

struct dsn__sums dsn__sum_parts(const struct dsn__case *c,
                                double (*part)(const struct dsn__case *, const struct dsn_report_file *))
{
    struct dsn__sums s = { 0 };

    for (size_t i = 0; i < c->r->nfiles; i++) {
        const struct dsn_report_file *f = &c->r->files[i];

        if (f->is_exempt || dsn__concern(c, part, f) < 0)
            continue;
        s.files++;
        s.flushes += (double)f->flushes;
        s.mmaps += (double)f->mmaps;
        dsn_work_add(&s.work, &f->work);
        s.data_reads += dsn_data_reads(f);
        s.extent += dsn_extent(f);
        s.most_opens = fmax(s.most_opens, (double)f->opens);
        s.calls += (double)f->posix_calls;
        s.opens += (double)f->opens;
        s.seeks += (double)f->seeks;
        s.stats += (double)f->stats;
        s.syncs += (double)f->syncs;
        s.small_reads += (double)f->small_reads;
        s.small_writes += (double)f->small_writes;
        s.random_reads += (double)f->random_reads;
        s.random_writes += (double)f->random_writes;
        s.unaligned += (double)f->unaligned;
        s.mpi_independent += (double)f->mpi_independent;
        s.mpi_collective += (double)f->mpi_collective;
        s.mpi_bytes += (double)f->mpi_read + (double)f->mpi_written;
        s.read_extent += (double)f->read_extent;
        s.write_extent += (double)f->write_extent;
    }
    return s;
}

/* Whether most of the seconds that a finding is about are a database's. */
int dsn__is_of_database(const struct dsn__case *c,
                        double (*part)(const struct dsn__case *, const struct dsn_report_file *))
{
    double all = 0, of_database = 0;

    for (size_t i = 0; i < c->r->nfiles; i++) {
        const double seconds = c->r->files[i].is_exempt ? 0 : dsn__concern(c, part, &c->r->files[i]);

        all += fmax(seconds, 0);
        of_database += seconds > 0 && dsn__is_database(c, &c->r->files[i]) ? seconds : 0;
    }
    return of_database > all / 4;
}

int dsn__is_shared(const struct dsn__case *c, const struct dsn_report_file *f)
{
    return dsn_file_sharing(c->r, f) != DSN_OF_ONE_RANK;
}

/* Read below MPI-IO, although the program only wrote. */
int dsn__is_sieved(const struct dsn_report_file *f)
{
    return f->mpi_written > 0 && f->mpi_read == 0 &&
           (double)f->work.reads > dsn_thresholds.sieving * (double)f->work.writes;
}

int dsn__is_narrow(const struct dsn_report *r, const struct dsn_report_file *f)
{
    const struct dsn_layout *layout = f->layout >= 0 ? dsn_layouts_at(&r->layouts, (size_t)f->layout) : NULL;
    int64_t most = 0;

    for (size_t i = 0; layout && i < layout->ncomps; i++)
        most = layout->comps[i].stripe_count > most ? layout->comps[i].stripe_count : most;
    return layout && most == 1;
}

/* "over ", where files without a record of their own may be more of them. */
const char *dsn__over(const struct dsn__case *c, int at_start)
{
    return c->r->f.aggregated_opens == 0 ? "" : at_start ? "Over " : "over ";
}

/* Seconds saved if `time` were spent at the rate of large requests. Small requests that are faster than this do not
 * wait for storage: they hit a cache, which would be faster for large ones, too. */
double dsn__excess(double time, double bytes, double rate)
{
    if (bytes > rate * time)
        rate = fmax(rate, dsn_thresholds.cache_rate);
    return fmax(time - bytes / rate, 0);
}

double dsn__time_part(const struct dsn__case *c, const struct dsn_report_file *f)
{
    (void)c;
    return dsn_work_time(&f->work);
}
