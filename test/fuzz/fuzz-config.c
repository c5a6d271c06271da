/* fuzz-config.c - any bytes as a configuration file
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Then everything that is asked of settings: the dump, filters, names of files. */
#include <config.h>

#include <string.h>

#include "config/config.h"
#include "config/settings.h"
#include "config/value.h"
#include "life/state.h"
#include "record/exclude.h"
#include "record/module.h"
#include "record/record.h"
#include "test/fuzz/fuzz.h"

volatile uint64_t fuzz_sink;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char *const names[] = { "/home/user/file.dat", "/etc/passwd", "<STDIN>", "/scratch/a.so", "" };
    static char out[64 * 1024];
    struct dsn_config *c = dsn__config;

    dsn__config_load_text(c, dsn__state.config_text, sizeof dsn__state.config_text, "file", (const char *)bytes, n);
    fuzz_sink += dsn__config_dump(c, ~UINT64_C(0), out, sizeof out) + c->nbad + strlen(c->bad);
    fuzz_sink += (uint64_t)dsn__config_skips_program(c, "/bin/program with arguments");
    for (int rank = 0; rank < 4; rank++)
        fuzz_sink += (uint64_t)dsn__config_skips_rank(c, rank);
    for (int module = 0; module < DSN_NMODULES; module++)
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const int known = dsn__path_known_excluded(module, names[i]);
            int excluded;

            if (dsn__path_is_undecided(module, names[i]))
                dsn__path_decide(module, names[i]);
            excluded = dsn__path_excluded(module, names[i]);

            if (known && !excluded) /* the quick answer may be ignorant, not wrong */
                __builtin_trap();
            fuzz_sink += (uint64_t)excluded;
        }
    dsn__config_free(c);
    return 0;
}
