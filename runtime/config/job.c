/* job.c - command line, job id, metadata, job region
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/kernel.h"
#include "base/text.h"
#include "config/settings.h"

void dsn__process_used(int64_t used[DSN_NUSED])
{
    struct rusage use = { 0 };

    dsn__sys_getrusage(RUSAGE_SELF, &use);
    used[DSN_USED_USER] = use.ru_utime.tv_sec * INT64_C(1000000) + use.ru_utime.tv_usec;
    used[DSN_USED_SYSTEM] = use.ru_stime.tv_sec * INT64_C(1000000) + use.ru_stime.tv_usec;
    used[DSN_USED_FAULTS] = use.ru_majflt;
    used[DSN_USED_READ] = (int64_t)use.ru_inblock * 512;
    used[DSN_USED_DIRTIED] = (int64_t)use.ru_oublock * 512;
}

static const char truncated[] = "<TRUNCATED>";

static void tidy(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
}

static size_t from_proc(char *out, size_t size)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    ssize_t n;

    if (fd < 0)
        return 0;
    while (len < size && (n = read(fd, out + len, size - len)) > 0)
        len += (size_t)n;
    close(fd);
    while (len > 0 && out[len - 1] == '\0')
        len--;
    for (size_t i = 0; i < len; i++)
        out[i] = out[i] ? out[i] : ' ';
    return len;
}

static size_t from_argv(int argc, char **argv, char *out, size_t size)
{
    size_t len = 0;

    for (int i = 0; i < argc && argv[i] && len < size; i++) {
        size_t n = strlen(argv[i]);

        if (i > 0)
            out[len++] = ' ';
        if (n > size - len)
            n = size - len;
        memcpy(out + len, argv[i], n);
        len += n;
    }
    return len;
}

void dsn__exe_load(int argc, char **argv, char *out, size_t size)
{
    const size_t room = size - 32; /* leaves room for at least the root directory's mount line */
    size_t len = argc > 0 && argv ? from_argv(argc, argv, out, room) : 0;

    if (len == 0)
        len = from_proc(out, room);
    if (len == 0)
        len = (size_t)dsn__format(out, room, "%s <unknown args>", program_invocation_name);
    if (len >= room) {
        len = room;
        memcpy(out + len - (sizeof truncated - 1), truncated, sizeof truncated - 1);
    }
    out[len] = '\0';
    tidy(out, len);
}

void dsn__host_name(char *out, size_t size)
{
    struct utsname system;

    out[0] = '\0';
    if (uname(&system) == 0)
        dsn__format(out, size, "%s", system.nodename);
}

/* The value of the variable whose name is the `len` bytes at `name`. */
static const char *variable(const char *name, size_t len)
{
    char copy[256];

    if (len == 0 || len >= sizeof copy)
        return NULL;
    memcpy(copy, name, len);
    copy[len] = '\0';
    return dsn__environment_get(copy);
}

int64_t dsn__job_id(int *is_pid)
{
    const char *names = dsn__config->jobid;

    *is_pid = 0;
    while (*names) {
        size_t len = strcspn(names, ",");
        const char *value = variable(names, len);
        int64_t id;

        if (value && dsn__number(value, &id))
            return id;
        names += len + (names[len] == ',');
    }
    *is_pid = 1;
    return dsn__run->pid;
}

const char *dsn__machine_name(void)
{
    const char *name = dsn__config->machine[0] ? dsn__config->machine : dsn__environment_get("SLURM_CLUSTER_NAME");

    return name ? name : "";
}

void dsn__metadata_add(struct dsn_job *job, const char *key, const char *value)
{
    const size_t at = strlen(job->metadata), room = sizeof job->metadata - at;
    int n = dsn__format(job->metadata + at, room, "%s=%s\n", key, value);

    if (n < 0 || (size_t)n >= room)
        job->metadata[at] = '\0';
    else /* a value from the environment must not be able to add a line */
        tidy(job->metadata + at, (size_t)n - 1);
}

size_t dsn__job_region(const struct dsn_job *job, const char *exe, const struct dsn_mounts *mounts, char *out)
{
    size_t len = DSN_JOB_SIZE, n = strlen(exe);

    dsn_job_store(job, out);
    memcpy(out + len, exe, n);
    len += n;
    for (unsigned i = 0; i < mounts->n; i++) {
        const struct dsn_mount *m = &mounts->mount[i];

        n = strlen(m->type) + strlen(m->path) + 2;
        if (n > DSN_JOB_REGION_MAX - 1 - len)
            continue;
        out[len++] = '\n';
        n = strlen(m->type);
        memcpy(out + len, m->type, n);
        len += n;
        out[len++] = '\t';
        n = strlen(m->path);
        memcpy(out + len, m->path, n);
        len += n;
    }
    if (mounts->n == 0) { /* readers find the end of the command line by the first mount line */
        static const char root_mount[] = "\nunknown\t/";

        memcpy(out + len, root_mount, sizeof root_mount - 1);
        len += sizeof root_mount - 1;
    }
    out[len++] = '\0';
    return len;
}
