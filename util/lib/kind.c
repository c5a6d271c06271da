/* kind.c - what a file is, by its name and where it is mounted
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kind.h"

#include <string.h>
#include <sys/stat.h>

struct kind_rule {
    const char *what;
    enum dsn_file_kind kind;
};

/* The kind by the first rule whose prefix a component of the path has. */
static enum dsn_file_kind kind_of_component(const char *path)
{
    static const char first[] = "ompvsdh"; /* first characters of the prefixes */
    static const struct kind_rule rules[] = {
        { "ompi.", DSN_FILE_SESSION }, /* session directories of Open MPI and PRRTE */
        { "openmpi-sessions-", DSN_FILE_SESSION },
        { "prte.", DSN_FILE_SESSION },
        { "prterun.", DSN_FILE_SESSION },
        { "prted.", DSN_FILE_SESSION },
        { "pmix-", DSN_FILE_SESSION },
        { "spmix_appdir_", DSN_FILE_SESSION }, /* of a step of Slurm */
        { "vader_segment.", DSN_FILE_SESSION },
        { "sm_segment.", DSN_FILE_SESSION },
        { "mpich_shar_tmp", DSN_FILE_SESSION },
        { "hsperfdata_",
          DSN_FILE_SESSION }, /* Java's own counters, for jps and jstat: mapped by each virtual machine */
        { "site-packages/", DSN_FILE_CODE },
        { "dist-packages/", DSN_FILE_CODE },
        { "pyvenv.cfg", DSN_FILE_CODE },
    };

    for (const char *p = path; (p = strchr(p, '/')) != NULL;) {
        p++;
        for (size_t i = 0; memchr(first, *p, sizeof first - 1) && i < sizeof rules / sizeof rules[0]; i++)
            if (*p == *rules[i].what && strncmp(p, rules[i].what, strlen(rules[i].what)) == 0)
                return rules[i].kind;
    }
    return DSN_FILE_DATA;
}

/* By the start of a name that is not a path; "<STDIN>" etc. must match exactly. */
static enum dsn_file_kind kind_of_start(const char *name)
{
    static const struct kind_rule rules[] = {
        { "<STDIN>", DSN_FILE_INPUT },      { "<STDOUT>", DSN_FILE_STREAM },        { "<STDERR>", DSN_FILE_STREAM },
        { "/dev/shm/", DSN_FILE_MEMORY },   { "/dev/hugepages/", DSN_FILE_MEMORY }, { "/dev/", DSN_FILE_DEVICE },
        { "anon_inode:", DSN_FILE_DEVICE }, { "pipe:[", DSN_FILE_DEVICE },          { "socket:[", DSN_FILE_DEVICE },
    };

    if (*name == '/' && strncmp(name, "/dev/", 5) != 0)
        return DSN_FILE_DATA;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const size_t n = strlen(rules[i].what);

        if (strncmp(name, rules[i].what, n) == 0 && (*name != '<' || name[n] == '\0'))
            return rules[i].kind;
    }
    return DSN_FILE_DATA;
}

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

/* Logs of other versions do not distinguish FIFOs and sockets from files, so this goes by customary names. Modules and
 * libraries are code; ".so" may be followed by a version. */
static enum dsn_file_kind kind_of_ending(const char *base)
{
    static const struct kind_rule rules[] = {
        { ".fifo", DSN_FILE_DEVICE },   { ".pipe", DSN_FILE_DEVICE }, { ".sock", DSN_FILE_DEVICE },
        { ".socket", DSN_FILE_DEVICE }, { ".py", DSN_FILE_CODE },     { ".pyc", DSN_FILE_CODE },
        { ".pyd", DSN_FILE_CODE },      { ".so", DSN_FILE_CODE },
    };
    const char *dot = strrchr(base, '.');

    for (size_t i = 0; dot && i < sizeof rules / sizeof rules[0]; i++)
        if (dot[1] == rules[i].what[1] && strcmp(dot, rules[i].what) == 0)
            return rules[i].kind;
    return dot && strstr(base, ".so.") ? DSN_FILE_CODE : DSN_FILE_DATA;
}

/* Files on such file systems are not data, whatever their path: a container's /dev may be mounted elsewhere. */
static enum dsn_file_kind kind_of_type(const char *type)
{
    static const struct kind_rule rules[] = { { "devtmpfs", DSN_FILE_DEVICE }, { "devpts", DSN_FILE_DEVICE },
                                              { "proc", DSN_FILE_DEVICE },     { "sysfs", DSN_FILE_DEVICE },
                                              { "cgroup", DSN_FILE_DEVICE },   { "cgroup2", DSN_FILE_DEVICE },
                                              { "mqueue", DSN_FILE_DEVICE },   { "hugetlbfs", DSN_FILE_MEMORY } };

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (*type == *rules[i].what && strcmp(type, rules[i].what) == 0)
            return rules[i].kind;
    return DSN_FILE_DATA;
}

/* NAME.locktest.RANK, of OMPIO. */
static int is_probe(const char *base)
{
    static const char what[] = ".locktest.";
    const char *at = strstr(base, what);

    return at && at[sizeof what - 1] != '\0' &&
           at[sizeof what - 1 + strspn(at + sizeof what - 1, "0123456789")] == '\0';
}

static enum dsn_file_kind kind_of_name(const char *name)
{
    enum dsn_file_kind kind = kind_of_start(name), ending;
    const char *base = base_of(name);

    if (kind != DSN_FILE_DATA)
        return kind;
    ending = kind_of_ending(base);
    if (ending == DSN_FILE_DEVICE)
        return ending;
    kind = is_probe(base) ? DSN_FILE_PROBE : kind_of_component(name);
    return kind == DSN_FILE_DATA ? ending : kind;
}

enum dsn_file_kind dsn_file_kind_of(const struct darshan_reader *log, const char *name)
{
    const enum dsn_file_kind kind = name ? kind_of_name(name) : DSN_FILE_DATA;

    return kind == DSN_FILE_DATA && name ? kind_of_type(darshan_reader_mount_of(log, name)->type) : kind;
}

/* 0: not known. */
static int64_t mode_of(unsigned module, const struct dsn_rec *r)
{
    const int64_t mode = module == DSN_POSIX_MODULE ? r->v[POSIX_MODE].i : 0;

    return (mode & ~(DSN_MODE_SYNCHRONOUS | S_IFMT | 07777)) == 0 ? mode : 0;
}

int dsn_record_is_channel(unsigned module, const struct dsn_rec *r)
{
    const int64_t type = mode_of(module, r) & S_IFMT;

    return type == S_IFIFO || type == S_IFSOCK || type == S_IFCHR;
}

int dsn_record_is_synchronous(unsigned module, const struct dsn_rec *r)
{
    return (mode_of(module, r) & DSN_MODE_SYNCHRONOUS) != 0;
}

int dsn_name_is_aggregated(const char *name)
{
    const char *base = name ? strrchr(name, '/') : NULL;
    const size_t n = base ? strlen(base) : 0;

    return base &&
           (strcmp(base, "/<other files>") == 0 || (n > 3 && strncmp(base, "/<*", 3) == 0 && base[n - 1] == '>'));
}

int dsn_is_counted(enum dsn_file_kind kind, int is_aggregated, int64_t bytes)
{
    return !is_aggregated && (kind == DSN_FILE_DATA || kind == DSN_FILE_CODE || (kind == DSN_FILE_MEMORY && bytes > 0));
}

int dsn_kind_is_elsewhere(enum dsn_file_kind kind)
{
    return kind != DSN_FILE_DATA && kind != DSN_FILE_CODE && kind != DSN_FILE_PROBE;
}
