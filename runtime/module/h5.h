/* h5.h - the HDF5 library of an application, and what the modules ask it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing is linked against HDF5: the wrappers know which library a call goes to (wrap/h5-library.h) and hand its
 * functions over in a struct dsn_h5. There may be several in a process, as Python packages bring their own; an
 * identifier means something to the library that gave it only.
 *
 * Questions are asked after a call that succeeded, with no lock of ours held, for HDF5 takes its own. I/O that HDF5
 * does to answer counts as any other. No identifier that an answer consists of outlives the question, and the error
 * stack of the thread is left as it was. */
#ifndef DSN_MODULE_H5_H
#define DSN_MODULE_H5_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/shared/direction.h"
#include "record/fd.h"
#include "record/module.h"
#include "record/span.h"

typedef int64_t dsn_hid; /* hid_t since HDF5 1.10; wrappers hand ints of older ones on unharmed */

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
    unsigned number;  /* tells libraries apart: below 256 */
    atomic_int state; /* enum dsn_h5_state: its version has been looked at */
};

/* An open file or dataset. */
struct dsn_h5_open {
    struct dsn_record_state *state;
    enum dsn_module_index module; /* DSN_INDEX_H5F, DSN_INDEX_H5D */
    int64_t points;               /* of a dataset: elements in all */
    int ndims;
    int64_t element; /* bytes of one in the file */
    uintptr_t name;  /* of a file: what dsn__h5_name_known said */
};

/* Around questions; `s` is the span of the call. Each call of HDF5 costs as much as a tenth of a small transfer, so
 * what cannot fail (questions about what a call has just accepted) is asked without keeping the library from reporting
 * errors. begin: 0 if the library is none that can be asked; then there is nothing to end. */
enum dsn_h5_questions { DSN_H5_SURE, DSN_H5_MAY_FAIL };
struct dsn_h5_quiet {
    const struct dsn_span *span;
    unsigned is_v2;
    int muted;
    dsn_hid errors; /* what was on the error stack; 0: nothing */
    void (*report)(void);
    void *data;
};
int dsn__h5_begin(struct dsn_h5 *h5, struct dsn_h5_quiet *q, const struct dsn_span *s, enum dsn_h5_questions what);
void dsn__h5_end(struct dsn_h5 *h5, struct dsn_h5_quiet *q);

/* Whether an object may be asked without waiting for operations under way: not one of a connector that works in the
 * background, where `events` is an event set. Asked between begin and end. */
int dsn__h5_answers(const struct dsn_h5 *h5, dsn_hid object, dsn_hid events);

/* What is known of an identifier goes to *what; `module` is what it is to be. 0: nothing is known. A copy, for another
 * thread may be closing it. */
int dsn__h5_find(const struct dsn_h5 *h5, dsn_hid id, enum dsn_module_index module, struct dsn_h5_open *what);
void dsn__h5_opened(const struct dsn_h5 *h5, dsn_hid id, const struct dsn_h5_open *what);

/* A dataset has so many elements from now on. */
void dsn__h5_resized(const struct dsn_h5 *h5, dsn_hid id, int64_t points);

/* An identifier was closed; what it was goes to *what. 0 if it is not known, or is still in use. */
int dsn__h5_closed(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, struct dsn_h5_open *what);

/* The full path of the file that an object is in, into `out`: what its own open made of the name that HDF5 keeps, for
 * the working directory may be another by now. Asked between begin and end. 0 if it cannot be told. */
int dsn__h5_file_name(const struct dsn_h5 *h5, dsn_hid object, char *out, size_t size);

/* Remembers a file's full path by the name that it was opened with, if that is not a full path itself, until it is
 * closed. */
uintptr_t dsn__h5_name_known(const char *given, struct dsn_record_state *file);

/* ------------------------------------------------------------------ calls on files */

/* `id` is what the real call returned, negative if it failed; `events` an event set, or DSN_H5_DEFAULT. */
void dsn__h5f_open(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *path, dsn_hid access);
void dsn__h5f_flush(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid object, dsn_hid events);

/* Any identifier was closed by a call that succeeded if result >= 0. */
void dsn__h5_close(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid id);

void dsn__h5f_close(const struct dsn_span *s, struct dsn_record_state *state);

/* ------------------------------------------------------------------ calls on datasets */

/* How a dataset was opened: by the calls of HDF5 1.6; and whether what was opened may be another kind of object. */
enum { DSN_H5_OUTDATED = 1, DSN_H5_ANY_OBJECT = 2 };

/* `name` is NULL where the call has none: the object was found by its address. */
void dsn__h5d_open(struct dsn_h5 *h5, const struct dsn_span *s, dsn_hid id, const char *name, int how, dsn_hid events);

/* A transfer. */
struct dsn_h5d_io {
    enum dsn_direction direction;
    dsn_hid dataset, space, transfer; /* in the file */
};
void dsn__h5d_io(struct dsn_h5 *h5, const struct dsn_span *s, int result, const struct dsn_h5d_io *io);

/* The transfers of one call on several datasets, each as long as the call; `io` has what they have in common. */
void dsn__h5d_multi(struct dsn_h5 *h5, const struct dsn_span *s, int result, size_t n, const dsn_hid *datasets,
                    const dsn_hid *spaces, struct dsn_h5d_io io);

void dsn__h5d_flush(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid dataset);
void dsn__h5d_extent(struct dsn_h5 *h5, const struct dsn_span *s, int result, dsn_hid dataset, dsn_hid events);
void dsn__h5d_close(const struct dsn_span *s, struct dsn_record_state *state);

struct dsn_h5_handles {
    struct dsn_small *free_files, *free_sets;
    struct dsn_handle_map ids, names;
};

/* Part of what life/state.h composes. */
extern struct dsn_h5_handles *const dsn__h5 __attribute__((visibility("hidden")));

#endif
