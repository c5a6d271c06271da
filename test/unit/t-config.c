/* t-config.c - values of settings, the configuration file, precedence, filters, exclusion
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"
#include "config/option.h"
#include "config/settings.h"
#include "config/value.h"
#include "darshan-log-format/hash.h"
#include "life/start.h"
#include "life/state.h"
#include "record/exclude-late.h"
#include "record/exclude.h"
#include "record/module-events.h"
#include "record/module.h"
#include "record/names.h"
#include "record/pattern.h"
#include "record/record.h"
#include "record/span.h"
#include "unit.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ------------------------------------------------------------------ values */

static const struct {
    const char *text;
    int64_t unit;
    int64_t want; /* -1: not understood */
} bytes_cases[] = {
    { "4", 1 << 20, 4 << 20 },
    { "0.5", 1 << 20, 1 << 19 },
    { "2.25", 1 << 20, 2359296 },
    { "0.1", 1 << 20, 104857 },
    { "512K", 1 << 20, 512 << 10 },
    { "512KiB", 1 << 20, 512 << 10 },
    { "1.5MB", 1, 3 << 19 },
    { "2G", 1, INT64_C(2) << 30 },
    { "1T", 1, INT64_C(1) << 40 },
    { "16777217", 1, 16777217 }, /* a float would make it 16777216 */
    { "64", 1, 64 },
    { "0.5", 1, -1 }, /* of a byte */
    { "", 1, -1 },
    { "K", 1, -1 },
    { ".5", 1 << 20, -1 },
    { "5.", 1 << 20, -1 },
    { "4k", 1, -1 },
    { "4KK", 1, -1 },
    { "4Ki", 1, -1 },
    { "4 K", 1, -1 },
    { " 4", 1, -1 },
    { "-4", 1, -1 },
    { "+4", 1, -1 },
    { "0x10", 1, -1 },
    { "1e3", 1, -1 },
    { "inf", 1, -1 },
    { "nan", 1, -1 },
    { "9223372036854775807", 1 << 20, -1 },
    { "9223372036854775808", 1, -1 },
    { "99999999999999999999999999", 1, -1 },
    { "16777216T", 1, -1 },
};

START_TEST(bytes)
{
    int64_t n = -1;
    const int ok = dsn__parse_bytes(bytes_cases[_i].text, bytes_cases[_i].unit, &n);

    ck_assert_int_eq(ok, bytes_cases[_i].want >= 0);
    ck_assert_int_eq(n, bytes_cases[_i].want);
}
END_TEST

static const struct {
    const char *text;
    double want; /* -1: not understood */
} shares[] = { { "0.8", 0.8 }, { "0", 0 }, { "1", 1 }, { "0.123456789123", 0.123456789 }, { "0,8", -1 }, { "x", -1 } };

START_TEST(share)
{
    double got = -1;

    ck_assert_int_eq(dsn__parse_share(shares[_i].text, &got), shares[_i].want >= 0);
    ck_assert_double_eq_tol(got, shares[_i].want, 1e-12);
}
END_TEST

/* Which of the ranks 0 to 9 are on a list. */
static const struct {
    const char *list, *want;
} ranks_cases[] = {
    { "3", "3" },          { "0:2,1", "012" }, { "1,3,5", "135" },
    { "7:", "789" },       { ":2", "012" },    { "*", "0123456789" },
    { ":", "0123456789" }, { "2:2", "2" },     { "", "" },
    { ",,4,,", "4" },      { "100", "" },      { "5:3", "" },
    { "x,2", "2" },        { "2x", "" },       { "1:2:3", "" },
    { "-1", "" },          { "1-3", "" },      { "99999999999999999999", "" },
};

START_TEST(ranks)
{
    char got[11] = "";

    for (int rank = 0; rank < 10; rank++)
        if (dsn__is_rank_listed(ranks_cases[_i].list, rank))
            got[strlen(got)] = (char)('0' + rank);
    ck_assert_str_eq(got, ranks_cases[_i].want);
}
END_TEST

static const struct {
    const char *expression;
    long want; /* counted by hand: a node a character that is matched, and one a group */
} costs[] = {
    { "", 0 },
    { "abc", 3 },
    { "a+b+c+", 6 },
    { "a*b?", 2 },
    { "(ab)", 3 },
    { "(ab)+", 6 },
    { "(a+b+)+", 10 },
    { "a{5}", 5 },
    { "a{2,7}b", 8 },
    { "a{3,}", 3 },
    { "(a{10}){10}", 110 },
    { "[[:alpha:]+]{3}", 3 },
    { "[]+]+", 2 },
    { "[^]+]x", 2 },
    { "\\+\\(a", 3 },
    { "a++++++++++", 1024 },
    { "a++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++++", 1000000 },
    { "((a{1000}){1000}){1000}", 1000000 },
    { "a{99999999999999999999}", 23 }, /* no interval: regcomp refuses it */
    { "a{1,2", 5 },
    { "((((((((((((((((((((((((((((((((((((((((((((((((((((((", 1000000 },
    { "a{", 2 },
    { "++++", 8 }, /* the first is an ordinary character */
    { "(+++)", 5 },
    { "*+++", 8 },
    { "x|a++", 6 },
    { "[a", 1 },
    { "\\", 1 },
    { ")", 1 },
};

START_TEST(cost)
{
    ck_assert_int_eq(dsn__expression_cost(costs[_i].expression), costs[_i].want);
}
END_TEST

/* Both ways of matching agree on every word where the short way answers at all. */
static const struct {
    const char *expression;
    int is_plain;
} plains[] = {
    { "ls", 1 },         { "^ls", 1 },         { "ls$", 1 },       { "^ls$", 1 },   { "(^|/)ls$", 1 }, { "(^|/)ls", 1 },
    { "(^|/)ls\\.", 1 }, { "^/usr/bin/", 1 },  { "a\\.b", 1 },     { "\\$ls", 1 },  { "ls\\$", 0 },    { "ls\\\\$", 1 },
    { "l.", 0 },         { "(^|/)(ls|b)", 0 }, { "l[s]", 0 },      { "ls+", 0 },    { "", 0 },         { "^", 0 },
    { "$", 0 },          { "^$", 0 },          { "(^|/)", 0 },     { "(^|/)$", 0 }, { "l|s", 0 },      { "(", 0 },
    { "l^s", 0 },        { "ls\\", 0 },        { "ls]", 1 },       { "ls}", 1 },    { "ls{2}", 0 },    { "\\ls", 0 },
    { "lsls", 1 },       { "^lsls$", 1 },      { "(^|/)lsls", 1 }, { "/", 1 },      { "ls$x", 0 },
};

START_TEST(plain)
{
    static const char *const words[] = { "",    "l",         "ls",          "lsls",     "als",      "lsa",
                                         "/ls", "/bin/ls",   "/bin/ls.x",   "/bin/als", "/lsls/ls", "a.b",
                                         "axb", "/usr/bin/", "x/usr/bin/y", "$ls",      "ls$",      "ls]",
                                         "ls}", "ls/ls/a",   "ls\\",        "l^s",      "alsls",    "lslsls" };
    const char *expression = plains[_i].expression;
    regex_t re;

    if (!plains[_i].is_plain) {
        ck_assert_int_eq(dsn__match_plain(expression, strlen(expression), "ls"), -1);
        return;
    }
    ck_assert_int_eq(regcomp(&re, expression, REG_EXTENDED | REG_NOSUB), 0);
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
        ck_assert_msg(dsn__match_plain(expression, strlen(expression), words[w]) ==
                          (regexec(&re, words[w], 0, NULL, 0) == 0),
                      "%s of %s", expression, words[w]);
    regfree(&re);
}
END_TEST

START_TEST(modules)
{
    ck_assert_uint_eq(dsn__parse_module("POSIX", 5), 1 << DSN_POSIX_MODULE);
    ck_assert_uint_eq(dsn__parse_module("MPI-IO,x", 6), 1 << DSN_MPIIO_MODULE);
    ck_assert_uint_eq(dsn__parse_module("BG/Q", 4), 1 << DSN_BGQ_MODULE);
    ck_assert_uint_eq(dsn__parse_module("*", 1), DSN_ALL_MODULES);
    ck_assert_uint_eq(dsn__parse_module("posix", 5), 0);
    ck_assert_uint_eq(dsn__parse_module("POSI", 4), 0);
    ck_assert_uint_eq(dsn__parse_module("", 0), 0);
}
END_TEST

/* ------------------------------------------------------------------ file and environment */

static struct dsn_config config;
static char store[16 * 1024];

static void clean_environment(void)
{
    for (unsigned i = 0; i < dsn__noptions; i++)
        if (*dsn__options[i].variable)
            unsetenv(dsn__options[i].variable);
}

static void load_text(const char *text)
{
    dsn__config_free(&config);
    dsn__config_load_text(&config, store, sizeof store, "f", text, strlen(text));
}

/* What the dump says of a key; of a module's key with `module` set. */
static const char *dumped(const char *module, const char *key)
{
    static char text[64 * 1024], line[256];
    char label[64];
    const char *at = text;

    text[dsn__config_dump(&config, dsn__modules_present(), text, sizeof text - 1)] = '\0';
    if (module) {
        snprintf(label, sizeof label, "\n# %s module: ", module);
        at = strstr(text, label);
        ck_assert_ptr_nonnull(at);
        if (strcmp(key, "") == 0) {
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at + strlen(label), "\n"), at + strlen(label));
            return line;
        }
    }
    snprintf(label, sizeof label, "\n# %s = ", key);
    at = strstr(at, label);
    ck_assert_ptr_nonnull(at);
    at += strlen(label);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

/* Every directive once: a line, and what the dump says then. `module`: where the dump has it. */
static const struct {
    const char *line, *module, *key, *want;
} directives[] = {
    { "VERBOSE", NULL, "VERBOSE", "SET" },
    { "DUMP_CONFIG", NULL, "DUMP_CONFIG", "SET" },
    { "INTERNAL_TIMING", NULL, "INTERNAL_TIMING", "SET" },
    { "LOG_PER_PROCESS", NULL, "LOG_PER_PROCESS", "SET" },
    { "DISABLE_SHARED_REDUCTION extra words", NULL, "DISABLE_SHARED_REDUCTION", "SET" },
    { "LOGPATH /some/where", NULL, "LOGPATH", "/some/where" },
    { "MMAP_LOGPATH\t/dev/shm", NULL, "MMAP_LOGPATH", "/dev/shm" },
    { "MACHINE red", NULL, "MACHINE", "red" },
    { "  JOBID   MY_JOB  # words behind do not count", NULL, "JOBID", "MY_JOB" },
    { "LOGHINTS cb_nodes=2;x=y", NULL, "LOGHINTS", "cb_nodes=2;x=y" },
    { "LOGHINTS a=b\nLOGHINTS", NULL, "LOGHINTS", "NONE" },
    { "MODMEM 2.5", NULL, "MODMEM", "2.5 MiB" },
    { "MODMEM 3\nMODMEM 4", NULL, "MODMEM", "4 MiB" },
    { "NAMEMEM 0.25\r", NULL, "NAMEMEM", "256 KiB" },
    { "MEM_ALIGNMENT 4K", NULL, "MEM_ALIGNMENT", "4096" },
    { "MEMALIGN 64", NULL, "MEM_ALIGNMENT", "64" },
    { "FINALIZE_TIMEOUT 60", NULL, "FINALIZE_TIMEOUT", "60" },
    { "INIT_TIMEOUT 7", NULL, "INIT_TIMEOUT", "7" },
    { "MPI_SYNC", NULL, "MPI_SYNC", "SET" },
    { "GATHERMEM 0.5", NULL, "GATHERMEM", "0.5 MiB" },
    { "WRITERS 4", NULL, "WRITERS", "4" },
    { "TRACE /tmp/calls", NULL, "TRACE", "/tmp/calls" },
    { "TRACE_MAX 16", NULL, "TRACE_MAX", "16 MiB" },
    { "CLOCK_TSC", NULL, "CLOCK_TSC", "SET" },
    { "CALLSITES", NULL, "CALLSITES", "SET" },
    { "CLOCK_KERNEL", NULL, "CLOCK_KERNEL", "SET" },
    { "APP_EXCLUDE ls,^/bin/\nAPP_EXCLUDE cat$", NULL, "APP_EXCLUDE", "ls,^/bin/,cat$" },
    { "APP_EXCLUDE a\nAPP_EXCLUDE b\nJOBID J", NULL, "APP_EXCLUDE", "a,b" },
    { "APP_INCLUDE a|b", NULL, "APP_INCLUDE", "a|b" },
    { "RANK_EXCLUDE 1:3,\nRANK_EXCLUDE 5:", NULL, "RANK_EXCLUDE", "1:3,5:" },
    { "RANK_INCLUDE *", NULL, "RANK_INCLUDE", "*" },
    { "MOD_DISABLE STDIO,MPI-IO", "MPI-IO", "", "DISABLED" },
    { "MOD_DISABLE STDIO,MPI-IO", "POSIX", "", "ENABLED" },
    { "MOD_DISABLE *\nMOD_ENABLE POSIX", "POSIX", "", "ENABLED" },
    { "MOD_DISABLE *\nMOD_ENABLE POSIX", "STDIO", "", "DISABLED" },
    { "MAX_RECORDS 5 POSIX,STDIO\nMAX_RECORDS 7 STDIO", "STDIO", "MAX_RECORDS", "7" },
    { "MAX_RECORDS 5 POSIX,STDIO\nMAX_RECORDS 7 STDIO", "POSIX", "MAX_RECORDS", "5" },
    { "MAX_RECORDS 9 *", "MPI-IO", "MAX_RECORDS", "9" },
    { "MAX_RECORDS 9 POSIX", "MPI-IO", "MAX_RECORDS", "NONE" },
    { "NAME_EXCLUDE \\.so$,^/x POSIX\nNAME_EXCLUDE y *", "POSIX", "NAME_EXCLUDE", "\\.so$,^/x,y" },
    { "NAME_EXCLUDE \\.so$,^/x POSIX\nNAME_EXCLUDE y *", "STDIO", "NAME_EXCLUDE", "y" },
    { "NAME_INCLUDE ^/etc/ STDIO", "STDIO", "NAME_INCLUDE", "^/etc/" },
    { "DXT_SMALL_IO_TRIGGER 0.8", NULL, "DXT_SMALL_IO_TRIGGER", "0.8" },
    { "DXT_UNALIGNED_IO_TRIGGER 1", NULL, "DXT_UNALIGNED_IO_TRIGGER", "1" },
    { "MOD_ENABLE DXT_POSIX", "DXT_POSIX", "MAX_RECORDS", "NONE" },
    { "", NULL, "DXT_SMALL_IO_TRIGGER", "NONE" },
    { "", NULL, "EXCLUDE_DIRS", "/etc/,/dev/,/usr/,/bin/,/boot/,/lib/,/opt/,/sbin/,/sys/,/proc/,/var/" },
};

START_TEST(directive)
{
    clean_environment();
    load_text(directives[_i].line);
    ck_assert_str_eq(config.bad, "");
    ck_assert_str_eq(dumped(directives[_i].module, directives[_i].key), directives[_i].want);
}
END_TEST

/* No key of the table is left out above. */
START_TEST(all_directives)
{
    for (unsigned i = 0; i < dsn__noptions; i++) {
        const char *key = dsn__options[i].key;
        const size_t n = strcspn(key, " ");
        int found = n == 0;

        for (int k = 0; k < N(directives); k++) {
            const char *line = directives[k].line + strspn(directives[k].line, " ");

            found |= strncmp(line, key, n) == 0 && strcspn(line, " \t\n\r") == n;
        }
        ck_assert_msg(found, "%s is not tested", key);
    }
}
END_TEST

/* What is not understood: lines of a file, and what is said of them (all of it). */
static const struct {
    const char *text, *want;
} bad_lines[] = {
    { "NONSENSE 4", "f:1: NONSENSE is not a setting\n" },
    { "modmem 4", "f:1: modmem is not a setting\n" },
    { "\n# c\n\n \t# d\nMODMEM", "f:5: MODMEM needs a value and is ignored\n" },
    { "MODMEM 0", "f:1: MODMEM is not a number from 0.25 to 65536 and ignored: 0\n" },
    { "MODMEM 4,5", "f:1: MODMEM is not a number from 0.25 to 65536 and ignored: 4,5\n" },
    { "MEMALIGN 0", "f:1: MEMALIGN is not a number from 1 to 1073741824 and ignored: 0\n" },
    { "DXT_SMALL_IO_TRIGGER 1.5", "f:1: DXT_SMALL_IO_TRIGGER is not a number from 0 to 1 and ignored: 1.5\n" },
    { "RANK_EXCLUDE x,1",
      "f:1: RANK_EXCLUDE has an invalid item, which is ignored (a rank is n, a:b, a:, :b or *): x\n" },
    { "MOD_DISABLE POSIX,NOPE", "f:1: MOD_DISABLE names an unknown module: NOPE\n" },
    { "MAX_RECORDS 5", "f:1: MAX_RECORDS needs two values and is ignored\n" },
    { "MAX_RECORDS 0 POSIX", "f:1: MAX_RECORDS is not a number from 1 to 2147483647 and ignored: 0\n" },
    { "NAME_EXCLUDE x", "f:1: NAME_EXCLUDE needs two values and is ignored\n" },
    { "NAME_EXCLUDE x NOPE", "f:1: NAME_EXCLUDE names an unknown module: NOPE\n" },
    { "NAME_EXCLUDE ( POSIX",
      "f:1: NAME_EXCLUDE has an invalid expression, which is ignored (Unmatched ( or \\(): (\n" },
    { "APP_EXCLUDE a{9999}",
      "f:1: APP_EXCLUDE has an invalid expression, which is ignored (it repeats too often): a{9999}\n" },
    { "APP_EXCLUDE ((a{100}){100}){100}",
      "f:1: APP_EXCLUDE has an invalid expression, which is ignored (it repeats too often): ((a{100}){100}){100}\n" },
    { "APP_EXCLUDE kee+++++++++++++++++++++++++++p", "f:1: APP_EXCLUDE has an invalid expression, which is ignored (it "
                                                     "repeats too often): kee+++++++++++++++++++++++++++p\n" },
    { "ESC\033[31m 4", "f:1: ESC?[31m is not a setting\n" },
    { "DARSHAN_DISABLE 1", "f:1: DARSHAN_DISABLE is not a setting\n" },
    { "CONFIG_PATH /x", "f:1: CONFIG_PATH is not a setting\n" },
};

START_TEST(bad_line)
{
    clean_environment();
    load_text(bad_lines[_i].text);
    ck_assert_str_eq(config.bad, bad_lines[_i].want);
    ck_assert_uint_eq(config.nbad, 1);
    ck_assert_str_eq(dumped(NULL, "MODMEM"), "36 MiB");
    ck_assert_str_eq(dumped(NULL, "APP_EXCLUDE"), "NONE");
}
END_TEST

/* The good ones of a list stay. */
START_TEST(partly_bad)
{
    clean_environment();
    load_text("RANK_EXCLUDE x,1,2:y,7:\nAPP_EXCLUDE (,b\nNAME_EXCLUDE (,c STDIO");
    ck_assert_uint_eq(config.nbad, 4);
    ck_assert_str_eq(dumped(NULL, "RANK_EXCLUDE"), "1,7:");
    ck_assert_str_eq(dumped(NULL, "APP_EXCLUDE"), "b");
    ck_assert_str_eq(dumped("STDIO", "NAME_EXCLUDE"), "c");
}
END_TEST

/* What was understood is not lost behind what was not, however much of that there is; and not all of it is repeated. */
START_TEST(much_bad)
{
    static char text[20000];

    clean_environment();
    for (size_t n = 0; n < sizeof text - 100;)
        n += (size_t)snprintf(text + n, sizeof text - n, "NONSENSE%zu\n", n);
    strcat(text, "MODMEM 3\n");
    load_text(text);
    ck_assert_int_eq(config.record_memory, 3 << 20);
    ck_assert_uint_gt(config.nbad, 1000);
    ck_assert_uint_lt(strlen(config.bad), sizeof config.bad);
}
END_TEST

START_TEST(texts_beyond_room)
{
    char small[32];
    const char text[] = "LOGPATH /0123456789\nMMAP_LOGPATH /0123456789012345678901234567890\nJOBID J\n";

    clean_environment();
    dsn__config_free(&config);
    dsn__config_load_text(&config, small, sizeof small, "f", text, strlen(text));
    ck_assert_str_eq(config.logpath, "/0123456789");
    ck_assert_str_eq(config.mmap_logpath, "");
    ck_assert_str_eq(config.jobid, "J");
    ck_assert_str_eq(config.bad, "f:2: MMAP_LOGPATH is too long and ignored\n");
}
END_TEST

START_TEST(too_many_rules)
{
    static char text[8192];

    clean_environment();
    for (int i = 0; i < DSN_MAX_RULES + 2; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "NAME_EXCLUDE /%d$ POSIX\n", i);
    load_text(text);
    ck_assert_uint_eq(config.name_exclude->n, DSN_MAX_RULES);
    ck_assert_uint_eq(config.nbad, 2);
}
END_TEST

/* The environment before the file before the defaults. */
START_TEST(precedence)
{
    clean_environment();
    setenv("DARSHAN_NAMEMEM", "2", 1);
    setenv("DARSHAN_MEMALIGN", "x", 1); /* not understood: the file's stays */
    load_text("NAMEMEM 3\nMODMEM 4\nMEM_ALIGNMENT 16\n");
    ck_assert_int_eq(config.name_memory, 2 << 20);
    ck_assert_int_eq(config.record_memory, 4 << 20);
    ck_assert_int_eq(config.mem_alignment, 16);
    ck_assert_int_eq(config.finalize_timeout, 300);
    ck_assert_int_eq(config.from.name_memory, DSN_BY_ENVIRONMENT);
    ck_assert_int_eq(config.from.record_memory, DSN_BY_FILE);
    ck_assert_int_eq(config.from.mem_alignment, DSN_BY_FILE);
    ck_assert_int_eq(config.from.finalize_timeout, DSN_BY_DEFAULT);
    ck_assert_str_eq(config.bad, "DARSHAN_MEMALIGN is not a number from 1 to 1073741824 and ignored: x\n");
}
END_TEST

/* One of a pair in the environment drops both of the file; other pairs stay. */
static const struct {
    const char *variable, *value, *app, *app_in, *rank, *rank_in, *posix;
} pair_cases[] = {
    { "DARSHAN_APP_INCLUDE", "z", "NONE", "z", "1", "2", "DISABLED" },
    { "DARSHAN_APP_EXCLUDE", "", "NONE", "NONE", "1", "2", "DISABLED" },
    { "DARSHAN_RANK_EXCLUDE", "9", "a", "b", "9", "NONE", "DISABLED" },
    { "DARSHAN_MOD_ENABLE", "STDIO", "a", "b", "1", "2", "ENABLED" },
};

START_TEST(pairs)
{
    clean_environment();
    setenv(pair_cases[_i].variable, pair_cases[_i].value, 1);
    load_text("APP_EXCLUDE a\nAPP_INCLUDE b\nRANK_EXCLUDE 1\nRANK_INCLUDE 2\nMOD_DISABLE POSIX\n");
    ck_assert_str_eq(dumped(NULL, "APP_EXCLUDE"), pair_cases[_i].app);
    ck_assert_str_eq(dumped(NULL, "APP_INCLUDE"), pair_cases[_i].app_in);
    ck_assert_str_eq(dumped(NULL, "RANK_EXCLUDE"), pair_cases[_i].rank);
    ck_assert_str_eq(dumped(NULL, "RANK_INCLUDE"), pair_cases[_i].rank_in);
    ck_assert_str_eq(dumped("POSIX", ""), pair_cases[_i].posix);
}
END_TEST

START_TEST(traces)
{
    const uint64_t posix = (uint64_t)1 << DSN_DXT_POSIX_MODULE, mpiio = (uint64_t)1 << DSN_DXT_MPIIO_MODULE,
                   calls = (uint64_t)1 << DSN_APMPI_MODULE;

    clean_environment();
    load_text("");
    ck_assert_uint_eq(config.disabled, calls | posix | mpiio);
    load_text("MOD_ENABLE DXT_POSIX");
    ck_assert_uint_eq(config.disabled, calls | mpiio);
    load_text("MOD_ENABLE DXT_POSIX\nMOD_DISABLE POSIX");
    ck_assert_uint_eq(config.disabled, calls | posix | mpiio | (uint64_t)1 << DSN_POSIX_MODULE);
    setenv("DXT_ENABLE_IO_TRACE", "", 1);
    load_text("");
    ck_assert_uint_eq(config.disabled, calls);
    unsetenv("DXT_ENABLE_IO_TRACE");
    load_text("MOD_ENABLE APMPI");
    ck_assert_uint_eq(config.disabled, posix | mpiio);
}
END_TEST

/* ------------------------------------------------------------------ files that are none */

static void make_huge(const char *name)
{
    const int fd = open(name, O_CREAT | O_WRONLY, 0600);

    ck_assert_int_eq(ftruncate(fd, INT64_C(1) << 40), 0);
    close(fd);
}

static void make_text(const char *name, const char *text, size_t n)
{
    const int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

    ck_assert_int_eq(write(fd, text, n), (ssize_t)n);
    close(fd);
}

static const struct {
    const char *name, *want;
} files[] = {
    { "missing", "DARSHAN_CONFIG_PATH: missing: No such file or directory\n" },
    { "folder", "DARSHAN_CONFIG_PATH: folder: is not a regular file and ignored\n" },
    { "fifo", "DARSHAN_CONFIG_PATH: fifo: is not a regular file and ignored\n" },
    { "/dev/zero", "DARSHAN_CONFIG_PATH: /dev/zero: is not a regular file and ignored\n" },
    { "huge", "DARSHAN_CONFIG_PATH: huge: is larger than 1 MiB and ignored\n" },
    { "binary", "DARSHAN_CONFIG_PATH: binary: is not a text file and ignored\n" },
    { "long", "long:2: is longer than 4,095 bytes and ignored\n" },
    { "empty", "" },
    { "good", "" },
};

START_TEST(odd_files)
{
    char folder[] = "/tmp/t-config.XXXXXX", line[6000];

    clean_environment();
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(mkdir("folder", 0700) | mkfifo("fifo", 0600), 0);
    make_huge("huge");
    make_text("binary", "MODMEM 4\n\0\n", 11);
    memset(line, 'x', sizeof line);
    memcpy(line, "MODMEM 5\n", 9);
    memcpy(line + sizeof line - 11, "\nNAMEMEM 1\n", 11);
    make_text("long", line, sizeof line);
    make_text("empty", "", 0);
    make_text("good", "MODMEM 5", 8); /* no end of line */
    setenv("DARSHAN_CONFIG_PATH", files[_i].name, 1);
    alarm(100); /* a FIFO would never end */
    dsn__config_free(&config);
    dsn__config_load(&config, store, sizeof store);
    ck_assert_str_eq(config.bad, files[_i].want);
    ck_assert_int_eq(config.record_memory,
                     strcmp(files[_i].name, "good") && strcmp(files[_i].name, "long") ? 36 << 20 : 5 << 20);
    ck_assert_int_eq(config.name_memory, strcmp(files[_i].name, "long") ? 4 << 20 : 1 << 20);
    ck_assert_int_eq(system("rm -rf \"$PWD\""), 0);
}
END_TEST

/* ------------------------------------------------------------------ filters */

static const struct {
    const char *exclude, *include, *command;
    int want;
} programs[] = {
    { "", "", "/bin/ls -l", 0 },     { "ls", "", "/bin/ls -l", 1 },
    { "^ls", "", "/bin/ls -l", 0 },  { "cat,/ls$", "", "/bin/ls -l", 1 },
    { "-l", "", "/bin/ls -l", 0 }, /* the first word only */
    { ".*", "ls", "/bin/ls -l", 0 }, { ".*", "cat", "/bin/ls -l", 1 },
    { "", "cat", "/bin/ls -l", 0 }, /* an inclusion alone changes nothing */
};

START_TEST(programs_skipped)
{
    clean_environment();
    setenv("DARSHAN_APP_EXCLUDE", programs[_i].exclude, 1);
    setenv("DARSHAN_APP_INCLUDE", programs[_i].include, 1);
    load_text("");
    ck_assert_int_eq(dsn__config_skips_program(&config, programs[_i].command), programs[_i].want);
}
END_TEST

static const struct {
    const char *exclude, *include;
    int rank, want;
} skipped[] = { { "0:2,1", "", 1, 1 }, { "0:2,1", "", 2, 1 }, { "0:2,1", "", 3, 0 }, { "*", "0", 0, 0 },
                { "*", "0", 1, 1 },    { "", "0", 1, 0 },     { "2:", "", 7, 1 },    { "2:", "7,8", 7, 0 } };

START_TEST(ranks_skipped)
{
    clean_environment();
    setenv("DARSHAN_RANK_EXCLUDE", skipped[_i].exclude, 1);
    setenv("DARSHAN_RANK_INCLUDE", skipped[_i].include, 1);
    load_text("");
    ck_assert_int_eq(dsn__config_skips_rank(&config, skipped[_i].rank), skipped[_i].want);
}
END_TEST

/* ------------------------------------------------------------------ exclusion */

static void use(const char *text)
{
    clean_environment();
    dsn__config_free(dsn__config);
    dsn__config_load_text(dsn__config, dsn__state.config_text, sizeof dsn__state.config_text, "f", text, strlen(text));
    ck_assert_str_eq(dsn__config->bad, "");
    memset(dsn__exclusions, 0, sizeof *dsn__exclusions);
}

/* As a record of the name would be decided on. */
static int is_excluded(enum dsn_module_index module, const char *path)
{
    if (dsn__path_is_undecided(module, path))
        dsn__path_decide(module, path);
    return dsn__path_excluded(module, path);
}

/* Files that Open MPI makes for itself, and those of users that look like them. */
START_TEST(mpi_itself)
{
    static const char *const its[] = { "/tmp/ompi.n1.1000/pid.7/1/out.dat_cid-4-7.sm",
                                       "/scratch/ompi.n1.site.org.0/x",
                                       "/tmp/prte.n1.1000/dvm.5/x",
                                       "/s/out.dat.locktest.0",
                                       "/tmp/prterun.n1.7713.1000/1/out.dat_cid-0-7716.sm",
                                       "/tmp/prted.n2.815.1000/1/x",
                                       "/tmp/spmix_appdir_21001_10.0/out.dat_cid-0-322.sm",
                                       "/s/a.locktest.b.locktest.12" };
    static const char *const users[] = { "/s/out.sm",
                                         "/s/out.locktest.0.bak",
                                         "/s/my.locktest.txt",
                                         "/s/x.locktest.",
                                         "/s/ompi.n1.1000",
                                         "/s/ompi.data/x",
                                         "/s/ompi.7/x",
                                         "/s/my.ompi.n1.1000/x",
                                         "/s/prterun.data/x",
                                         "/s/prterun.7/x",
                                         "/s/prterun.n1.7.1000",
                                         "/s/spmix_appdir_/x",
                                         "/s/spmix_appdir_7_1.0",
                                         "/s/spmix_appdir_of_me/x",
                                         "/s/locktest.0" };

    use("");
    for (int i = 0; i < N(its); i++)
        ck_assert_msg(is_excluded(DSN_INDEX_POSIX, its[i]), "%s", its[i]);
    for (int i = 0; i < N(users); i++)
        ck_assert_msg(!is_excluded(DSN_INDEX_POSIX, users[i]), "%s", users[i]);
}
END_TEST

/* Against the list itself: the hand-written test of exclude.h knows every prefix, and nothing beside. */
START_TEST(prefixes)
{
    static const char *const prefix[] = {
#define P(path) path,
#include "config/prefixes.def"
#undef P
    };
    char path[64];

    use("");
    for (int i = 0; i < N(prefix); i++) {
        const size_t n = strlen(prefix[i]);

        snprintf(path, sizeof path, "%sfile", prefix[i]);
        ck_assert_int_eq(is_excluded(DSN_INDEX_POSIX, path), 1);
        ck_assert_int_eq(dsn__path_builtin_excluded(path), 1);
        for (size_t k = 0; k < n; k++) { /* one letter off: no other prefix */
            snprintf(path, sizeof path, "%sfile", prefix[i]);
            path[k] = 'Q';
            ck_assert_int_eq(is_excluded(DSN_INDEX_POSIX, path), 0);
            ck_assert_int_eq(dsn__path_builtin_excluded(path), 0);
        }
        for (size_t k = 0; k < n; k++) { /* cut: nothing behind the end is looked at */
            char *cut = malloc(k + 1);

            memcpy(cut, prefix[i], k);
            cut[k] = '\0';
            ck_assert_int_eq(dsn__path_builtin_excluded(cut), 0);
            free(cut);
        }
    }
}
END_TEST

/* `raw`: what is known of the path as given, before it is cleaned; never 1 where `want` is 0. */
static const struct {
    const char *path;
    int want, raw;
} built_in[] = {
    { "/etc/passwd", 1, 1 },
    { "/etc", 0, 0 },
    { "/etcetera", 0, 0 },
    { "/lib64/x", 0, 0 },
    { "/home/x", 0, 0 },
    { "/tmp/etc/", 0, 0 },
    { "/var/tmp/x", 1, 1 },
    { "/var/opt/x", 1, 0 },
    { "/var/opt/cray/dws/mounts/x", 0, 0 },
    { "/var/opt/cray/dws/x", 1, 0 },
    { "etc/x", 0, 0 },
    { "", 0, 0 },
    { "/", 0, 0 },
    { "<STDIN>", 0, 0 },
};

START_TEST(built_in_list)
{
    use("");
    ck_assert_int_eq(is_excluded(DSN_INDEX_POSIX, built_in[_i].path), built_in[_i].want);
    ck_assert_int_eq(dsn__path_known_excluded(DSN_INDEX_POSIX, built_in[_i].path), built_in[_i].raw);
}
END_TEST

START_TEST(not_cleaned)
{
    use("");
    ck_assert_int_eq(dsn__path_builtin_excluded("/var//opt/cray/dws/mounts/x"), 0);
    ck_assert_int_eq(dsn__path_builtin_excluded("/var/./opt/cray/dws/mounts/x"), 0);
}
END_TEST

static const char rules[] =
    "NAME_EXCLUDE \\.so$,^/scratch/ POSIX\nNAME_EXCLUDE secret *\nNAME_INCLUDE ^/etc/app/ STDIO\n"
    "NAME_INCLUDE keep POSIX\nMOD_DISABLE MPI-IO\n";
static const struct {
    enum dsn_module_index module;
    const char *path;
    int want;
} ruled[] = {
    { DSN_INDEX_POSIX, "/home/a.so", 1 },     { DSN_INDEX_POSIX, "/home/a.so.1", 0 },
    { DSN_INDEX_STDIO, "/home/a.so", 0 },     { DSN_INDEX_POSIX, "/scratch/x", 1 },
    { DSN_INDEX_POSIX, "/scratch/keep", 0 },  { DSN_INDEX_POSIX, "/home/secret/x", 1 },
    { DSN_INDEX_STDIO, "/home/secret/x", 1 }, { DSN_INDEX_STDIO, "/home/secret/keep", 1 },
    { DSN_INDEX_STDIO, "/etc/app/x", 0 },     { DSN_INDEX_POSIX, "/etc/app/x", 1 },
    { DSN_INDEX_STDIO, "/etc/x", 1 },         { DSN_INDEX_POSIX, "/var/opt/cray/dws/mounts/secret", 0 },
    { DSN_INDEX_MPIIO, "/home/x", 1 },
};

START_TEST(ruled_out)
{
    use(rules);
    for (int again = 0; again < 2; again++) {
        const int known = ruled[_i].want && (again || ruled[_i].module == DSN_INDEX_MPIIO);

        ck_assert_int_eq(dsn__path_known_excluded(ruled[_i].module, ruled[_i].path), known);
        ck_assert_int_eq(is_excluded(ruled[_i].module, ruled[_i].path), ruled[_i].want);
    }
    ck_assert_int_eq(dsn__exclusions->undecided, 0);
}
END_TEST

/* A verdict is for one module. */
START_TEST(verdicts_by_module)
{
    use(rules);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(is_excluded(DSN_INDEX_POSIX, "/home/a.so"), 1);
        ck_assert_int_eq(is_excluded(DSN_INDEX_STDIO, "/home/a.so"), 0);
        ck_assert_int_eq(dsn__path_known_excluded(DSN_INDEX_STDIO, "/home/a.so"), 0);
    }
}
END_TEST

/* Far more names than the table holds: verdicts are forgotten, never mixed up. */
START_TEST(many_names)
{
    char path[64];

    use(rules);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            snprintf(path, sizeof path, "/home/dir.%d/file%s", i, i % 3 ? "" : ".so");
            ck_assert_int_eq(is_excluded(DSN_INDEX_POSIX, path), i % 3 == 0);
            ck_assert_int_eq(dsn__path_known_excluded(DSN_INDEX_POSIX, path), i % 3 == 0);
        }
}
END_TEST

/* Where a signal is blocked nothing is matched; before the log is made it is. */
START_TEST(in_a_handler)
{
    sigset_t one, before;
    struct dsn_record_state *state;

    clean_environment();
    setenv("DARSHAN_MMAP_LOGPATH", "none", 1); /* nothing is to be left behind */
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    use(rules);
    atomic_store(&dsn__switch.mode, DSN_ON);
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    state = dsn__record(DSN_INDEX_POSIX, "/home/late.so");
    ck_assert_ptr_nonnull(state);
    ck_assert_ptr_nonnull(dsn__record(DSN_INDEX_STDIO, "/home/late.so"));
    ck_assert_ptr_nonnull(dsn__record(DSN_INDEX_POSIX, "/home/secret"));
    ck_assert_ptr_nonnull(dsn__record(DSN_INDEX_POSIX, "/home/other"));
    ck_assert_ptr_nonnull(dsn__record(DSN_INDEX_POSIX, "/home/last.so"));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ck_assert_int_eq(dsn__exclusions->undecided, 1);
    dsn__exclude_late();
    ck_assert_uint_eq(dsn__names->count[DSN_INDEX_POSIX], 1);
    ck_assert_uint_eq(dsn__names->count[DSN_INDEX_STDIO], 1);
    ck_assert_str_eq(dsn__names->first_state[DSN_INDEX_POSIX]->name->text, "/home/other");
    ck_assert_str_eq(dsn__names->first->text, "/home/late.so");
    ck_assert_str_eq(dsn__names->first->next->text, "/home/other");
    ck_assert_ptr_null(dsn__names->first->next->next);
    ck_assert_ptr_eq(dsn__names->last, &dsn__names->first->next->next);
    ck_assert_ptr_eq(dsn__names->last_state[DSN_INDEX_POSIX], &dsn__names->first_state[DSN_INDEX_POSIX]->next);
    dsn__stop();
}
END_TEST

/* A child that is forked has its parent's settings, whatever the environment says by then. */
START_TEST(inherited)
{
    clean_environment();
    setenv("DARSHAN_MODMEM", "3", 1);
    setenv("DARSHAN_MMAP_LOGPATH", "none", 1); /* nothing is to be left behind */
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    dsn__stop();
    setenv("DARSHAN_MODMEM", "4", 1);
    dsn__state.process.is_child = 1;
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    ck_assert_int_eq(dsn__config->record_memory, 3 << 20);
    dsn__stop();
    dsn__state.process.is_child = 0;
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    ck_assert_int_eq(dsn__config->record_memory, 4 << 20);
    dsn__stop();
}
END_TEST

/* A module's limit: further files are aggregated, and say so; other modules go on. */
START_TEST(limit)
{
    struct dsn_record_state *state[5];
    char path[32];

    clean_environment();
    setenv("DARSHAN_MMAP_LOGPATH", "none", 1); /* nothing is to be left behind */
    ck_assert_int_eq(dsn__start(0, NULL), 1);
    use("MAX_RECORDS 2 POSIX");
    atomic_store(&dsn__switch.mode, DSN_ON);
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "/nowhere/%d", i);
        state[i] = dsn__record(DSN_INDEX_POSIX, path);
        ck_assert_ptr_nonnull(state[i]);
        ck_assert_str_eq(dsn__record(DSN_INDEX_STDIO, path)->name->text, path);
    }
    ck_assert_str_eq(state[1]->name->text, "/nowhere/1");
    ck_assert_ptr_eq(state[2], state[4]);
    ck_assert_str_eq(state[2]->name->text, "/nowhere/<*>");
    ck_assert_int_eq(dsn__incomplete->lacking.files, 0); /* STDIO has a record of each */
    ck_assert_int_eq(atomic_load(&dsn__incomplete->partial), 1 << DSN_POSIX_MODULE);
    ck_assert_ptr_eq(dsn__record(DSN_INDEX_POSIX, "/nowhere/0"), state[0]); /* known ones go on being found */
    dsn__stop();
}
END_TEST

static const struct pattern_case {
    const char *name;
    size_t fixed;
    const char *want; /* NULL: it has none */
} patterns[] = {
    { "/data/run7/img0001.jpg", SIZE_MAX, "/data/run7/<*.jpg>" },
    { "/data/run7/img0001.jpg", 5, "/data/run#/<*.jpg>" },
    { "/data/run7/img0001.jpg", 10, "/data/run7/<*.jpg>" },
    { "/scratch1/12/3a4/f.h5", 9, "/scratch1/#/#a#/<*.h5>" },
    { "/part-00001", SIZE_MAX, "/<*>" },
    { "/d/chunk.00001", SIZE_MAX, "/d/<*>" },
    { "/d/.hidden", SIZE_MAX, "/d/<*>" },
    { "/d/a.b c", SIZE_MAX, "/d/<*>" },
    { "/d/a.", SIZE_MAX, "/d/<*>" },
    { "/d/a.tar.gz", SIZE_MAX, "/d/<*.gz>" },
    { "/d/a.abcdefgh", SIZE_MAX, "/d/<*.abcdefgh>" },
    { "/d/a.abcdefghi", SIZE_MAX, "/d/<*>" },
    { "/d1/<*.jpg>", 0, "/d1/<*.jpg>" },
    { "/d1/<input>", SIZE_MAX, "/d1/<*>" }, /* a file of that name is none */
    { "<STDOUT>", 0, NULL },
    { "relative/a.b", 0, NULL },
};

START_TEST(pattern)
{
    const struct pattern_case *c = &patterns[_i];
    char out[64];

    ck_assert_int_eq(dsn__pattern_of(c->name, c->fixed, out, sizeof out), c->want != NULL);
    if (c->want) {
        ck_assert_str_eq(out, c->want);
        ck_assert(dsn__is_pattern(out));
        ck_assert_int_eq(dsn__pattern_of(c->name, c->fixed, out, strlen(c->name)), 0); /* no room */
    }
}
END_TEST

/* 0, 1, 100 and more files than are remembered, each in two modules, twice. */
START_TEST(enough)
{
    static struct dsn_aggregated f;
    static const int sizes[] = { 0, 1, 100, 20000, DSN_AGGREGATED_MOST, DSN_AGGREGATED_MOST + 1000 };

    ck_assert_int_eq(dsn__aggregated_memory(&f, 5), 0);
    ck_assert_int_eq(dsn__aggregated_records(&f), 0);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const int most = sizes[k] < DSN_AGGREGATED_MOST ? sizes[k] : DSN_AGGREGATED_MOST;
        struct dsn_aggregated_set set = { 0 };
        int news[4] = { 0 };

        for (int pass = 0; pass < 4; pass++)
            for (int i = 0; i < sizes[k]; i++)
                news[dsn__aggregated_add(&set, dsn_hash((const char *)&i, sizeof i, 0), pass % 2)]++;
        ck_assert_int_eq(news[DSN_NEW_FILE], most);
        ck_assert_int_eq(news[DSN_NEW_IN_MODULE], most);
        ck_assert_int_eq(news[DSN_OLD], 2 * most);
        ck_assert_int_eq(news[DSN_UNKNOWN], 4 * (sizes[k] - most));
        dsn__aggregated_free(&set);
        ck_assert_ptr_null(set.entry);
    }
    f.bytes = 1000 * 700, f.beyond = 1000, f.limited = 3000, f.limit = 50;
    ck_assert_int_ge(dsn__aggregated_memory(&f, 1 << 20), (1 << 20) + 700000 * 8 / 7);
    ck_assert_int_lt(dsn__aggregated_memory(&f, 1 << 20), (1 << 20) + 2 * 700000);
    ck_assert_int_eq(dsn__aggregated_records(&f), 1050);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "bytes", bytes, N(bytes_cases) },
        { "share", share, N(shares) },
        { "ranks", ranks, N(ranks_cases) },
        { "pattern", pattern, N(patterns) },
        { "cost", cost, N(costs) },
        { "plain expressions", plain, N(plains) },
        { "modules", modules, 0 },
        { "directive", directive, N(directives) },
        { "all directives", all_directives, 0 },
        { "bad line", bad_line, N(bad_lines) },
        { "partly bad", partly_bad, 0 },
        { "much bad", much_bad, 0 },
        { "texts beyond room", texts_beyond_room, 0 },
        { "too many rules", too_many_rules, 0 },
        { "precedence", precedence, 0 },
        { "pairs", pairs, N(pair_cases) },
        { "traces", traces, 0 },
        { "odd files", odd_files, N(files) },
        { "programs skipped", programs_skipped, N(programs) },
        { "ranks skipped", ranks_skipped, N(skipped) },
        { "prefixes", prefixes, 0 },
        { "files of Open MPI itself", mpi_itself, 0 },
        { "built-in list", built_in_list, N(built_in) },
        { "not cleaned", not_cleaned, 0 },
        { "ruled out", ruled_out, N(ruled) },
        { "verdicts by module", verdicts_by_module, 0 },
        { "many names", many_names, 0 },
        { "in a handler", in_a_handler, 0 },
        { "inherited", inherited, 0 },
        { "limit", limit, 0 },
        { "enough", enough, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("config", tests);
}
