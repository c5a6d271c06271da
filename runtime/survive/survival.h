/* survival.h - records in a file that outlives the process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process keeps its records in a file in node-local memory (tmpfs) that it has mapped. A store to the mapping is a
 * store to the file, so the records survive the process, however it ends. The file holds the first part of struct
 * dsn_state, then the arena, then the auxiliary buffers. Its pointers are addresses in its owner; any other process can
 * read it, at any address (record/salvaged.h).
 *
 * The file stays until the log is on disk, and is complete while the log is made (record/finalize.h). Without a place
 * for it the memory is anonymous: nothing changes but that the records of a killed process are lost. When the file
 * system becomes full, memory needed from then on is anonymous, and the file says where that begins. */
#ifndef DSN_SURVIVE_SURVIVAL_H
#define DSN_SURVIVE_SURVIVAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "config/origin.h"
#include "config/who.h"
#include "record/recording.h"

#define DSN_SURVIVAL_MAGIC    UINT64_C(0x31676d496e737244) /* "DrsnImg1" */
#define DSN_SURVIVAL_PATH_MAX 256

/* Version of the structs in the file, and of their members' meaning. A file of another version is read only by the
 * release that wrote it, so that jobs that run across an update are recovered as long as that release stays installed.
 * The structs are listed in survival.layout, which `.ci/survival-layout.py` compares with them. */
#define DSN_SURVIVAL_VERSION 4

/* What a process knows of its survival file, or of the anonymous memory that it has instead. */
struct dsn_survival {
    uint64_t magic;  /* written last: a file without it is empty */
    uint64_t layout; /* dsn__survival_layout() of its owner */
    uint64_t base,
        size; /* address and bytes of the mapping in its owner: pointer - base is the offset behind the state */
    uint64_t device, inode; /* of the file, to tell it from another one of the same name */
    int64_t created;        /* dsn__boot_time() */
    int64_t executes;       /* dsn__boot_time() of the exec that its owner was about to do; 0: none */
    atomic_int closed;      /* the owner accepts no more exit records */
    int is_file;            /* there is a file; else the memory is anonymous */
    int is_locked;          /* it has the liveness lock (survive/liveness.h) */
    int keep;               /* keep the mapping from before a fork: a note in progress still uses it */
    char directory[DSN_SURVIVAL_PATH_MAX];
    char path[DSN_SURVIVAL_PATH_MAX + 64];
};

/* The head of a survival file, which other processes read to know whose it is. */
struct dsn_survival_head {
    struct dsn_survival survival_file;
    struct dsn_member member;
    struct dsn_origin origin;
    struct dsn_clock clock;
};

/* The part of the state that is in the file: life/state.c. */
extern char *const dsn__survival_state __attribute__((visibility("hidden")));
extern const size_t dsn__survival_state_size __attribute__((visibility("hidden")));

/* Offsets of the components' members in it, behind its head, and bytes of the whole state. */
struct dsn_state_offsets {
    size_t whole, incomplete, recordless, io_time, lbio, config, run, arena, auxiliary, names, finalizing;
};
extern const struct dsn_state_offsets dsn__state_offsets __attribute__((visibility("hidden")));

/* Where the components' members are in `state`: this process's, or a copy of another one's. */
void dsn__survival_recording(char *state, struct dsn_recording *r);

/* A hash of the version and of the sizes of all structs in the file: only a reader with the same one reads it. */
uint64_t dsn__survival_layout(void);

/* Maps `size` zeroed bytes: of a new survival file, named as survive/process-tree.h says, or else anonymous; NULL if
 * there is no memory. Space for `at_once` bytes from `first` on is reserved in the file; without it no file is used. */
char *dsn__survival_map(size_t size, size_t first, size_t at_once);

/* Opens the file again; -1: it has been removed or replaced, or this process has lost the rights to write beside it. */
int dsn__survival_open(void);

/* Marks an empty file as one with records again, which begin now: of the same program, after an exec that has failed. */
void dsn__survival_begin_again(void);

/* Marks the file as empty, or as one with records. */
void dsn__survival_set_empty(int is_empty);

/* In a forked child, before its first store: the mapped state is still the parent's file and becomes a private copy.
 * `noting`: a note is in progress that goes on with the parent's memory. False: there is no memory, and the child must not
 * store anything. */
bool dsn__survival_detach(int noting);

/* Notes that another program is about to be executed, which gives up the liveness lock though the process lives on; or
 * that it could not be. */
void dsn__survival_note_exec(int does);

/* Renames the file when the process has moved to another process tree. If a live process has that name already, this
 * process gets another number in the tree. */
void dsn__survival_rename(void);

/* Removes the file, or, where that is not allowed any more, marks it as empty. */
void dsn__survival_drop(void);

/* Unmaps what was kept from before a fork. */
void dsn__survival_unmap(void);

/* The path of the file of process `pid` in process tree `key`: its survival file, or exit records for it. A dash in a
 * name stands between numbers, so there is none in the suffixes. */
#define DSN_SURVIVAL_SUFFIX     ".survival"
#define DSN_EXIT_RECORDS_SUFFIX ".exit_records"
void dsn__survival_path(char *out, size_t size, const char *directory, uint64_t key, int64_t pid, const char *suffix);

/* The same for this process's process tree. */
void dsn__tree_path(char *out, size_t size, int64_t pid, const char *suffix);

/* Chooses survival->directory by the settings; empty and false if there is none. */
bool dsn__survival_find_directory(struct dsn_survival *survival);

/* Whether a directory is safe, as below, and belongs to this process's user. */
bool dsn__survival_may_use(const char *directory);

/* The directory of a user below `base`; `make`: create it if it is missing. Returns false if it does not exist, or others
 * could have created it or could look into it. */
bool dsn__survival_directory(const char *base, unsigned uid, int make, char *out, size_t size);

/* Member of the state that life/state.h composes. */
extern struct dsn_survival *const dsn__survival __attribute__((visibility("hidden")));

#endif
