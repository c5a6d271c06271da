/* err.h - errors of a log: codes and messages from one list
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_ERR_H
#define DSN_ERR_H

/* clang-format off */
#define DSN_ERR_MAP(X)                                                                                              \
    X(OK,          "no error")                                                                                      \
    X(OPEN,        "cannot be opened")                                                                              \
    X(READ,        "cannot be read")                                                                                \
    X(SHORT,       "is shorter than a log's header: not a Darshan log, or cut off")                                 \
    X(MAGIC,       "is not a Darshan log")                                                                          \
    X(VERSION,     "has a log format version that is not known (3.00, 3.10, 3.20, 3.21 and 3.41 are)")              \
    X(COMPRESSION, "names a compression method that is not known")                                                  \
    X(BZIP2,       "is compressed with bzip2, which this build was configured without")                              \
    X(RANGE,       "has a region that lies outside the file: cut off or damaged")                                   \
    X(JOB,         "has a damaged job region")                                                                      \
    X(MOUNTS,      "has a damaged mount table")                                                                     \
    X(NAMES,       "has a damaged name table")                                                                      \
    X(INFLATE,     "has a region that cannot be decompressed: damaged")                                             \
    X(RECORD,      "has a damaged record")                                                                          \
    X(MODVERSION,  "has a module of a version that is not known: written by a newer release")                       \
    X(EXTENSION,   "has a damaged extension section")                                                               \
    X(MEMORY,      "does not fit into memory")                                                               \
    X(WRITE,       "cannot be written")                                                                             \
    X(USE,         "was to be given parts that no log has, or in another order")
/* clang-format on */

#define X(code, text) DSN_ERR_##code,
enum dsn_err { DSN_ERR_MAP(X) DSN_NERRORS };
#undef X

/* The message of a code, without a subject: "is not a Darshan log". Never NULL, whatever the code. */
const char *dsn_err_text(int code);

#endif
