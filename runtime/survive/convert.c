/* convert.c - images into spools
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/convert.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/names-in.h"
#include "base/pages.h"
#include "base/text.h"
#include "config/job.h"
#include "config/origin.h"
#include "config/settings.h"
#include "config/who.h"
#include "module/shared/side.h"
#include "record/arena.h"
#include "record/finish.h"
#include "record/module.h"
#include "record/names.h"
#include "record/record.h"
#include "record/remains.h"
#include "record/span.h"
#include "survive/collect.h"
#include "survive/facts.h"
#include "survive/family.h"
#include "survive/image.h"
#include "survive/salvage.h"
#include "survive/spool.h"

#define EACH_LIMIT (INT64_C(20) * 1000000000) /* ns that one image may take */

/* Exit statuses of the copy. */
enum converted { NOT_CONVERTED = 1, IN_SPOOLS, IN_MEMORY };

/* ------------------------------------------------------------------ a process of its own */

/* Nothing of the application's runs in the copy, and a crash leaves no core and no message. */
static void be_quiet(void)
{
    static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP };
    const struct rlimit none = { 0, 0 };
    struct sigaction usual = { .sa_handler = SIG_DFL };
    sigset_t all;

    sigfillset(&all);
    for (unsigned i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        sigaction(fatal[i], &usual, NULL);
        sigdelset(&all, fatal[i]);
    }
    sigprocmask(SIG_SETMASK, &all, NULL);
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* The copy sends no signal when it ends, and waiting for just any child does not find it. What `work` returns, or
 * NOT_CONVERTED. */
static enum converted in_copy(enum converted (*work)(const void *context), const void *context, int64_t limit)
{
    const int64_t begin = dsn__now();
    const struct timespec nap = { 0, 100000 };
    const long pid = syscall(SYS_clone, 0UL, NULL, NULL, NULL, NULL);
    int status = 0, n;

    if (pid == 0) {
        be_quiet();
        dsn__thread.self = 0;
        syscall(SYS_exit_group, (int)work(context));
    }
    if (pid < 0)
        return NOT_CONVERTED;
    while ((n = waitpid((pid_t)pid, &status, __WALL | WNOHANG)) == 0 || (n < 0 && errno == EINTR)) {
        if (dsn__now() - begin > limit)
            kill((pid_t)pid, SIGKILL);
        nanosleep(&nap, NULL);
    }
    return n == pid && WIFEXITED(status) ? (enum converted)WEXITSTATUS(status) : NOT_CONVERTED;
}

/* ------------------------------------------------------------------ an image */

/* With its end. */
static struct dsn_file *file_at(const struct dsn_remains *r, const struct dsn_file *theirs)
{
    struct dsn_file *f = dsn__remains(r, theirs, sizeof *f + 1);
    const char *end = f ? memchr(f->name, '\0', (size_t)(r->here + r->size - f->name)) : NULL;

    return end && dsn__remains(r, theirs, (size_t)(end + 1 - (const char *)f)) ? f : NULL;
}

/* Lists end where they do not lead to what they should. */
static void mend_files(struct dsn_names *n, const struct dsn_remains *r)
{
    const size_t most = n->nfiles < n->nentries / 4 * 3 ? n->nfiles + 1 : n->nentries / 4 * 3;
    struct dsn_file **link = &n->first, *f;

    for (n->nfiles = 0; n->nfiles < most && (f = file_at(r, *link)); n->nfiles++) {
        for (int slot = 0; slot < DSN_NSLOTS; slot++)
            atomic_store(&f->live[slot], NULL);
        *link = f;
        link = &f->next;
    }
    *link = NULL;
    n->last = link;
}

/* Memory that a record was given at the end may have been beside the arena. */
static int is_elsewhere(const struct dsn_remains *r, const void *theirs)
{
    return (uintptr_t)theirs < r->base || (uintptr_t)theirs >= r->base + r->size;
}

static enum dsn_left_of left_of(enum dsn_slot slot, struct dsn_live *l, const struct dsn_remains *r)
{
    const struct dsn_slot_info *info = dsn__slots[slot];
    const int has_none = info->need_size && is_elsewhere(r, l->rec);

    l->lock = 0;
    l->file = dsn__remains(r, l->file, sizeof *l->file);
    if (!l->file || dsn__file_by_id(l->file->id) != l->file || atomic_load(&l->file->live[slot]))
        return DSN_LOST;
    l->rec = has_none ? NULL : dsn__remains(r, l->rec, dsn__record_size(slot));
    if (!l->rec && !has_none)
        return DSN_LOST;
    return info->mend ? info->mend(l, r) : DSN_WHOLE;
}

static void mend_records(struct dsn_names *n, enum dsn_slot slot, const struct dsn_remains *r)
{
    const size_t size = dsn__slots[slot]->live_size;
    const unsigned all = n->count[slot];
    struct dsn_live **link = &n->live_first[slot], *l;
    size_t most = r->size / size;
    int is_partial = 0;

    n->count[slot] = 0;
    while ((l = dsn__remains(r, *link, size)) && most-- > 0) {
        const enum dsn_left_of left = left_of(slot, l, r);

        is_partial |= left == DSN_IN_PART;
        if (left == DSN_LOST) {
            *link = l->next;
            continue;
        }
        atomic_store(&l->file->live[slot], l);
        *link = l;
        link = &l->next;
        n->count[slot]++;
    }
    *link = NULL;
    n->live_last[slot] = link;
    if (r->any_lost && all > n->count[slot]) {
        atomic_fetch_add(&dsn__incomplete->missed, all - n->count[slot]);
        is_partial = 1;
    }
    if (is_partial)
        atomic_fetch_or(&dsn__incomplete->partial, (unsigned long long)1 << dsn__slots[slot]->id);
}

static void mend_names(struct dsn_names *n)
{
    n->lock = 0;
    n->entry = (uint64_t *)(void *)dsn__arena->base; /* empty: it is in no image */
    n->is_filled = 0;
    if (n->nentries < DSN_FEW_NAMES || n->nentries > n->most || (n->nentries & (n->nentries - 1)) != 0)
        n->nentries = n->most;
}

/* What pointed into the process that is gone, or out of it. */
static void settle(const struct dsn_remains *r)
{
    memset(&dsn__config->bad, 0, sizeof dsn__config->bad);
    dsn__config->name_exclude = dsn__config->name_include = NULL;
    dsn__config->verdict = NULL;
    dsn__config->loghints = dsn__config->logpath = dsn__config->logfile = dsn__config->path_by_env = "";
    dsn__origin->directory[sizeof dsn__origin->directory - 1] = dsn__origin->logfile[sizeof dsn__origin->logfile - 1] =
        '\0';
    dsn__run->exe[sizeof dsn__run->exe - 1] = '\0';
    dsn__clock->counter = NULL;
    atomic_flag_clear(&dsn__clock->checking);
    dsn__mpi->table = NULL;
    dsn__mpi->attached = 0;
    dsn__image->is_file = 1;
    dsn__arena->base = r->here;
    dsn__side->heat = dsn__side->heat ? (void *)(r->here + dsn__arena->size) : NULL;
    if (dsn__side->thread) /* zeros, where it is lost */
        dsn__side->thread = (void *)(r->here + ((uintptr_t)dsn__side->thread - r->base));
    dsn__finish_put_back(r);
    mend_names(dsn__names);
    mend_files(dsn__names, r);
    for (int slot = 0; slot < DSN_NSLOTS; slot++)
        mend_records(dsn__names, (enum dsn_slot)slot, r);
    if (dsn__heat_is_left())
        atomic_fetch_or(&dsn__incomplete->partial, (unsigned long long)1 << DSN_HEATMAP_MODULE);
}

static int is_sound(off_t size)
{
    const struct dsn_image *m = dsn__image;
    const size_t threads = DSN_TRACE_THREADS * sizeof dsn__side->thread[0];

    return m->magic == DSN_IMAGE_MAGIC && m->size >= threads && m->layout == dsn__image_layout() &&
           m->size == (uint64_t)size - dsn__image_state_size && (uintptr_t)dsn__arena->base == m->base &&
           dsn__arena->size <= m->size &&
           (!dsn__side->heat || ((char *)dsn__side->heat == dsn__arena->base + dsn__arena->size &&
                                 DSN_HEAT_BYTES <= m->size - dsn__arena->size)) &&
           (!dsn__side->thread ||
            ((uintptr_t)dsn__side->thread % 8 == 0 && (uintptr_t)dsn__side->thread - m->base <= m->size - threads)) &&
           dsn__names->most >= 2 && dsn__names->most <= dsn__arena->size / 8 &&
           (dsn__names->most & (dsn__names->most - 1)) == 0 && dsn__arena->first >= dsn__names->most * 8 &&
           dsn__arena->first <= dsn__arena->size;
}

static int read_image(struct dsn_remains *r, int fd, off_t size)
{
    return pread(fd, dsn__image_state, dsn__image_state_size, 0) == (ssize_t)dsn__image_state_size && is_sound(size) &&
           dsn__remains_read(r, fd);
}

/* Of records whose times are seconds by now. */
static int64_t last_moment(void)
{
    double last = 0;

    for (int slot = 0; slot < DSN_NSLOTS; slot++) {
        const struct dsn_table *t = dsn_table(dsn__slots[slot]->id);

        for (const struct dsn_live *l = dsn__names->live_first[slot]; t && l; l = l->next)
            for (unsigned i = 0; i < t->nrows; i++)
                if (t->rows[i].at >= 0 && t->rows[i].unit == DSN_TIMESTAMP && l->rec->v[t->rows[i].at].f > last)
                    last = l->rec->v[t->rows[i].at].f;
    }
    return last < 1e9 ? (int64_t)(last * 1e9) : 0;
}

/* A spool for which there was no room in its file. */
struct kept {
    size_t size;
    char bytes[];
};

struct job {
    const char *path, *spools;
    struct kept *kept; /* memory of both processes; NULL: there is none */
    size_t room;       /* bytes of it */
};

/* The image lies on the file system where the spools would be, too: a full one has no room for them. */
static enum converted put(const struct job *j, const void *spool, size_t size)
{
    if (dsn__family_append(j->spools, spool, size))
        return IN_SPOOLS;
    if (!j->kept || size > j->room - sizeof *j->kept)
        return NOT_CONVERTED;
    memcpy(j->kept->bytes, spool, size);
    j->kept->size = size;
    return IN_MEMORY;
}

/* What has executed another program has left its image as it was; and so has what was in a sandbox. */
static enum dsn_ending how_it_ended(const char *path)
{
    const struct dsn_image *m = dsn__image;

    if (dsn__image_is_aside(path) || m->executes)
        return DSN_EXECUTES;
    return m->has_ended ? DSN_ENDED : DSN_KILLED;
}

static enum converted convert(const void *context)
{
    const struct job *j = context;
    struct stat st;
    const int fd = dsn__image_open_at(AT_FDCWD, j->path, geteuid(), &st);
    struct dsn_spool_room here;
    struct dsn_remains remains;
    size_t size;
    void *spool;

    atomic_store(&dsn__switch.mode, DSN_DRAINING);
    if (fd < 0 || !dsn__image_leave(0))
        return NOT_CONVERTED;
    dsn__image_forget_rest();
    if (!read_image(&remains, fd, st.st_size))
        return NOT_CONVERTED;
    settle(&remains);
    dsn__finish_records();
    dsn__run->ended = last_moment();
    if (dsn__run->ended < dsn__run->began)
        dsn__run->ended = dsn__run->began;
    spool = dsn__spool_make(how_it_ended(j->path), &here, &size);
    return spool ? put(j, spool, size) : NOT_CONVERTED;
}

/* As much as a spool can be: entries of traces take less than twice as much as in the image, a bin three times. */
static void share_memory(struct job *j)
{
    struct stat st;
    void *at = MAP_FAILED;

    if (dsn__sys_lstat(j->path, &st) == 0 && st.st_size > 0 && st.st_size < INT64_C(1) << 40) {
        j->room = 4 * (size_t)st.st_size;
        at = dsn__sys_mmap(NULL, j->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    j->kept = at != MAP_FAILED ? at : NULL;
}

static int take_kept(struct dsn_members *m, const struct job *j)
{
    return j->kept && j->kept->size <= j->room - sizeof *j->kept &&
           dsn__members_take(m, j->path, j->kept->bytes, j->kept->size);
}

int dsn__convert(const char *path, const char *spools, struct dsn_members *m)
{
    struct job j = { .path = path, .spools = spools };
    enum converted how;
    int is_converted;

    share_memory(&j);
    how = in_copy(convert, &j, EACH_LIMIT);
    if (how == IN_SPOOLS)
        unlink(path);
    is_converted = how == IN_SPOOLS || (how == IN_MEMORY && take_kept(m, &j));
    if (j.kept)
        dsn__sys_munmap(j.kept, j.room);
    return is_converted;
}

/* ------------------------------------------------------------------ those that belong to this process */

/* One that cannot be read stays for people to look at. */
static void convert_one(struct dsn_members *m, const char *name)
{
    char path[sizeof dsn__image->path], spools[sizeof path];

    dsn__family_path(spools, sizeof spools, dsn__family->pid, "spools");
    if ((size_t)dsn__format(path, sizeof path, "%s/%s", dsn__image->directory, name) < sizeof path)
        dsn__convert(path, spools, m);
}

static int is_left_to_me(const struct dsn_image_facts *f)
{
    const struct dsn_family *me = dsn__family;
    char path[sizeof dsn__image->path];

    if (f->is_empty || (f->host != me->pid && f->parent != me->pid))
        return 0;
    if (f->host != me->pid) { /* its host comes first, if there is one */
        dsn__family_path(path, sizeof path, f->host, "image");
        if (access(path, F_OK) == 0)
            return 0;
    }
    return dsn__holder_is_gone(&f->holder);
}

static int is_mine(int64_t pid, const char *name)
{
    return pid == dsn__family->pid && !dsn__image_is_aside(name);
}

/* A program that is executed takes the image of the same number over; in another space of numbers than its host it may have
 * got another number than before, that was taken then. */
static int has_other_number(const struct dsn_image_facts *f, int64_t pid)
{
    return pid >= DSN_NUMBER_STEP && f->holder.hold == DSN_HOLD_NOBODY && f->holder.is_held;
}

/* Of one that has executed a program without the library, or was killed before it had counted anything. */
static int is_of_nobody(const struct dsn_image_facts *f, int64_t pid)
{
    return f->is_empty && pid != dsn__family->pid && (dsn__holder_is_gone(&f->holder) || has_other_number(f, pid));
}

/* `m`: NULL, and nothing is done about it. Returns whether it belongs to this process. */
static int take_one(struct dsn_members *m, int dir, const char *name, int64_t pid)
{
    struct dsn_image_facts facts;
    int is_left;

    if (is_mine(pid, name) || !dsn__image_ask(dir, name, geteuid(), &facts))
        return 0;
    if (is_of_nobody(&facts, pid)) {
        dsn__image_remove_empty(dir, name);
        return 0;
    }
    is_left = dsn__image_is_aside(name) ? facts.host == dsn__family->pid : is_left_to_me(&facts);
    if (is_left && m)
        convert_one(m, name);
    return is_left;
}

/* Returns how many there are. */
static int take_all(struct dsn_members *m)
{
    char prefix[32];
    struct dsn_names_in *names;
    int dir = -1, n = 0;

    if (dsn__image->directory[0])
        dir = open(dsn__image->directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return 0;
    dsn__format(prefix, sizeof prefix, "k%016llx-", (unsigned long long)dsn__origin->key);
    names = dsn__names_in(dir);
    for (const char *name = NULL; names && (name = dsn__next_name(names, name));)
        if (strncmp(name, prefix, strlen(prefix)) == 0 && strstr(name, ".image"))
            n += take_one(m, dir, name, dsn__number_in(name + strlen(prefix)));
    dsn__names_free(names);
    close(dir);
    return n;
}

void dsn__convert_left(struct dsn_members *m)
{
    take_all(m);
}

int dsn__is_any_left(void)
{
    return take_all(NULL) > 0;
}
