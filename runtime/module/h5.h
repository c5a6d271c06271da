/* h5.h - queries to the application's HDF5 library
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * We do not link against HDF5: the wrappers know which library a call goes to (wrap/h5-library.h) and pass its
 * functions in a struct dsn_h5. A process may load several, because Python packages bring their own; an identifier is
 * valid only in the library that created it.
 *
 * Queries follow a successful call, with none of our locks held, because HDF5 takes its own. I/O that HDF5 does to
 * answer them is recorded as any other. Identifiers obtained by a query are closed by its end, and the thread's error
 * stack is preserved. */
#ifndef DSN_MODULE_H5_H
#define DSN_MODULE_H5_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/span.h"

typedef int64_t dsn_hid; /* hid_t since HDF5 1.10; wrappers pass the ints of older versions through unharmed */

#define DSN_H5_DEFAULT   0 /* H5P_DEFAULT, H5S_ALL, H5E_DEFAULT, H5ES_NONE */
#define DSN_H5_MAX_NDIMS 32

struct dsn_h5_calls {
#define C(r, name, p) r(*name) p;
#define O(r, name, p) C(r, name, p)
#define X(r, name, p) C(r, name, p)
#include "module/h5-calls.def"
#undef C
#undef O
#undef X
};

enum dsn_h5_state { DSN_H5_UNKNOWN, DSN_H5_USABLE, DSN_H5_UNUSABLE };

struct dsn_h5 {
    struct dsn_h5_calls calls;
    unsigned number;  /* identifies the library: below 256 */
    atomic_int state; /* enum dsn_h5_state: whether its version has been checked */
};

/* An open file or dataset. */
struct dsn_h5_open {
    struct dsn_record_state *state;
    enum dsn_module_index module; /* DSN_INDEX_H5F, DSN_INDEX_H5D */
    int64_t points;               /* of a dataset: number of elements */
    int ndims;
    int64_t element; /* of a dataset: bytes of an element in the file */
    uintptr_t name;  /* of a file: returned by dsn__h5_name_known */
};

/* Brackets for queries; `s` is the span of the call. A call of HDF5 costs up to a tenth of a small transfer, so queries
 * that cannot fail (about arguments that a call has just accepted) skip turning off error reporting. begin returns 0 if
 * the library cannot be queried; then end must not be called. */
enum dsn_h5_questions { DSN_H5_SURE, DSN_H5_MAY_FAIL };
struct dsn_h5_quiet {
    const struct dsn_span *span;
    unsigned is_v2;
    int muted;
    dsn_hid errors; /* saved error stack; 0: it was empty */
    void (*report)(void);
    void *data;
};
bool dsn__h5_begin(struct dsn_h5 *h5, struct dsn_h5_quiet *q, const struct dsn_span *s, enum dsn_h5_questions what);
void dsn__h5_end(struct dsn_h5 *h5, struct dsn_h5_quiet *q);

/* Whether an object can be queried without waiting for operations in flight: it is not of an asynchronous connector
 * with `events` as its event set. Between begin and end. */
bool dsn__h5_answers(const struct dsn_h5 *h5, dsn_hid object, dsn_hid events);

/* Copies what is known about an identifier to *what; `module`: its expected type. Returns false if it is unknown. A copy,
 * because another thread may be closing it. */
bool dsn__h5_find(const struct dsn_h5 *h5, dsn_hid id, enum dsn_module_index module, struct dsn_h5_open *what);
void dsn__h5_opened(const struct dsn_h5 *h5, dsn_hid id, const struct dsn_h5_open *what);

/* Sets a dataset's new number of elements. */
void dsn__h5_resized(const struct dsn_h5 *h5, dsn_hid id, int64_t points);

/* An identifier was closed: copies what was known about it to *what. Returns false if it is unknown, or has references
 * left. */
bool dsn__h5_closed(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, struct dsn_h5_open *what);

/* Writes the full path of an object's file to `out`: the path resolved when the file was opened, because the working
 * directory may have changed since. Between begin and end. Returns false if unknown. */
bool dsn__h5_file_name(const struct dsn_h5 *h5, dsn_hid object, char *out, size_t size);

/* Remembers the full path of a file by the relative name that it was opened with, until it is closed. */
uintptr_t dsn__h5_name_known(const char *given, struct dsn_record_state *file);

/* ------------------------------------------------------------------ calls on files */

/* `id` is the real call's result, negative if it failed; `events` an event set, or DSN_H5_DEFAULT. */
void dsn__h5f_open(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *path, dsn_hid access);
void dsn__h5f_flush(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid object, dsn_hid events);

/* An identifier of any type was closed, successfully if result >= 0. */
void dsn__h5_close(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid id);

void dsn__h5f_close(const struct dsn_span *s, struct dsn_record_state *state);

/* ------------------------------------------------------------------ calls on datasets */

/* Flags of an open: the API of HDF5 1.6 was used; the object may be of another type. */
enum { DSN_H5_OUTDATED = 1, DSN_H5_ANY_OBJECT = 2 };

/* `name` is NULL if the call has none: the object was opened by its address. */
void dsn__h5d_open(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *name, int how, dsn_hid events);

/* A read or write. */
struct dsn_h5d_io {
    enum dsn_direction direction;
    dsn_hid dataset, space, transfer; /* the dataset, its selection in the file, and the transfer property list */
};
void dsn__h5d_io(struct dsn_h5 *h5, const struct dsn_span *s, int result, const struct dsn_h5d_io *io);

/* A call that transfers several datasets, each counted with the time of the whole call; `io` has what they have in
 * common. */
void dsn__h5d_multi(struct dsn_h5 *h5, const struct dsn_span *s, int result, size_t n, const dsn_hid *datasets,
                    const dsn_hid *spaces, struct dsn_h5d_io io);

void dsn__h5d_flush(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid dataset);
void dsn__h5d_extent(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid dataset, dsn_hid events);
void dsn__h5d_close(const struct dsn_span *s, struct dsn_record_state *state);

struct dsn_h5_handles {
    struct dsn_small *free_files, *free_sets;
    struct dsn_handle_map ids, names;
};

/* Member of the state that life/state.h composes. */
extern struct dsn_h5_handles *const dsn__h5 __attribute__((visibility("hidden")));

#endif
