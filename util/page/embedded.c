/* embedded.c - files of the page, embedded by the assembler
 * SPDX-License-Identifier: BSD-3-Clause */
#include "util/page/embedded.h"

#include "util/page/made/hashes.h"

/* Compilers take a second for an array of this size, assemblers do not. */
#define EMBED(name, path, its_hash)                                                                                    \
    __asm__(".pushsection .rodata\n"                                                                                   \
            ".globl dsn__" #name ", dsn__" #name "_end\n"                                                              \
            ".hidden dsn__" #name "\n"                                                                                 \
            ".hidden dsn__" #name "_end\n"                                                                             \
            "dsn__" #name ": .incbin \"" path "\"\n"                                                                   \
            "dsn__" #name "_end: .byte 0\n"                                                                            \
            ".popsection\n");                                                                                          \
    extern const char dsn__##name[], dsn__##name##_end[];                                                              \
    const struct dsn_embedded dsn_##name = { dsn__##name, dsn__##name##_end, its_hash }

/* Paths are relative to the build tree, where make runs. */
EMBED(page_css, "util/page/made/page.css", DSN_HASH_PAGE_CSS);
EMBED(page_js, "util/page/made/page.js", DSN_HASH_PAGE_JS);
EMBED(site_js, "util/page/made/site.js", DSN_HASH_SITE_JS);
EMBED(sweep_js, "util/page/made/sweep.js", DSN_HASH_SWEEP_JS);
EMBED(block_js, "util/page/made/block.js", DSN_HASH_BLOCK_JS);
EMBED(trace_page_js, "util/page/made/trace-page.js", DSN_HASH_TRACE_PAGE_JS);
EMBED(charts_js, "util/page/made/charts.js", DSN_HASH_CHARTS_JS);
