/* survival.h - records in a file that outlives the process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What has been counted lies in a file on node-local memory (tmpfs), mapped into the process: its stores go there as
 * they go to any memory, and stay when the process is dead, whatever has ended it. The file has the first part of struct
 * dsn_state, then the arena, then the memory beside it. Others read it to wherever they have room (record/salvaged.h).
 *
 * While the log is being made, too, all of it is there (record/finalize.h); the file is taken away only when the log is on
 * disk. Where there is no place for such a file the memory is anonymous, and what a killed process has counted is lost, but
 * nothing else changes. Where the file system becomes full what is needed from then on is anonymous, too, and the file says
 * from where. */
#ifndef DSN_SURVIVE_SURVIVAL_H
#define DSN_SURVIVE_SURVIVAL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "config/origin.h"
#include "config/who.h"
#include "record/recording.h"

#define DSN_SURVIVAL_MAGIC    UINT64_C(0x31676d496e737244) /* "DrsnImg1" */
#define DSN_SURVIVAL_PATH_MAX 256

/* What a survival file says of itself, at its beginning. */
struct dsn_survival {
    uint64_t magic;  /* last of all: a survival file without it has nothing in it yet */
    uint64_t layout; /* of the structs in it: only the release that made it can read it */
    uint64_t base,
        size; /* of the mapping behind the state, in that process: its pointers are places in the file, plus base */
    uint64_t device, inode; /* of the file: another one of its name is not taken for it */
    int64_t created;        /* dsn__boot_time() */
    int64_t executes;       /* the same, when another program was about to be executed; 0: none is */
    int has_ended;          /* its process, in a sandbox, in which it could only leave this */
    atomic_int closed;      /* a process that collects what others leave behind does so no more */
    int is_file;            /* there is a file, mapped; else all is anonymous */
    int is_locked;          /* as long as it is mapped (survive/liveness.h) */
    int keep;               /* the mapping of a former life, for a note is under way that was made then */
    char directory[DSN_SURVIVAL_PATH_MAX];
    char path[DSN_SURVIVAL_PATH_MAX + 64];
};

/* What other processes read of it: its beginning. */
struct dsn_survival_head {
    struct dsn_survival survival_file;
    struct dsn_process_tree process_tree;
    struct dsn_origin origin;
    struct dsn_clock clock;
};

/* What of the state is in the file, from its beginning on, and what is this process's alone: life/state.c. */
extern char *const dsn__survival_state __attribute__((visibility("hidden")));
extern const size_t dsn__survival_state_size __attribute__((visibility("hidden")));

/* The parts of what stands at `state`: this process's, or a copy of another one's. */
void dsn__survival_recording(char *state, struct dsn_recording *r);

/* A number for the sizes and the version of all that is in a survival file. */
uint64_t dsn__survival_layout(void);

/* `size` zeroed bytes that stay in a survival file named by the process's process tree (survive/process-tree.h) if it can be had, of
 * anonymous memory if not; NULL if there is not even that. In a survival file `at_once` bytes from `first` on are there
 * already: else there is no room for one. */
char *dsn__survival_map(size_t size, size_t first, size_t at_once);

/* The survival file, opened again; -1: it is not there any more, or another one is, or this process can make no files beside
 * it now as it could then. */
int dsn__survival_open(void);

/* It has what another part of the program will count; until now it counts as one that has nothing in it. */
void dsn__survival_new(void);

/* Whether the file counts as one that has nothing in it. */
void dsn__survival_empty(int is_empty);

/* The process's survival file is its parent's: this one goes on with a copy of the first part of the state. Called in a
 * forked child before it stores anything there. `noting`: a note is under way that goes on with the parent's memory.
 * 0: there is no memory for that, and the child must not store anything there at all. */
int dsn__survival_leave(int noting);

/* Another program is about to be executed: the survival file is held no more then, but its process goes on. Or it is not. */
void dsn__survival_executes(int does);

/* Another name, when the process has become another process tree's. One that a running process has is left to it: the number of
 * this process in the process tree is another one then. */
void dsn__survival_rename(void);

/* Takes the file away; where that is not allowed any more it has nothing in it from now on. */
void dsn__survival_drop(void);

/* Ends the mapping of a former life. */
void dsn__survival_unmap(void);

/* The path of a file of process tree `key` in a directory, of process `pid`; suffix is "image" or "spools". */
void dsn__survival_path(char *out, size_t size, const char *directory, uint64_t key, int64_t pid, const char *suffix);

/* The same of the process tree of this process. */
void dsn__own_path(char *out, size_t size, int64_t pid, const char *suffix);

/* Chooses the directory for the survival files of this process, by the settings. 0: there is none, and m->directory is empty. */
int dsn__survival_find_directory(struct dsn_survival *m);

/* Whether this is a directory as below, and this process's user's. */
int dsn__survival_may_use(const char *directory);

/* The directory of this user below `base`, made if it is missing: only the user can have made it, and only the user
 * can look into it. 0: it is not so, or cannot be had. */
int dsn__survival_directory(const char *base, unsigned uid, int make, char *out, size_t size);

/* Part of what life/state.h composes. */
extern struct dsn_survival *const dsn__survival __attribute__((visibility("hidden")));

#endif
