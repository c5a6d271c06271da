/* t-logname.c - which setting determines the log's directory
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "log/log-file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/config.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "life/state.h"
#include "unit.h"

#define N(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* Each source that is given is a directory of its own, below which "env/Y/M/D" is dated. The first one is to win. */
static const struct {
    const char *logfile, *logpath, *site, *other, *file; /* NULL: not given */
    const char *want;
    int dated;
} cases[] = {
    { "named/log", "env", "site", "other", "file", "named", 0 },
    { NULL, "env", "site", "other", "file", "env", 1 },
    { NULL, NULL, "site", "other", "file", "site", 0 },
    { NULL, NULL, NULL, "other", "file", "other", 0 },
    { NULL, NULL, "", "other", "file", "other", 0 },
    { NULL, NULL, NULL, NULL, "file", "file", 1 },
};

static void give(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static int create(struct dsn_log_file *f)
{
    struct dsn_log_identity who = { .user = "user",
                                    .program = "program",
                                    .exe = "program",
                                    .jobid = 1,
                                    .pid = getpid(),
                                    .start = dsn__run->start_local,
                                    .logfile = dsn__config->logfile };

    who.directory = dsn__log_directory(dsn__config, &who.is_flat);
    return dsn__log_file_create(f, &who);
}

/* Descriptors that the kernel has room for without a new table. */
static int room_for_descriptors(void)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    int n = 0;

    ck_assert_ptr_nonnull(f);
    while (n == 0 && fgets(line, sizeof line, f))
        sscanf(line, "FDSize: %d", &n);
    fclose(f);
    return n;
}

/* A larger table would take a process with threads milliseconds; low numbers are the program's. */
START_TEST(descriptors)
{
    char path[] = "/tmp/t-logname.XXXXXX/log";
    static struct dsn_log_file f;
    const int before = room_for_descriptors();

    path[21] = '\0';
    ck_assert_ptr_nonnull(mkdtemp(path));
    path[21] = '/';
    give("DARSHAN_LOGFILE", path);
    dsn__config_load_text(dsn__config, dsn__state.config_text, sizeof dsn__state.config_text, "f", "", 0);
    ck_assert_int_eq(create(&f), 0);
    ck_assert_int_gt(before, 0);
    ck_assert_int_eq(room_for_descriptors(), before);
    ck_assert_int_ge(f.fd, 32);
    ck_assert_int_ge(f.dir, 32);
    dsn__log_file_discard(&f);
    path[21] = '\0';
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(precedence)
{
    static const char *const folders[] = { "named", "env", "site", "other", "file" };
    char folder[] = "/tmp/t-logname.XXXXXX", line[64], want[512];
    static struct dsn_log_file f;
    const time_t now = 1000000000; /* 2001-09-09 */

    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chdir(folder), 0);
    for (int i = 0; i < N(folders); i++)
        ck_assert_int_eq(mkdir(folders[i], 0700), 0);
    give("DARSHAN_LOGFILE", cases[_i].logfile);
    give("DARSHAN_LOGPATH", cases[_i].logpath);
    give("SITE_DIR", cases[_i].site);
    give("SITE_OTHER", cases[_i].other);
    snprintf(line, sizeof line, "LOGPATH %s\n", cases[_i].file);
    dsn__config_load_text(dsn__config, dsn__state.config_text, sizeof dsn__state.config_text, "f", line, strlen(line));
    dsn__config->path_by_env = "SITE_DIR,SITE_OTHER";
    gmtime_r(&now, &dsn__run->start_local);
    ck_assert_int_eq(create(&f), 0);
    ck_assert_int_eq(f.is_named, cases[_i].logfile != NULL);
    snprintf(want, sizeof want, "%s%s/%s", cases[_i].want, cases[_i].dated ? "/2001/9/9" : "", f.partial);
    ck_assert_int_eq(access(want, F_OK), 0);
    dsn__log_file_discard(&f);
    ck_assert_int_eq(access(want, F_OK), -1);
    ck_assert_int_eq(system("rm -rf \"$PWD\""), 0);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "precedence", precedence, N(cases) },
        { "descriptors", descriptors, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("logname", tests);
}
