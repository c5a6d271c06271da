/* fake-h5.c - a library that behaves like any version of HDF5
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compiled with -DMINOR=n for version 1.n and -DTAG=n, which is part of its identifiers. A file has datasets of 100
 * elements of 8 bytes; the only dataspace selects 4 blocks of 5, with a stride of 10; no data is read or written.
 * fake_open_identifiers is the number of identifiers returned by queries that are still open. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#ifndef TAG
#define TAG 0
#endif

typedef int64_t hid_t;
struct token {
    uint8_t bytes[16];
};

enum { FILE_ID = 1, SPACE_ID = 4, SET_ID = 5, OTHER_ID = 9 };
#define AT const char *app_file, const char *app_function, unsigned app_line

static char file_name[4096], set_name[64][64];
static int sets, answers, closed[64];
static int64_t points = 100;
int fake_tag = TAG;

static hid_t id(int type, int n)
{
    return (hid_t)type << 56 | TAG << 16 | n;
}

static int number(hid_t i)
{
    return (int)(i & 63);
}

int fake_open_identifiers(void)
{
    return answers;
}

static hid_t answer(int type)
{
    answers++;
    return id(type, 63);
}

/* ------------------------------------------------------------------ what is asked */

int H5open(void)
{
    return 0;
}

int H5get_libversion(unsigned *major, unsigned *minor, unsigned *release)
{
    *major = 1;
    *minor = MINOR;
    *release = 3;
    return 0;
}

ssize_t H5Fget_name(hid_t object, char *name, size_t size)
{
    (void)object;
    return snprintf(name, size, "%s", file_name);
}

ssize_t H5Iget_name(hid_t object, char *name, size_t size)
{
    return snprintf(name, size, "/%s", set_name[number(object)]);
}

int H5Iget_type(hid_t i)
{
    return (int)(i >> 56);
}

int H5Iis_valid(hid_t i)
{
    return !closed[number(i)];
}

int H5Idec_ref(hid_t i)
{
    answers -= number(i) == 63;
    return 0;
}

hid_t H5Dget_space(hid_t set)
{
    (void)set;
    return answer(SPACE_ID);
}

hid_t H5Dget_type(hid_t set)
{
    (void)set;
    return answer(OTHER_ID);
}

hid_t H5Dget_create_plist(hid_t set)
{
    (void)set;
    return answer(OTHER_ID);
}

#define ANSWER(r, name, p, value)                                                                                      \
    r name p;                                                                                                          \
    r name p                                                                                                           \
    {                                                                                                                  \
        return value;                                                                                                  \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"
ANSWER(size_t, H5Tget_size, (hid_t type), 8)
ANSWER(int, H5Pget_layout, (hid_t list), 1)
ANSWER(int, H5Pget_chunk, (hid_t list, int max, uint64_t *dims), -1)
ANSWER(int, H5Sget_simple_extent_ndims, (hid_t space), 1)
ANSWER(int64_t, H5Sget_simple_extent_npoints, (hid_t space), points)
ANSWER(int, H5Sget_select_type, (hid_t space), 2)
ANSWER(int64_t, H5Sget_select_npoints, (hid_t space), 20)
ANSWER(int, H5Sis_regular_hyperslab, (hid_t space), 1)
ANSWER(ssize_t, H5Eget_num, (hid_t stack), 0)
ANSWER(hid_t, H5Eget_current_stack, (void), -1)
ANSWER(int, H5Eset_current_stack, (hid_t stack), 0)
ANSWER(int, H5Eclear2, (hid_t stack), 0)
ANSWER(int, H5Eauto_is_v2, (hid_t stack, unsigned *is_v2), (*is_v2 = 1, 0))
ANSWER(int, H5Eget_auto2, (hid_t stack, void (**f)(void), void **data), 0)
ANSWER(int, H5Eset_auto2, (hid_t stack, void (*f)(void), void *data), 0)
ANSWER(int, H5VLobject_is_native, (hid_t object, _Bool *is), (*is = 1, 0))

int H5Sget_regular_hyperslab(hid_t space, uint64_t *start, uint64_t *stride, uint64_t *count, uint64_t *block)
{
    *start = 0;
    *stride = 10;
    *count = 4;
    *block = 5;
    return 0;
}

/* ------------------------------------------------------------------ what applications call */

static hid_t open_file(const char *path)
{
    snprintf(file_name, sizeof file_name, "%s", path);
    return id(FILE_ID, 0);
}

static hid_t open_set(const char *name)
{
    snprintf(set_name[++sets], sizeof set_name[0], "%s", name);
    return id(SET_ID, sets);
}

static int close_id(hid_t i)
{
    closed[number(i)] = 1;
    return 0;
}

ANSWER(hid_t, H5Fcreate, (const char *path, unsigned flags, hid_t creation, hid_t access), open_file(path))
ANSWER(hid_t, H5Fopen, (const char *path, unsigned flags, hid_t access), open_file(path))
ANSWER(int, H5Fflush, (hid_t object, int scope), 0)
ANSWER(int, H5Fclose, (hid_t i), close_id(i))
ANSWER(int, H5Oclose, (hid_t i), close_id(i))
ANSWER(int, H5Dclose, (hid_t i), close_id(i))
ANSWER(hid_t, H5Dopen2, (hid_t loc, const char *name, hid_t access), open_set(name))
ANSWER(hid_t, H5Dcreate2,
       (hid_t loc, const char *name, hid_t type, hid_t space, hid_t link, hid_t creation, hid_t access), open_set(name))
ANSWER(hid_t, H5Oopen, (hid_t loc, const char *name, hid_t access), open_set(name))
ANSWER(hid_t, H5Oopen_by_addr, (hid_t loc, uint64_t addr), open_set("by address"))
ANSWER(hid_t, H5Oopen_by_idx, (hid_t loc, const char *group, int index, int order, uint64_t n, hid_t access),
       open_set("by index"))
ANSWER(int, H5Dflush, (hid_t set), 0)
ANSWER(int, H5Dset_extent, (hid_t set, const uint64_t *size), (points = (int64_t)*size, 0))
ANSWER(int, H5Dwrite, (hid_t set, hid_t mem, hid_t ms, hid_t space, hid_t list, const void *buf), 0)
ANSWER(int, H5Dread, (hid_t set, hid_t mem, hid_t ms, hid_t space, hid_t list, void *buf), 0)

#if MINOR >= 14
static int is_here(const char *file, const char *function, unsigned line)
{
    return strcmp(file, "file") == 0 && strcmp(function, "function") == 0 && line == 42;
}

#define HERE (is_here(app_file, app_function, app_line))
ANSWER(hid_t, H5Fcreate_async, (AT, const char *path, unsigned flags, hid_t creation, hid_t access, hid_t events),
       HERE &&events == 7 ? open_file(path) : -1)
ANSWER(hid_t, H5Fopen_async, (AT, const char *path, unsigned flags, hid_t access, hid_t events),
       HERE &&events == 7 ? open_file(path) : -1)
ANSWER(hid_t, H5Oopen_async, (AT, hid_t loc, const char *name, hid_t access, hid_t events),
       HERE &&events == 7 ? open_set(name) : -1)
ANSWER(hid_t, H5Oopen_by_idx_async,
       (AT, hid_t loc, const char *group, int index, int order, uint64_t n, hid_t access, hid_t events),
       HERE &&n == 8 && events == 7 ? open_set("by index") : -1)
ANSWER(int, H5Dread_multi_async,
       (AT, size_t n, hid_t *s, hid_t *m, hid_t *ms, hid_t *sp, hid_t list, void **buf, hid_t events),
       HERE &&n == 2 && events == 7 ? 0 : -1)
ANSWER(int, H5Fflush_async, (AT, hid_t object, int scope, hid_t events), HERE &&scope == 1 && events == 7 ? 0 : -1)
ANSWER(int, H5Fclose_async, (AT, hid_t i, hid_t events), HERE &&events == 7 ? close_id(i) : -1)
ANSWER(hid_t, H5Dcreate_async,
       (AT, hid_t loc, const char *name, hid_t type, hid_t space, hid_t link, hid_t creation, hid_t access,
        hid_t events),
       HERE &&access == 6 && events == 7 ? open_set(name) : -1)
ANSWER(hid_t, H5Dopen_async, (AT, hid_t loc, const char *name, hid_t access, hid_t events),
       HERE &&events == 7 ? open_set(name) : -1)
ANSWER(int, H5Dwrite_async,
       (AT, hid_t set, hid_t mem, hid_t ms, hid_t space, hid_t list, const void *buf, hid_t events),
       HERE &&events == 7 ? 0 : -1)
ANSWER(int, H5Dread_async, (AT, hid_t set, hid_t mem, hid_t ms, hid_t space, hid_t list, void *buf, hid_t events),
       HERE &&events == 7 ? 0 : -1)
ANSWER(int, H5Dset_extent_async, (AT, hid_t set, const uint64_t *size, hid_t events), (points = (int64_t)*size, 0))
ANSWER(int, H5Dclose_async, (AT, hid_t i, hid_t events), HERE &&events == 7 ? close_id(i) : -1)
ANSWER(int, H5Oclose_async, (AT, hid_t i, hid_t events), HERE &&events == 7 ? close_id(i) : -1)
ANSWER(int, H5Dread_multi, (size_t n, hid_t *s, hid_t *m, hid_t *ms, hid_t *sp, hid_t list, void **buf),
       n == 2 ? 0 : -1)
ANSWER(int, H5Dwrite_multi, (size_t n, hid_t *s, hid_t *m, hid_t *ms, hid_t *sp, hid_t list, const void **buf),
       n == 2 ? 0 : -1)
ANSWER(int, H5Dwrite_multi_async,
       (AT, size_t n, hid_t *s, hid_t *m, hid_t *ms, hid_t *sp, hid_t list, const void **buf, hid_t events),
       HERE &&n == 2 && events == 7 ? 0 : -1)
ANSWER(hid_t, H5Oopen_by_token, (hid_t loc, struct token token),
       token.bytes[0] == 1 && token.bytes[15] == 16 ? open_set("by token") : -1)
#endif
