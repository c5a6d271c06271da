/* gen-tables.c - prints reference tables from the rows that the code itself is made of
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     gen-tables counters       modules and counters, in Markdown, for doc/counters.md
 *     gen-tables findings       what darshan-job-summary finds, in Markdown, for doc/findings.md
 *     gen-tables environment    environment variables, in man macros, for darshan(7)
 *     gen-tables directives     what the configuration file may hold, in the same way
 *     gen-tables prefixes       directories that are not recorded, as a list of words */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "darshan-log-format/extension.h"
#include "darshan-log-format/index.h"
#include "darshan-log-format/table.h"
#include "util/report/thresholds.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* clang-format off */
static const char *const unit_words[] = {
    [DSN_OPS] = "operations",
    [DSN_COUNT] = "count",
    [DSN_BYTES] = "bytes",
    [DSN_SECONDS] = "seconds",
    [DSN_TIMESTAMP] = "time stamp",
    [DSN_RANK] = "rank",
    [DSN_RECID] = "record id",
    [DSN_BITS] = "bits",
    [DSN_SECONDS2] = "seconds²",
    [DSN_BYTES2] = "bytes²"
};

/* How the values of several ranks become one. LEADER is the row that a follower goes with. */
static const char *const reduction_words[] = {
    [DSN_SUM] = "sum",
    [DSN_SUM_ABSENT] = "sum; -1 (not available) stays",
    [DSN_MAX] = "highest",
    [DSN_MIN_NZ] = "lowest above 0",
    [DSN_KEEP] = "any",
    [DSN_ANY1] = "1 if any is 1",
    [DSN_LEAST] = "least",
    [DSN_MOST] = "most",
    [DSN_FOLLOW] = "from the rank of",
    [DSN_TOP] = "the four most frequent",
    [DSN_PART] = "part of the group above",
    [DSN_SPREAD] = "population variance"
};
/* clang-format on */

static const char *const kind_words[] = {
    [DSN_I64] = "int64", [DSN_U64] = "uint64", [DSN_F64] = "double", [DSN_RAW] = "bytes"
};

static const char *word(const char *const *words, size_t n, unsigned at)
{
    return at < n && words[at] ? words[at] : "?";
}

static void print_table(const struct dsn_table *t)
{
    printf("\n### %s, version %u\n\n", t->name, t->version);
    printf("| # | counter | kind | unit | over ranks | versions | meaning |\n|--:|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < t->nrows; i++) {
        const struct dsn_row *r = &t->rows[i];
        const char *leader = r->at >= 0 && r->red == DSN_FOLLOW ? dsn_table_row(t, r->leader)->name : "";

        if (r->fate == DSN_ARRAY) {
            printf("| | `%s` ... | array | %s | | | %s |\n", r->name, word(unit_words, COUNT(unit_words), r->unit),
                   r->doc);
            continue;
        }
        if (r->at < 0) {
            printf("| | `%s` | %s | | | %u to %u | |\n", r->name, word(kind_words, COUNT(kind_words), r->kind),
                   r->since, r->until - 1);
            continue;
        }
        printf("| %d | `%s` | %s | %s | %s%s%s%s | %u on | %s |\n", r->at, r->name,
               word(kind_words, COUNT(kind_words), r->kind), word(unit_words, COUNT(unit_words), r->unit),
               word(reduction_words, COUNT(reduction_words), r->red), *leader ? " `" : "", leader, *leader ? "`" : "",
               r->since, r->doc);
    }
}

static void print_counters(void)
{
    printf(
        "# Counters\n\nPrinted from the tables in `darshan-log-format/`. The number is the value's place in a record,"
        " behind\nits id (8 bytes) and rank (8 bytes); each value has 8 bytes.\n\n## Modules\n\n"
        "| id | name | prefix | version |\n|--:|---|---|--:|\n");
    for (unsigned id = 0; id < DSN_KNOWN_MODULES; id++)
        printf("| %u | %s | `%s` | %u |\n", id, dsn_module_name(id), dsn_module_key(id), dsn_module_version(id));
    printf("\n## Records\n");
    for (unsigned id = 0; id < DSN_KNOWN_MODULES; id++)
        if (dsn_table(id))
            print_table(dsn_table(id));
    printf("\n## Extension section\n");
    print_table(&dsn_rank_table);
    print_table(&dsn_sharing_table);
    print_table(&dsn_lbio_table);
    print_table(&dsn_files_table);
    print_table(&dsn_phases_table);
    print_table(&dsn_sites_table);
    print_table(&dsn_mapped_table);
    print_table(&dsn_cufile_table);
}

enum option_type { FLAG, TEXT, MIB, BYTES, INT, SHARE, REGEX, RANKS, MODULES, NAMES, LIMITS };

/* What stands behind the key, or is the value of the variable. */
static const char *const argument_words[] = { [FLAG] = "",
                                              [TEXT] = "TEXT",
                                              [MIB] = "MIB",
                                              [BYTES] = "BYTES",
                                              [INT] = "NUMBER",
                                              [SHARE] = "SHARE",
                                              [REGEX] = "REGEX,...",
                                              [RANKS] = "RANK,...",
                                              [MODULES] = "MOD,...",
                                              [NAMES] = "REGEX,... MOD,...",
                                              [LIMITS] = "NUMBER MOD,..." };

static const struct option {
    const char *variable, *key, *text, *help;
    enum option_type type;
    int64_t number;
} options[] = {
/* clang-format off */
#define FALLBACK_FLAG(value)  .number = value
#define FALLBACK_TEXT(value)  .text = value
#define FALLBACK_MIB(value)   .number = value
#define FALLBACK_BYTES(value) .number = value
#define FALLBACK_INT(value)   .number = value
#define FALLBACK_SHARE(value) .number = value
#define O(field, type_, variable_, key_, fallback, least, most, help_) \
    { .variable = variable_, .key = key_, .help = help_, .type = type_, FALLBACK_##type_(fallback) },
#define L(field, type_, variable_, key_, pair, help_) \
    { .variable = variable_, .key = key_, .help = help_, .type = type_ },
#include "runtime/config/option.def"
#undef O
#undef L
    /* clang-format on */
};

static void print_help(const struct option *o)
{
    printf("%c%s.", o->help[0] - ('a' <= o->help[0] && o->help[0] <= 'z' ? 32 : 0), o->help + 1);
    if (o->type == TEXT && *o->text)
        printf(" Default: %s.", o->text);
    else if (o->type == MIB)
        printf(" Default: %g.", (double)o->number / (1 << 20));
    else if (o->type == INT || o->type == BYTES)
        printf(" Default: %" PRId64 ".", o->number);
}

static void print_environment(void)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        const struct option *o = &options[i];

        if (!*o->variable)
            continue;
        printf(".TP\n.BI %s%s%s\n", o->variable, o->type == FLAG ? "" : " =", argument_words[o->type]);
        print_help(o);
        printf("%s\n", o->type == FLAG ? " Any value will do, an empty one too." : "");
    }
}

/* What has a variable, too, is explained there. */
static void print_directives(void)
{
    for (size_t i = 0; i < COUNT(options); i++) {
        const struct option *o = &options[i];
        const size_t first = strcspn(o->key, " ");

        if (!*o->key)
            continue;
        printf(".TP\n.BI \"%.*s \" \"%s\"\n", (int)first, o->key, argument_words[o->type]);
        if (*o->variable)
            printf("As %s.", o->variable);
        else
            print_help(o);
        printf("%s%s%s\n", o->key[first] ? " Another spelling is " : "", o->key[first] ? o->key + first + 1 : "",
               o->key[first] ? "." : "");
    }
}

struct finding {
    const char *id, *title, *condition;
    unsigned needs;
    struct {
        const char *posix, *mpiio, *hdf5, *pnetcdf, *dfs, *alone, *alone_hdf5, *whole, *database, *reading, *blind,
            *each, *flushing, *through;
    } advice;
    const char *reference;
};

enum {
#define NEED(symbol, bit, text) DSN_NEEDS_##symbol = 1 << bit,
#include "util/report/needs.def"
#undef NEED
};

static void print_needs(const struct finding *f)
{
#define NEED(symbol, bit, text)                                                                                        \
    if (f->needs & DSN_NEEDS_##symbol)                                                                                 \
        printf("Only where %s.\n\n", text);
#include "util/report/needs.def"
#undef NEED
}

/* What the highest interface offers, unless it is the same as for the one below. */
static void print_advice(const struct finding *f)
{
    const struct {
        const char *interface, *text;
    } advice[] = { { "POSIX", f->advice.posix },
                   { "MPI-IO", f->advice.mpiio },
                   { "HDF5", f->advice.hdf5 },
                   { "PnetCDF", f->advice.pnetcdf },
                   { "DFS", f->advice.dfs },
                   { "one rank", f->advice.alone },
                   { "HDF5 on one rank", f->advice.alone_hdf5 },
                   { "files smaller than 1 MiB", f->advice.whole },
                   { "databases", f->advice.database },
                   { "mostly reading, or renaming", f->advice.reading },
                   { "MPI-IO without records of the calls below", f->advice.blind },
                   { "many files, once each", f->advice.each },
                   { "streams that are flushed, without fsync", f->advice.flushing },
                   { "files opened with O_SYNC or O_DSYNC", f->advice.through } };

    for (size_t i = 0; i < COUNT(advice); i++)
        if (advice[i].text)
            printf("- %s: %s\n", advice[i].interface, advice[i].text);
}

static void print_findings(void)
{
    static const struct finding findings[] = {
#define ADVICE(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
#define FINDING(symbol, id, title, condition, needs, advice, reference, ...)                                           \
    { id, title, condition, needs, advice, reference },
#include "util/report/findings.def"
#undef FINDING
#undef ADVICE
    };

    printf(
        "# What darshan-job-summary finds\n\nIn JSON findings go by the names in brackets. Small means requests of up "
        "to 100 KiB. What each costs is an\nestimate of the seconds by which the slowest rank would be faster; they "
        "overlap, and must not be added up.\n");
    for (size_t i = 0; i < COUNT(findings); i++) {
        const struct finding *f = &findings[i];
        char condition[DSN_CONDITION_MAX];

        printf("\n## %s (%s)\n\nIf %s.\n\n", f->title, f->id, dsn_condition_text(f->condition, condition));
        print_needs(f);
        print_advice(f);
        printf("\nMore: %s.\n", f->reference);
    }
    printf("\n## Thresholds\n\nA site may set others, see darshan-job-summary(1). Shares are of 1, sizes in bytes.\n\n"
           "| name | value | what it is |\n|---|---|---|\n");
#define THRESHOLD(name, kind, value, doc) printf("| %s | %.10g | %s |\n", #name, (double)(value), doc);
#include "util/report/thresholds.def"
#undef THRESHOLD
}

/* The directories that are never recorded: "a, b and c". */
static void print_prefixes(void)
{
    static const char *const prefix[] = {
#define P(path) path,
#include "runtime/config/prefixes.def"
#undef P
    };
    const size_t n = COUNT(prefix);

    for (size_t i = 0; i < n; i++)
        printf("%s%.*s", i == 0 ? "" : i + 1 < n ? ", " : " and ", (int)strlen(prefix[i]) - 1, prefix[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "counters") == 0) {
        print_counters();
    } else if (argc == 2 && strcmp(argv[1], "findings") == 0) {
        print_findings();
    } else if (argc == 2 && strcmp(argv[1], "environment") == 0) {
        print_environment();
    } else if (argc == 2 && strcmp(argv[1], "directives") == 0) {
        print_directives();
    } else if (argc == 2 && strcmp(argv[1], "prefixes") == 0) {
        print_prefixes();
    } else {
        fprintf(stderr, "usage: gen-tables counters|findings|environment|directives|prefixes\n");
        return 2;
    }
    return fflush(stdout) != 0 || ferror(stdout);
}
