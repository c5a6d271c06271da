/* lustre.c - a preloaded library that simulates Lustre: a mount table with it, and layouts by file names
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The mount table is the file LUSTRE_MOUNTS; the kernel's answers for files below its Lustre mount points agree with
 * it. Layouts are built by hand from the numbers of Lustre's user interface. Without LUSTRE_MOUNTS no call is expected:
 * the program is aborted. Names of files whose layout is asked for are appended to LUSTRE_ASKED, a line for each fstatfs
 * to LUSTRE_FSTATFS. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

static int is_lustre(int fd)
{
    char line[8192], directory[4096], type[64], link[64], path[4096] = "";
    FILE *table = getenv("LUSTRE_MOUNTS") ? fopen(getenv("LUSTRE_MOUNTS"), "r") : NULL;
    int found = 0;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (!table || readlink(link, path, sizeof path - 1) < 0)
        return 0;
    while (!found && fgets(line, sizeof line, table))
        found = sscanf(line, "%*s %4095s %63s", directory, type) == 2 && strcmp(type, "lustre") == 0 &&
                strncmp(path, directory, strlen(directory)) == 0;
    fclose(table);
    return found;
}

static void append_line(const char *variable, const char *line)
{
    FILE *f = getenv(variable) ? fopen(getenv(variable), "a") : NULL;

    if (!f)
        return;
    fprintf(f, "%s\n", line);
    fclose(f);
}

/* The tool makes system calls directly. */
long syscall(long number, ...)
{
    static long (*next)(long, ...);
    va_list args;
    long a[6];

    va_start(args, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(args, long);
    va_end(args);
    if (!next)
        next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_openat && strcmp((const char *)a[1], "/proc/self/mounts") == 0 && getenv("LUSTRE_MOUNTS"))
        a[1] = (long)getenv("LUSTRE_MOUNTS");
    if (number == SYS_fstatfs && next(number, a[0], a[1]) == 0) {
        append_line("LUSTRE_FSTATFS", "fstatfs");
        if (is_lustre((int)a[0]))
            ((struct statfs *)a[1])->f_type = 0x0BD00BD0;
        return 0;
    }
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static char *put(char *p, uint64_t value, size_t size)
{
    memcpy(p, &value, size);
    return p + size;
}

/* A component without (v1) or with a pool (v3), on targets first, first + 1... */
static char *put_component(char *p, uint32_t pattern, uint32_t stripe_size, unsigned count, const char *pool, int first)
{
    p = put(p, pool ? 0x0BD30BD0 : 0x0BD10BD0, 4);
    p = put(p, pattern, 4);
    p = put(put(p, 1234, 8), 5678, 8); /* the object's id */
    p = put(p, stripe_size, 4);
    p = put(p, count, 2);
    p = put(p, 0, 2);
    if (pool) {
        memset(p, 0, 16);
        strcpy(p, pool);
        p += 16;
    }
    for (unsigned i = 0; i < count && pattern != 0x100; i++) {
        p = put(put(p, 99, 8), 98, 8);
        p = put(p, 0, 4);
        p = put(p, (uint64_t)first + i, 4);
    }
    return p;
}

static char *put_entry(char *p, uint32_t id, uint32_t flags, uint64_t start, uint64_t end, size_t offset, size_t size)
{
    p = put(put(p, id, 4), flags, 4);
    p = put(put(p, start, 8), end, 8);
    p = put(put(p, offset, 4), size, 4);
    return put(put(put(p, 0, 4), 0, 8), 0, 4);
}

/* Data on the metadata target up to 64 KiB, two targets up to 1 GiB, then a component that is not instantiated. */
static size_t progressive(char *out)
{
    char *const first = out + 32 + 3 * 48, *second, *third, *end, *p = out;

    second = put_component(first, 0x100, 65536, 0, NULL, 0);
    third = put_component(second, 1, 1 << 20, 2, "fast", 10);
    end = put_component(third, 1, 1 << 22, 0, NULL, 0);
    p = put(put(put(p, 0x0BD60BD0, 4), (uint64_t)(end - out), 4), 1, 4);
    p = put(put(put(p, 0, 2), 3, 2), 0, 2);
    p = put(put(p, 0, 6), 0, 8);
    p = put_entry(p, 0x10001, 0x10, 0, 65536, (size_t)(first - out), (size_t)(second - first));
    p = put_entry(p, 0x10002, 0x12, 65536, 1 << 30, (size_t)(second - out), (size_t)(third - second));
    put_entry(p, 0x10003, 0, 1 << 30, UINT64_MAX, (size_t)(third - out), (size_t)(end - third));
    return (size_t)(end - out);
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
    char link[64], path[4096] = "";
    size_t n = 0;

    if (strcmp(name, "lustre.lov") != 0 || size < 4096)
        abort();
    if (!getenv("LUSTRE_MOUNTS"))
        abort();
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) < 0)
        return -1;
    if (strstr(path, "plain"))
        n = (size_t)(put_component(value, 1, 1 << 20, 3, NULL, 4) - (char *)value);
    else if (strstr(path, "pool"))
        n = (size_t)(put_component(value, 0x201, 1 << 16, 2, "a-pool-of-names", 7) - (char *)value);
    else if (strstr(path, "progressive"))
        n = progressive(value);
    else if (strstr(path, "damaged"))
        n = (size_t)(put_component(value, 1, 1 << 20, 3, NULL, 4) - (char *)value) - 1;
    else
        errno = ENODATA;
    append_line("LUSTRE_ASKED", strrchr(path, '/') + 1);
    return n > 0 ? (ssize_t)n : -1;
}
