/* origin.c - name and location of the log, determined at start
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/origin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/kernel.h"
#include "base/text.h"
#include "config/job.h"
#include "config/settings.h"
#include "config/value.h"
#include "darshan-log-format/hash.h"

/* Replaces characters that would change the directory: text from the environment becomes part of a file name. */
static void sanitize(char *text)
{
    for (; *text; text++)
        if (*text == '/' || (unsigned char)*text < ' ')
            *text = '_';
}

static void user_name(char out[DSN_USER_MAX + 1])
{
    const char *name = DSN_USERNAME_ENV[0] ? dsn__environment_get(DSN_USERNAME_ENV) : NULL;

    if (!name || !*name)
        name = dsn__environment_get("LOGNAME");
    if (name && *name)
        dsn__format(out, DSN_USER_MAX + 1, "%s", name);
    else
        dsn__format(out, DSN_USER_MAX + 1, "%u", (unsigned)dsn__sys_geteuid());
    sanitize(out);
}

/* Hashes the host name with the time and the kernel's random bytes of this exec: ranks in separate containers may start
 * in the same microsecond with the same pid. */
static uint64_t unique_number(void)
{
    const char *seed = (const char *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */
    char host[256] = "";
    struct timespec now;
    uint64_t key;

    dsn__host_name(host, sizeof host);
    clock_gettime(CLOCK_REALTIME, &now);
    key = dsn_hash(host, strlen(host), (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    return seed ? dsn_hash(seed, 16, key) : key;
}

/* The directory from the variables that the site configured, or NULL. */
static const char *path_by_env(const struct dsn_config *c)
{
    const char *list = c->path_by_env ? c->path_by_env : "", *item;
    char name[256];
    size_t n;

    while ((n = dsn__next_item(&list, &item)) > 0) {
        const char *value = NULL;

        if ((size_t)dsn__format(name, sizeof name, "%.*s", (int)n, item) < sizeof name)
            value = dsn__environment_get(name);
        if (value && *value)
            return value;
    }
    return NULL;
}

const char *dsn__log_directory(const struct dsn_config *c, int *is_flat)
{
    const char *by_env = c->from.logpath == DSN_BY_ENVIRONMENT ? NULL : path_by_env(c);

    *is_flat = by_env != NULL;
    return by_env ? by_env : c->logpath;
}

/* Relative paths are resolved against the working directory at start. */
static void keep_path(const char *path, char *out, size_t size)
{
    size_t n = 0;

    out[0] = '\0';
    if (!path || !*path)
        return;
    if (path[0] != '/') {
        if (!dsn__sys_getcwd(out, size)) {
            out[0] = '\0';
            return;
        }
        n = strlen(out);
    }
    if ((size_t)dsn__format(out + n, size - n, "%s%s", n > 0 ? "/" : "", path) >= size - n)
        out[0] = '\0';
}

#define LEAST_SPECIAL_STEP INT64_C(0xfffffff0) /* from here on numbers are those of batch scripts and the like */

/* The number in a variable. */
static int64_t number_of(const char *variable, int64_t otherwise)
{
    const char *value = dsn__environment_get(variable);
    int64_t n;

    return value && dsn__number(value, &n) ? n : otherwise;
}

void dsn__origin_load(struct dsn_origin *o)
{
    const struct dsn_config *c = dsn__config;

    memset(o, 0, sizeof *o);
    o->key = unique_number();
    o->jobid = dsn__job_id(&o->jobid_is_pid);
    dsn__format(o->machine, sizeof o->machine, "%s", dsn__machine_name());
    o->step = number_of("SLURM_STEP_ID", -1);
    if (o->step >= LEAST_SPECIAL_STEP)
        o->step = -1;
    o->restart = number_of("SLURM_RESTART_COUNT", 0);
    user_name(o->user);
    dsn__format(o->program, sizeof o->program, "%s", program_invocation_short_name);
    sanitize(o->program);
    keep_path(dsn__log_directory(c, &o->is_flat), o->directory, sizeof o->directory);
    keep_path(c->logfile, o->logfile, sizeof o->logfile);
}
