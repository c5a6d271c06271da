/* accounting.c - darshan-accounting: a database of all logs of a site, and queries
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/account/accounting.h"
#include "util/account/anonym.h"
#include "util/account/import.h"
#include "util/account/retain.h"
#include "util/account/schema.h"
#include "util/account/share.h"
#include "util/account/top.h"
#include "util/account/waited.h"
#include "util/command/common.h"
#include "command-line/options.h"

#define DEFAULT_DB      "accounting.db"
#define DEFAULT_RECORDS 100000

static int init(struct dsn_accounting *a)
{
    return a->keep_days < 0 || dsn_keep_days(a->db, a->keep_days) ? 0 : dsn_db_complain(a); /* opening has done it */
}

static const char *pseudonym_misuse(const struct dsn_accounting *a)
{
    return a->key_file ? NULL : "--anonymize FILE with the key is needed";
}

/* Prints pseudonyms of names, so that the owner of the key can find them. A number is a uid. */
static int pseudonyms(struct dsn_accounting *a)
{
    for (int i = 0; i < a->narguments; i++) {
        char text[DSN_PSEUDONYM];
        int64_t number;

        dsn_anonym_text(a->anonym, a->arguments[i], text);
        if (dsn_number(a->arguments[i], 0, &number))
            printf("%s %s %" PRId64 "\n", a->arguments[i], text, dsn_anonym_number(a->anonym, number));
        else
            printf("%s %s\n", a->arguments[i], text);
    }
    if (fflush(stdout) == 0)
        return 0;
    fprintf(stderr, DSN_ACCOUNTING ": cannot write the output: %s\n", strerror(errno));
    return 1;
}

enum need { NO_DATABASE, TO_READ, TO_FILL, TO_SHARE, TO_MAKE };

static const struct word {
    const char *name, *arguments, *purpose;
    enum need need;
    int least, most; /* arguments */
    int lists;       /* without arguments it prints a list, and needs no database */
    int (*run)(struct dsn_accounting *a);
    const char *(*misuse)(const struct dsn_accounting *a); /* checks the arguments: NULL, or what is wrong; NULL: no
                                                            * check */
} words[] = {
    { "init", "", "create the database, or upgrade it to this release", TO_MAKE, 0, 0, 0, init, NULL },
    { "ingest", "DIRECTORY|LOG...", "add new logs", TO_SHARE, 1, 1 << 30, 0, dsn_ingest, NULL },
    { "watch", "DIRECTORY...", "repeat ingest", TO_FILL, 1, 1 << 30, 0, dsn_watch, NULL },
    { "forget", "DIRECTORY|LOG...", "remove logs that were ingested from there; their files need not exist any more",
      TO_FILL, 1, 1 << 30, 0, dsn_forget, NULL },
    { "import", "KIND FILE...", "import other data; without arguments, list the kinds", TO_FILL, 0, 1 << 30, 1,
      dsn_import, dsn_import_misuse },
    { "query", "[NAME]", "run a query; without a name, list them", TO_READ, 0, 1, 1, dsn_query, dsn_query_misuse },
    { "study", "", "run all queries of the study", TO_READ, 0, 0, 0, dsn_study, NULL },
    { "report", "", "write the study as one HTML page, to --output", TO_READ, 0, 0, 0, dsn_report, NULL },
    { "export", "DIRECTORY", "write every table as CSV", TO_READ, 1, 1, 0, dsn_export, dsn_export_misuse },
    { "check", "", "check the integrity of the database", TO_READ, 0, 0, 0, dsn_check, NULL },
    { "pseudonym", "NAME...", "with --anonymize: print the pseudonyms of names", NO_DATABASE, 1, 1 << 30, 0, pseudonyms,
      pseudonym_misuse },
};
#define NWORDS (sizeof words / sizeof words[0])

enum {
    OPT_DB = 1,
    OPT_JSON,
    OPT_CSV,
    OPT_RAW,
    OPT_FROM,
    OPT_TO,
    OPT_PROCS,
    OPT_MIB,
    OPT_MAXIMUM,
    OPT_RECORDS,
    OPT_KEEP,
    OPT_EVERY,
    OPT_JOBS,
    OPT_ANONYMIZE,
    OPT_FORMAT,
    OPT_FORCE,
    OPT_MACHINE,
    OPT_BY,
    OPT_TOP,
    OPT_REPORTS
};

static const struct dsn_option options[] = {
    { "db", "NAME", "the database: a file (" DEFAULT_DB ") or postgresql://USER@HOST/DATABASE", OPT_DB },
    { "machine", "NAME",
      "ingest, import: the machine of what is added, and from now on of logs in these directories; else: only what is "
      "of this machine",
      OPT_MACHINE },
    { "by", "COLUMN", "query: order by this column, the largest first; the beginning of its name will do", OPT_BY },
    { "top", "N|knee",
      "query: only the first N programs of program-ranking, or those up to the knee of its curve; shares are of these",
      OPT_TOP },
    { "jobs", "N", "read N logs concurrently (one per processor)", OPT_JOBS },
    { "max-records", "N", "keep at most N records per log and kind of detail (100000); totals include all",
      OPT_RECORDS },
    { "keep-days", "N", "init: keep these for N days, 0: forever (0); totals are kept forever", OPT_KEEP },
    { "anonymize", "FILE", "replace names by pseudonyms, with the key in FILE", OPT_ANONYMIZE },
    { "every", "SECONDS", "watch: seconds between two passes (600)", OPT_EVERY },
    { "output", "FILE", "report: output file (report.html)", 'o' },
    { "reports", "NAME",
      "report: make reports of the jobs that it names, in this directory beside it, and link to them", OPT_REPORTS },
    { "format", "FORM", "export: csv, a file per table (csv); or csv.zst, DIRECTORY/TABLE/month=YYYY-MM/part.csv.zst",
      OPT_FORMAT },
    { "force", NULL, "export: replace DIRECTORY, if an export made it", OPT_FORCE },
    { "json", NULL, "print JSON", OPT_JSON },
    { "csv", NULL, "print CSV; text that a spreadsheet would take for a formula is prefixed with an apostrophe",
      OPT_CSV },
    { "raw", NULL, "--csv: text unchanged, for scripts", OPT_RAW },
    { "from", "TIME",
      "only logs, jobs and samples from then on: YYYY-MM-DD[THH:MM:SS], local or with an offset, or seconds since 1970",
      OPT_FROM },
    { "to", "TIME", "and before then", OPT_TO },
    { "min-procs", "N", "figures of projects: logs with at least N processes (1024)", OPT_PROCS },
    { "min-mib", "N", "and at least N MiB (500)", OPT_MIB },
    { "site-maximum", "N", "MiB/s per compute node that the file system can deliver; higher rates are counted",
      OPT_MAXIMUM },
};

static int read_real(const char *text, double *out)
{
    char *end;

    *out = strtod(text, &end);
    return end != text && *end == '\0' && *out >= 0;
}

static int take_format(struct dsn_accounting *a, const char *name)
{
    a->is_by_month = strcmp(name, "csv.zst") == 0;
    return a->is_by_month || strcmp(name, "csv") == 0;
}

static int take_option(void *context, int value, const char *argument)
{
    struct dsn_accounting *a = context;

    switch (value) {
    case OPT_DB:
        a->file = argument;
        return argument[0] != '\0';
    case OPT_JOBS:
        return dsn_number(argument, 1, &a->jobs) && a->jobs <= 256;
    case OPT_RECORDS:
        return dsn_number(argument, 0, &a->max_records) && a->max_records < DSN_RECORDS_A_LOG;
    case OPT_KEEP:
        return dsn_number(argument, 0, &a->keep_days) && a->keep_days < 1000000;
    case OPT_EVERY:
        return dsn_number(argument, 1, &a->every);
    case OPT_ANONYMIZE:
        a->key_file = argument;
        return 1;
    case 'o':
        a->output = argument;
        return argument[0] != '\0';
    case OPT_JSON:
        a->form = DSN_FORM_JSON;
        return 1;
    case OPT_CSV:
        a->form = DSN_FORM_CSV;
        return 1;
    case OPT_RAW:
        a->is_raw = 1;
        return 1;
    case OPT_FORMAT:
        return take_format(a, argument);
    case OPT_MACHINE:
        a->machine = argument;
        return strlen(argument) < DSN_MACHINE;
    case OPT_BY:
        a->by = argument;
        return argument[0] != '\0';
    case OPT_TOP:
        return dsn_top_read(argument, &a->top);
    case OPT_REPORTS:
        a->reports = argument;
        return argument[0] != '\0' && argument[0] != '/';
    case OPT_FORCE:
        a->force = 1;
        return 1;
    case OPT_FROM:
        return dsn_import_time(argument, &a->from) == DSN_TIME;
    case OPT_TO:
        return dsn_import_time(argument, &a->to) == DSN_TIME;
    case OPT_PROCS:
        return dsn_number(argument, 1, &a->min_procs);
    case OPT_MIB:
        return read_real(argument, &a->min_mib);
    default:
        return read_real(argument, &a->site_maximum);
    }
}

/* Opens the database as the subcommand requires, or reports why not. */
static int open_database(struct dsn_accounting *a, enum need need)
{
    static const enum dsn_db_how how[] = {
        [TO_READ] = DSN_DB_READ, [TO_FILL] = DSN_DB_WRITE, [TO_SHARE] = DSN_DB_WRITE, [TO_MAKE] = DSN_DB_CREATE
    };
    const int shares = need == TO_SHARE && !dsn_db_on_server(a->file); /* on a server, ranks need no parts */
    const int looks = need == TO_READ || (shares && a->share.rank > 0);

    if (need != TO_MAKE && !dsn_db_on_server(a->file) && access(a->file, F_OK) != 0) {
        dsn_warn(DSN_ACCOUNTING, a->file,
                 "the database does not exist; create it with `" DSN_ACCOUNTING " --db FILE init`");
        return 0;
    }
    if (shares && a->share.size > 1 && !dsn_share_enter(a))
        return 0;
    if (shares && a->share.rank > 0)
        a->frozen = dsn_share_frozen(a->file);
    a->known = a->frozen ? a->frozen : a->file;
    a->db = dsn_db_open(a->known, looks ? DSN_DB_READ : how[need]);
    if (!a->db) {
        fprintf(stderr, DSN_ACCOUNTING ": out of memory\n");
        return 0;
    }
    if (!dsn_db_error(a->db) && (looks ? dsn_schema_verify(a->db) : dsn_schema_upgrade(a->db, need == TO_MAKE)) &&
        (need == TO_READ || (need == TO_MAKE && !a->anonym) || dsn_anonym_agree(a)))
        return 1;
    dsn_db_complain(a);
    return 0;
}

static int run_word(struct dsn_accounting *a, const struct word *word)
{
    int rc = 1;

    static char machine[DSN_PSEUDONYM];

    if ((word->run == dsn_ingest || word->run == dsn_watch) && !dsn_waited_thresholds())
        return 1;
    if (a->key_file && !(a->anonym = dsn_anonym_read(a->key_file)))
        return 1;
    if (a->anonym && a->machine[0]) {
        dsn_anonym_text(a->anonym, a->machine, machine);
        a->machine = machine;
    }
    if (word->need == NO_DATABASE || (word->lists && a->narguments == 0) || open_database(a, word->need))
        rc = word->run(a);
    dsn_db_close(a->db);
    dsn_anonym_free(a->anonym);
    free(a->frozen);
    return rc;
}

/* The usage text with the list of subcommands. */
static const char *purpose(void)
{
    static char text[1400];
    size_t n = (size_t)snprintf(text, sizeof text, "Maintains a database of a site's Darshan logs. Commands:\n");

    for (size_t i = 0; i < NWORDS && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "\n  %-10s%-17s %s", words[i].name, words[i].arguments,
                              words[i].purpose);
    return text;
}

static const struct word *find_word(const char *name)
{
    for (size_t i = 0; i < NWORDS; i++)
        if (strcmp(name, words[i].name) == 0)
            return &words[i];
    return NULL;
}

static int unknown(const struct dsn_command *c, const char *name)
{
    struct dsn_nearest nearest = { .word = name };

    for (size_t i = 0; i < NWORDS; i++)
        dsn_nearest(&nearest, words[i].name);
    return dsn_unknown(c, &nearest);
}

int main(int argc, char **argv)
{
    struct dsn_command command = { DSN_ACCOUNTING, "[options] COMMAND [argument...]",  NULL,
                                   options,        sizeof options / sizeof options[0], NULL };
    struct dsn_accounting a = { .file = DEFAULT_DB,
                                .jobs = sysconf(_SC_NPROCESSORS_ONLN),
                                .max_records = DEFAULT_RECORDS,
                                .keep_days = -1,
                                .every = 600,
                                .machine = "",
                                .output = "report.html",
                                .to = INT64_MAX,
                                .min_procs = 1024,
                                .min_mib = 500,
                                .site_maximum = 1e308 };
    const struct word *word;
    const char *misuse;
    int rc;

    dsn_begin();
    dsn_share_find(&a.share);
    command.purpose = purpose();
    rc = dsn_options(&command, argc, argv, take_option, &a);
    if (rc >= 0)
        return rc;
    a.arguments = argv + optind + 1;
    a.narguments = argc - optind - 1;
    if (optind >= argc)
        return dsn_usage(&command, "no command given");
    word = find_word(argv[optind]);
    if (!word)
        return unknown(&command, argv[optind]);
    if (a.narguments < word->least)
        return dsn_usage(&command, "%s: no %s given", word->name, word->arguments);
    if (a.narguments > word->most)
        return dsn_usage(&command, "%s: unexpected argument %s", word->name, a.arguments[word->most]);
    if (a.top && word->run != dsn_query)
        return dsn_usage(&command, "%s: --top is for query", word->name);
    misuse = word->misuse ? word->misuse(&a) : NULL;
    if (misuse)
        return dsn_usage(&command, "%s %s: %s", word->name, a.arguments[0], misuse);
    return run_word(&a, word);
}
