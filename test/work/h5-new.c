/* h5-new.c - calls that came with HDF5 1.12 and 1.14, against test/lib/fake-h5.c; counters in h5-new.want
 * SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include <stdint.h>

typedef int64_t hid_t;
struct token {
    uint8_t bytes[16];
};
#define AT   const char *, const char *, unsigned
#define HERE "file", "function", 42

hid_t H5Fcreate_async(AT, const char *, unsigned, hid_t, hid_t, hid_t);
int H5Fflush_async(AT, hid_t, int, hid_t);
int H5Fclose_async(AT, hid_t, hid_t);
hid_t H5Dcreate_async(AT, hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t, hid_t);
hid_t H5Dopen_async(AT, hid_t, const char *, hid_t, hid_t);
int H5Dwrite_async(AT, hid_t, hid_t, hid_t, hid_t, hid_t, const void *, hid_t);
int H5Dread_async(AT, hid_t, hid_t, hid_t, hid_t, hid_t, void *, hid_t);
int H5Dset_extent_async(AT, hid_t, const uint64_t *, hid_t);
int H5Dclose_async(AT, hid_t, hid_t);
int H5Oclose_async(AT, hid_t, hid_t);
int H5Dread_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **);
int H5Dwrite_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **);
int H5Dwrite_multi_async(AT, size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **, hid_t);
hid_t H5Oopen_by_token(hid_t, struct token);
int fake_open_identifiers(void);

int main(int argc, char **argv)
{
    const struct token token = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } };
    const uint64_t size = 200;
    hid_t file, set[2], third, none[2] = { 0, 0 }, spaces[2] = { 0, (hid_t)4 << 56 | 9 };
    char buffer[8];
    void *buffers[2] = { buffer, buffer };

    work_start(&argc, &argv);
    CHECK((file = H5Fcreate_async(HERE, work_path("new.h5"), 0, 0, 0, 7)) > 0);
    CHECK((set[0] = H5Dcreate_async(HERE, file, "first", 1, 2, 3, 5, 6, 7)) > 0);
    CHECK((set[1] = H5Dopen_async(HERE, file, "second", 0, 7)) > 0);
    CHECK(H5Dwrite_async(HERE, set[0], 0, 0, 0, 0, buffer, 7) == 0);
    CHECK(H5Dwrite_multi(2, set, none, none, spaces, 0, (const void **)buffers) == 0);
    CHECK(H5Dwrite_multi_async(HERE, 2, set, none, none, spaces, 0, (const void **)buffers, 7) == 0);
    CHECK(H5Dread_multi(2, set, none, none, spaces, 0, buffers) == 0);
    CHECK(H5Dset_extent_async(HERE, set[0], &size, 7) == 0);
    CHECK(H5Dread_async(HERE, set[0], 0, 0, 0, 0, buffer, 7) == 0);
    CHECK(H5Fflush_async(HERE, set[0], 1, 7) == 0);
    CHECK((third = H5Oopen_by_token(file, token)) > 0);
    CHECK(H5Dclose_async(HERE, set[0], 7) == 0 && H5Oclose_async(HERE, set[1], 7) == 0);
    CHECK(H5Oclose_async(HERE, third, 7) == 0 && H5Fclose_async(HERE, file, 7) == 0);
    CHECK(fake_open_identifiers() == 0);
    return work_end();
}
