/* image.h - records in a file that outlives the process
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What has been counted lies in a file on node-local memory (tmpfs), mapped into the process: its stores go there as
 * they go to any memory, and stay when the process is gone, whatever has ended it. The file has the first part of struct
 * dsn_state, then the arena, then the memory beside it. Others read it to wherever they have room (record/remains.h).
 *
 * While the log is being made, too, all of it is there (record/finish.h); the file is taken away only when the log is on
 * disk. Where there is no place for such a file the memory is anonymous, and what a killed process has counted is lost, but
 * nothing else changes. Where the file system becomes full what is needed from then on is anonymous, too, and the file says
 * from where. */
#ifndef DSN_CORE_IMAGE_H
#define DSN_CORE_IMAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/clock.h"
#include "config/origin.h"
#include "config/who.h"
#include "record/recording.h"

#define DSN_IMAGE_MAGIC    UINT64_C(0x31676d496e737244) /* "DrsnImg1" */
#define DSN_IMAGE_PATH_MAX 256

/* What an image says of itself, at its beginning. */
struct dsn_image {
    uint64_t magic;  /* last of all: an image without it has nothing in it yet */
    uint64_t layout; /* of the structs in it: only the release that made it can read it */
    uint64_t base,
        size; /* of the mapping behind the state, in that process: its pointers are places in the file, plus base */
    uint64_t device, inode; /* of the file: another one of its name is not taken for it */
    int64_t created;        /* dsn__boot_time() */
    int64_t executes;       /* the same, when another program was about to be executed; 0: none is */
    int has_ended;          /* its process, in a sandbox, in which it could only leave this */
    atomic_int closed;      /* a process that collects what others leave behind does so no more */
    int is_file;            /* there is a file, mapped; else all is anonymous */
    int is_held;            /* as long as it is mapped (survive/running.h) */
    int keep;               /* the mapping of a former life, for a note is under way that was made then */
    char directory[DSN_IMAGE_PATH_MAX];
    char path[DSN_IMAGE_PATH_MAX + 64];
};

/* What other processes read of it: its beginning. */
struct dsn_image_head {
    struct dsn_image image;
    struct dsn_family family;
    struct dsn_origin origin;
    struct dsn_clock clock;
};

/* What of the state is in the file, from its beginning on, and what is this process's alone: life/state.c. */
extern char *const dsn__image_state __attribute__((visibility("hidden")));
extern const size_t dsn__image_state_size __attribute__((visibility("hidden")));

/* The parts of what stands at `state`: this process's, or a copy of another one's. */
void dsn__image_recording(char *state, struct dsn_recording *r);

/* A number for the sizes and the version of all that is in an image. */
uint64_t dsn__image_layout(void);

/* `size` zeroed bytes that stay in an image named by the process's family (survive/family.h) if it can be had, of
 * anonymous memory if not; NULL if there is not even that. In an image `at_once` bytes from `first` on are there
 * already: else there is no room for one. */
char *dsn__image_map(size_t size, size_t first, size_t at_once);

/* The image's file, opened again; -1: it is not there any more, or another one is, or this process can make no files beside
 * it now as it could then. */
int dsn__image_open(void);

/* It has what another part of the program will count; until now it counts as one that has nothing in it. */
void dsn__image_new(void);

/* Whether the file counts as one that has nothing in it. */
void dsn__image_empty(int is_empty);

/* The image of this process is its parent's: this one goes on with a copy of the first part of the state. Called in a
 * forked child before it stores anything there. `noting`: a note is under way that goes on with the parent's memory.
 * 0: there is no memory for that, and the child must not store anything there at all. */
int dsn__image_leave(int noting);

/* Another program is about to be executed: the image is held no more then, but its process goes on. Or it is not. */
void dsn__image_executes(int does);

/* Another name, when the process has become another family's. One that a running process has is left to it: the number of
 * this process in the family is another one then. */
void dsn__image_rename(void);

/* Takes the file away; where that is not allowed any more it has nothing in it from now on. */
void dsn__image_drop(void);

/* Ends the mapping of a former life. */
void dsn__image_unmap(void);

/* The path of a file of family `key` in a directory, of process `pid`; suffix is "image" or "spools". */
void dsn__image_path(char *out, size_t size, const char *directory, uint64_t key, int64_t pid, const char *suffix);

/* The same of the family of this process. */
void dsn__family_path(char *out, size_t size, int64_t pid, const char *suffix);

/* Chooses the directory for the images of this process, by the settings. 0: there is none, and m->directory is empty. */
int dsn__image_find_directory(struct dsn_image *m);

/* Whether this is a directory as below, and this process's user's. */
int dsn__image_may_use(const char *directory);

/* The directory of this user below `base`, made if it is missing: only the user can have made it, and only the user
 * can look into it. 0: it is not so, or cannot be had. */
int dsn__image_directory(const char *base, unsigned uid, int make, char *out, size_t size);

/* Part of what life/state.h composes. */
extern struct dsn_image *const dsn__image __attribute__((visibility("hidden")));

#endif
