/* t-grow.c - arrays that grow
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>

#include "unit.h"
#include "util/lib/grow.h"

/* Of every size that matters: each element is kept, room is doubled. */
START_TEST(appended)
{
    uint32_t *array = NULL;
    size_t room = 0, before;

    for (uint32_t i = 0; i < 5000; i++) {
        before = room;
        ck_assert_int_eq(dsn_grow(&array, &room, sizeof *array, i), 1);
        ck_assert(room == before || (i == before && room == (before ? 2 * before : 16)));
        array[i] = i;
    }
    for (uint32_t i = 0; i < 5000; i++)
        ck_assert_uint_eq(array[i], i);
    free(array);
}
END_TEST

/* An element far behind the end: all between are zero, those before are kept. */
START_TEST(zeroed)
{
    uint16_t *array = NULL;
    size_t room = 0;

    ck_assert_int_eq(dsn_grow_zeroed(&array, &room, sizeof *array, 0), 1);
    array[0] = 7;
    ck_assert_int_eq(dsn_grow_zeroed(&array, &room, sizeof *array, 1000), 1);
    ck_assert_uint_eq(room, 1024);
    ck_assert_uint_eq(array[0], 7);
    for (size_t i = 1; i < room; i++)
        ck_assert_uint_eq(array[i], 0);
    free(array);
}
END_TEST

/* What cannot be had, or not even be counted, leaves the array as it was. */
START_TEST(too_large)
{
    static const size_t index[] = { SIZE_MAX,     SIZE_MAX - 1,     SIZE_MAX / 2,
                                    SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1 };
    uint64_t *array = NULL, *before;
    size_t room = 0;

    ck_assert_int_eq(dsn_grow(&array, &room, sizeof *array, 3), 1);
    array[3] = 9;
    before = array;
    ck_assert_int_eq(dsn_grow(&array, &room, sizeof *array, index[_i]), 0);
    ck_assert_int_eq(dsn_grow_zeroed(&array, &room, sizeof *array, index[_i]), 0);
    ck_assert_int_eq(dsn_resize(&array, index[_i], sizeof *array), 0);
    ck_assert_uint_eq(room, 16);
    ck_assert_ptr_eq(array, before);
    ck_assert_uint_eq(array[3], 9);
    free(array);
}
END_TEST

START_TEST(resized)
{
    char *array = NULL;

    ck_assert_int_eq(dsn_resize(&array, 1, 1), 1);
    array[0] = 'a';
    ck_assert_int_eq(dsn_resize(&array, 101, 1), 1);
    array[100] = 'b';
    ck_assert_int_eq(array[0], 'a');
    free(array);
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "appended", appended, 0 }, { "zeroed", zeroed, 0 }, { "too large", too_large, 6 },
        { "resized", resized, 0 },   { NULL, NULL, 0 },
    };

    return unit_run("grow", tests);
}
