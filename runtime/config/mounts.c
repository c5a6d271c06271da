/* mounts.c - the mount table and block sizes
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "config/mounts.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>

#include "base/kernel.h"
#include "base/text.h"

#define LUSTRE_MAGIC     0x0BD00BD0
#define LUSTRE_BLOCK     (1 << 20)
#define BLOCK_IF_UNKNOWN 4096

/* Pseudo file systems, without users' files. Source: spec runtime.md 2.5. */
static bool is_skipped(const char *type)
{
    static const char *const skip[] = { "tmpfs",      "proc",      "sysfs",      "devpts", "binfmt_misc",
                                        "fusectl",    "debugfs",   "securityfs", "nfsd",   "none",
                                        "rpc_pipefs", "hugetlbfs", "cgroup" };

    for (unsigned i = 0; i < sizeof skip / sizeof skip[0]; i++)
        if (strcmp(type, skip[i]) == 0)
            return true;
    return false;
}

/* Copies a field of the table, decoding \ooo escapes. Returns false if it does not fit, or contains a control character,
 * which would break the table in the log: its lines end with the path. */
static bool take_field(const char *from, const char *end, char *to, size_t size)
{
    size_t n = 0;

    while (from < end) {
        char c = *from++;

        if (c == '\\' && end - from >= 3 && from[0] >= '0' && from[0] <= '3') {
            c = (char)((from[0] - '0') << 6 | (from[1] - '0') << 3 | (from[2] - '0'));
            from += 3;
        }
        if (n + 1 >= size || (unsigned char)c < ' ')
            return false;
        to[n++] = c;
    }
    to[n] = '\0';
    return n > 0;
}

static bool is_known(const struct dsn_mounts *m, const struct dsn_mount *new)
{
    for (unsigned i = 0; i < m->n; i++)
        if (strcmp(m->mount[i].path, new->path) == 0 && strcmp(m->mount[i].type, new->type) == 0)
            return true;
    return false;
}

/* Parses one line: device, path, type, options. Most lines are rejected by their type alone. Returns whether the line
 * is left for the second pass: network mounts (type nfs) come last. */
static bool take_line(struct dsn_mounts *m, const char *line, const char *end, int nfs)
{
    const char *field[4];
    struct dsn_mount *new = &m->mount[m->n];

    field[0] = line;
    for (int i = 1; i < 4; i++) {
        field[i] = memchr(field[i - 1], ' ', (size_t)(end - field[i - 1]));
        if (!field[i])
            return false;
        field[i]++;
    }
    if (m->n == DSN_MAX_MOUNTS || !take_field(field[2], field[3] - 1, new->type, sizeof new->type) ||
        is_skipped(new->type))
        return false;
    if ((strcmp(new->type, "nfs") == 0) != nfs)
        return !nfs;
    if (!take_field(field[1], field[2] - 1, new->path, sizeof new->path) || is_known(m, new))
        return false;
    new->len = strlen(new->path);
    new->block = 0;
    m->has_lustre |= strcmp(new->type, "lustre") == 0;
    m->n++;
    return false;
}

static bool take_table(struct dsn_mounts *m, const char *text, size_t len, int nfs)
{
    const char *end = text + len, *line_end;
    int is_left = 0;

    for (const char *line = text; line < end; line = line_end + 1) {
        line_end = memchr(line, '\n', (size_t)(end - line));
        if (!line_end)
            break;
        is_left |= take_line(m, line, line_end, nfs);
    }
    return is_left;
}

/* Direct system calls, inside a note: they are not recorded, but those of a signal handler meanwhile are. */
static int open_table(void)
{
    const int fd = dsn__sys_open("/proc/self/mounts", 0);

    return fd >= 0 ? fd : dsn__sys_open("/etc/mtab", 0);
}

/* The text is read into mapped memory instead of malloced: the application's malloc may be what has just opened a
 * file. */
void dsn__mounts_load(struct dsn_mounts *m)
{
    const size_t size = 256 * 1024;
    size_t len = 0;
    char *text;
    ssize_t n;
    int fd;

    if (__atomic_exchange_n(&m->loaded, 1, __ATOMIC_RELAXED)) /* an exchange, because a page that is first read costs
                                                               * another fault */
        return;
    fd = open_table();
    if (fd < 0)
        return;
    text = dsn__sys_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    while (text != MAP_FAILED && len < size && (n = dsn__sys_read(fd, text + len, size - len)) > 0)
        len += (size_t)n;
    dsn__sys_close(fd);
    if (text == MAP_FAILED)
        return;
    if (take_table(m, text, len, 0))
        take_table(m, text, len, 1);
    dsn__sys_munmap(text, size);
    if (m->has_lustre)
        atomic_store_explicit(&dsn__file_systems->has_lustre, 1, memory_order_relaxed);
}

struct dsn_mount *dsn__mount_of(struct dsn_mounts *m, const char *name)
{
    struct dsn_mount *best = NULL;
    size_t longest = 0;

    for (unsigned i = 0; i < m->n; i++)
        if (m->mount[i].len > longest && dsn__is_below(name, m->mount[i].path)) {
            best = &m->mount[i];
            longest = best->len;
        }
    return best;
}

void dsn__file_systems_by_file(void)
{
    atomic_store(&dsn__file_systems->by_file, 1);
    atomic_store(&dsn__file_systems->has_lustre, 1);
}

static bool is_by_file(void)
{
    return atomic_load_explicit(&dsn__file_systems->by_file, memory_order_acquire);
}

void dsn__file_systems_by_table(void)
{
    dsn__mounts_load(dsn__mounts);
    if (!is_by_file() || dsn__mounts->n == 0) /* 0: in a directory without /proc, for example */
        return;
    atomic_store(&dsn__file_systems->has_lustre, dsn__mounts->has_lustre);
    atomic_store(&dsn__file_systems->by_file, 0);
}

bool dsn__may_be_on_lustre(int fd)
{
    struct statfs fs;

    return !is_by_file() || (dsn__sys_fstatfs(fd, &fs) == 0 && fs.f_type == LUSTRE_MAGIC);
}

static int64_t block_of(const struct statfs *fs)
{
    return fs->f_type == LUSTRE_MAGIC ? LUSTRE_BLOCK : (int64_t)fs->f_bsize;
}

bool dsn__block_excludes_lustre(int64_t block)
{
    return is_by_file() && block > 0 && block != LUSTRE_BLOCK;
}

/* Threads that ask at the same time get the same answer. */
int64_t dsn__block_size(const char *name, int fd)
{
    struct dsn_mount *m;
    struct statfs fs;
    int64_t block;

    if (is_by_file() && name[0] != '/')
        return -1;
    if (is_by_file()) {
        const int failed = fd >= 0 ? dsn__sys_fstatfs(fd, &fs) : dsn__sys_statfs(name, &fs);

        return failed ? BLOCK_IF_UNKNOWN : block_of(&fs); /* the name need not be a file's */
    }
    m = dsn__mount_of(dsn__mounts, name);
    if (!m)
        return -1;
    block = atomic_load_explicit(&m->block, memory_order_relaxed);
    if (block == 0) {
        block = dsn__sys_statfs(m->path, &fs) == 0 ? block_of(&fs) : BLOCK_IF_UNKNOWN;
        atomic_store_explicit(&m->block, block, memory_order_relaxed);
    }
    return block;
}
