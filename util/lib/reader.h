/* reader.h - the handle behind log.h, and functions shared by the parts of the reader
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Private to util/lib. */
#ifndef DSN_READER_H
#define DSN_READER_H

#include "log.h"
#include "idtable.h"
#include "zio.h"

struct dsn__names {
    struct dsn__idtable table; /* maps each id to a size_t: offset of its name in `texts`; 0: empty */
    char *texts;
    size_t used, room;  /* bytes of them */
    uint64_t max_bytes; /* more is treated as damage */
    int is_skimmed;     /* checked for damage, but not kept */
};

struct dsn__extras {
    struct dsn_ext directory;
    char *node_text;
    const char **nodes;
    size_t nnodes;
    unsigned char *ranks; /* records of dsn_rank_table, packed */
    size_t nranks;
    unsigned char *shared; /* records of dsn_sharing_table, packed */
    size_t nshared;
    unsigned char *lbio; /* records of dsn_lbio_table, packed */
    size_t nlbio;
    unsigned char *phases; /* records of dsn_phases_table, packed; each name has an end */
    size_t nphases;
    unsigned char *files; /* records of dsn_files_table, packed, sorted */
    size_t nfiles;
    int has_read_files;
    unsigned char *mapped; /* records of dsn_mapped_table, packed, sorted */
    size_t nmapped;
    int has_read_mapped;
    unsigned char *sites; /* records of dsn_sites_table, packed */
    size_t nsites;
    char *stack_text;
    darshan_log_stack *stacks; /* sorted, each once */
    size_t nstacks;
    int has_read_sites;
    unsigned char *cufile; /* records of dsn_cufile_table, packed, sorted */
    size_t ncufile;
    int has_read_cufile;
    int tells_files; /* 0: not asked yet, 1: it does, -1: it does not */
};

struct darshan_reader {
    struct dsn__file file;
    struct dsn_header header;
    struct dsn_job job;
    uint64_t job_length;
    char job_text[DSN_JOB_REGION_MAX + 1]; /* exe, and words of the mount table, separated by NULs */
    const char *exe;
    struct darshan_reader_mount *mounts;
    size_t nmounts;
    struct dsn__names names;
    struct dsn__extras extras;
    struct darshan_reader_error damage; /* the first damage that did not prevent opening */
};

/* Fills `err` (may be NULL) with the message of `code`, followed by `what` in brackets if not NULL. Returns code. */
int dsn__fail(struct darshan_reader_error *err, int code, const char *what);

/* The same for log->damage, if it is the first. */
void dsn__damage(struct darshan_reader *log, int code, const char *what);

/* Reads the name table. Returns DSN_ERR_OK, or the error; names before it are kept. */
int dsn__names_read(struct darshan_reader *log);
void dsn__names_free(struct dsn__names *names);

/* Reads the extension section, if there is one; records damage in the handle. */
void dsn__extras_read(struct darshan_reader *log);
void dsn__extras_free(struct dsn__extras *x);

#endif
