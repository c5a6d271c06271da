/* fuzz.h - what the fuzzers share: bytes as a log file, and everything that a reader can be asked
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each fuzzer is a libFuzzer target (`make fuzz`): it takes bytes and must come back, with nothing for AddressSanitizer
 * or UndefinedBehaviorSanitizer to say. */
#ifndef DSN_FUZZ_H
#define DSN_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "util/lib/log.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A file with those bytes, overwritten by the next call: its name. */
const char *fuzz_file(const void *bytes, size_t n);

/* A log with an uncompressed region of one module, little-endian (or `big`), of the newest log version: its name. The
 * name table knows the id 1. */
const char *fuzz_log(unsigned module, unsigned version, int big, const uint8_t *region, size_t n);

/* The first bytes of a fuzzer's input choose: byte 0 the module, as the fuzzer has it, byte 1 its version, byte 2 the
 * byte order; the others are its region, which `read` gets in a log. 0: as a fuzzer has to return. */
#define FUZZ_CHOICES 3
int fuzz_region(const uint8_t *bytes, size_t n, unsigned module, void (*read)(struct darshan_reader *, unsigned));

/* Reads all of a module's records or traces, adds them up, and prints them to nowhere. */
void fuzz_records(struct darshan_reader *log, unsigned module);
void fuzz_dxt(struct darshan_reader *log, unsigned module);

/* Keeps the compiler from leaving out what is only read. */
extern volatile uint64_t fuzz_sink;

#endif
