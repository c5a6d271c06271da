/* note.h - calls the modules' notes without a program
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_TEST_NOTE_H
#define DSN_TEST_NOTE_H

#include "record/span.h"

/* A call that took no time: `note` has its span, `s`. */
#define NOTE(note)                                                                                                     \
    do {                                                                                                               \
        struct dsn_span s;                                                                                             \
        if (dsn__span_open(&s)) {                                                                                      \
            dsn__span_returned(&s);                                                                                    \
            note;                                                                                                      \
            dsn__span_close(&s);                                                                                       \
        }                                                                                                              \
    } while (0)

#endif
