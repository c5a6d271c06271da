/* t-block.c - hand-made and damaged pages of the kernel's ring buffer, and baselines
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "measure/block/count.h"
#include "measure/block/ring.h"

/* As Linux 6 prints them. */
#define COMMON                                                                                                         \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                             \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                                                       \
    "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"                                                              \
    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"                                                       \
    "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
static const char issue[] =
    "name: block_rq_issue\nID: 2104\nformat:\n" COMMON "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
    "\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n";
static const char complete[] =
    "name: block_rq_complete\nID: 2107\nformat:\n" COMMON "\tfield:int error;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:char rwbs[10];\toffset:34;\tsize:10;\tsigned:0;\n";
static const char header[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                             "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                             "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                             "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static struct dsn_ring_formats formats;
static unsigned char page[4096];
static size_t used;
static struct dsn_block_event got[16];
static size_t ngot;

static void begin(void)
{
    const uint64_t time = 100;

    ck_assert(dsn_event_format(issue, &formats.issue) && dsn_event_format(complete, &formats.complete));
    ck_assert(dsn_page_format(header, &formats.page));
    memset(page, 0, sizeof page);
    used = 16;
    ngot = 0;
    memcpy(page, &time, sizeof time);
}

static void put(uint32_t v)
{
    memcpy(page + used, &v, sizeof v);
    used += sizeof v;
}

/* The first word of an entry, two bit fields. */
static void put_head(uint32_t kind, uint32_t delta)
{
    put(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? delta << 5 | kind : kind << 27 | delta);
}

/* An event of 44 bytes, as a short entry or one whose length stands in a word of its own. */
static void event(unsigned id, uint32_t delta, int is_long, uint64_t sector, uint32_t sectors, uint32_t last,
                  const char *what)
{
    unsigned char e[44] = { 0 };
    const uint16_t type = (uint16_t)id;
    const uint32_t pid = 77, device = 7 << 20 | 3;

    memcpy(e, &type, 2);
    memcpy(e + 4, &pid, 4);
    memcpy(e + 8, &device, 4);
    memcpy(e + 16, &sector, 8);
    memcpy(e + 24, &sectors, 4);
    memcpy(e + 28, &last, 4);
    memcpy(e + 34, what, strlen(what));
    put_head(is_long ? 0 : 11, delta);
    if (is_long)
        put(48);
    memcpy(page + used, e, sizeof e);
    used += sizeof e;
}

static void end(uint32_t flags)
{
    const uint64_t commit = (used - 16) | flags;

    memcpy(page + 8, &commit, 8);
}

static int take(void *context, const struct dsn_block_event *e)
{
    (void)context;
    ck_assert_uint_lt(ngot, 16);
    got[ngot++] = *e;
    return 1;
}

static int read_page(void)
{
    return dsn_ring_page(&formats, page, sizeof page, take, NULL);
}

START_TEST(pages)
{
    begin();
    event(2104, 10, 0, 45000, 8, 4096, "WSM");
    put_head(30, 3); /* time goes on by 2 * 2^27 + 3 */
    put(2);
    event(1, 0, 0, 1, 1, 1, "R"); /* some other event */
    event(2107, 7, 1, 45000, 8, 0, "WSM");
    put_head(31, 0); /* the time is 5 * 2^27 */
    put(5);
    event(2107, 1, 0, 1, 2, (uint32_t)-5, "R");
    put_head(29, 1); /* an entry that was taken back */
    put(8);
    put(0);
    event(2104, 1, 0, 9, 0, 0, "FF");
    end(0);
    ck_assert(read_page());
    ck_assert_uint_eq(ngot, 4);
    ck_assert_uint_eq(got[0].time, 110);
    ck_assert_uint_eq(got[0].sector, 45000);
    ck_assert_uint_eq(got[0].bytes, 4096);
    ck_assert_uint_eq(got[0].device, 7 << 20 | 3);
    ck_assert_uint_eq(got[0].process, 77);
    ck_assert_str_eq(got[0].what, "WSM");
    ck_assert_int_eq(got[0].is_complete, 0);
    ck_assert_uint_eq(got[1].time, 110 + ((uint64_t)2 << 27) + 3 + 7);
    ck_assert_uint_eq(got[1].bytes, 4096);
    ck_assert_int_eq(got[1].is_complete && !got[1].failed, 1);
    ck_assert_uint_eq(got[2].time, ((uint64_t)5 << 27) + 1);
    ck_assert_int_eq(got[2].failed, 1);
    ck_assert_str_eq(got[3].what, "FF");
}
END_TEST

/* A page's length has marks: events were lost before it, and how many stands behind it. */
START_TEST(lost_events)
{
    const uint64_t many = 1234;

    begin();
    event(2104, 1, 0, 1, 1, 512, "R");
    end(1u << 31);
    ck_assert(read_page());
    ck_assert_uint_eq(ngot, 1);
    end(1u << 31 | 1u << 30);
    memcpy(page + used, &many, sizeof many);
    ck_assert(read_page());
    ck_assert_uint_eq(ngot, 2);
}
END_TEST

/* Lengths that reach beyond the page, events that are too short: refused, at whatever place. */
START_TEST(damaged_pages)
{
    begin();
    put_head(0, 1);
    put(100000);
    end(0);
    ck_assert(!read_page());
    begin();
    put_head(3, 1); /* 12 bytes of a request */
    put(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 2104 : 2104 << 16);
    put(0);
    put(0);
    end(0);
    ck_assert(!read_page());
    begin();
    event(2104, 1, 0, 1, 1, 512, "R");
    used = 5000;
    end(0);
    ck_assert(!read_page());
    ck_assert(!dsn_ring_page(&formats, page, 15, take, NULL));
}
END_TEST

START_TEST(event_formats)
{
    struct dsn_event_format f;
    struct dsn_page_format p;

    ck_assert(!dsn_event_format("", &f));
    ck_assert(!dsn_event_format("ID: 7\n", &f));
    ck_assert(!dsn_event_format("ID: 7\n" COMMON, &f)); /* what kind of request it is, is missing */
    ck_assert(!dsn_page_format("field: u64 timestamp;\toffset:0;\tsize:8;", &p));
    ck_assert(dsn_event_format(issue, &f));
    ck_assert_uint_eq(f.id, 2104);
    ck_assert_uint_eq(f.field[DSN_FIELD_SECTOR].offset, 16);
    ck_assert_uint_eq(f.field[DSN_FIELD_SECTORS].offset, 24);
    ck_assert_uint_eq(f.field[DSN_FIELD_ERROR].size, 0);
}
END_TEST

/* The table of the study: requests, rate, baseline 1,782 in 2,000 s: net 130.2, 88,074.7, 69.5; writes 115.8, 44,787, -13.4. */
START_TEST(baselines)
{
    static const struct {
        uint64_t all, writes;
        double seconds, net, net_writes;
    } rows[] = { { 358, 344, 358 / 1.4, 130.2, 115.8 },
                 { 88342, 45054, 300, 88074.7, 44787 },
                 { 638, 555, 638, 69.5, -13.4 } };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct dsn_block_net n = dsn_block_net(rows[i].all, rows[i].seconds, 1782, 2000);
        const struct dsn_block_net w = dsn_block_net(rows[i].writes, rows[i].seconds, 1782, 2000);

        ck_assert_double_eq_tol(n.raw, rows[i].net, 0.06);
        ck_assert_double_eq_tol(w.raw, rows[i].net_writes, 0.5); /* shares of writes are published as whole percents */
        ck_assert_double_eq_tol(w.net, rows[i].net_writes > 0 ? w.raw : 0, 1e-12);
    }
}
END_TEST

int main(void)
{
    const struct unit_test tests[] = {
        { "pages", pages, 0 },
        { "lost events", lost_events, 0 },
        { "damaged pages", damaged_pages, 0 },
        { "event formats", event_formats, 0 },
        { "baselines", baselines, 0 },
        { NULL, NULL, 0 },
    };

    return unit_run("block", tests);
}
