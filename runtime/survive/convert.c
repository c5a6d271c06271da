/* convert.c - images that killed processes have left, taken for the log
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "survive/convert.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names-in.h"
#include "base/text.h"
#include "config/origin.h"
#include "config/who.h"
#include "survive/collect.h"
#include "survive/facts.h"
#include "survive/image.h"
#include "survive/salvage.h"
#include "survive/spool.h"

/* What has executed another program has left its image as it was; and so has what was in a sandbox. */
static enum dsn_ending how_it_ended(const struct dsn_image *m, const char *path)
{
    if (dsn__image_is_aside(path) || m->executes)
        return DSN_EXECUTES;
    return m->has_ended ? DSN_ENDED : DSN_KILLED;
}

static int take(struct dsn_members *m, const char *path, const struct dsn_salvage *s)
{
    const struct dsn_end end = { how_it_ended(&s->head->image, path), s->head->image.created };
    struct dsn_spool_room here;
    size_t size = 0;
    void *spool = dsn__spool_make(&s->remains.of, &end, &here, &size);
    const int is_taken = spool && dsn__members_take(m, path, spool, size);

    dsn__spool_free(spool, &here);
    return is_taken;
}

int dsn__convert(const char *path, struct dsn_members *m)
{
    struct stat st;
    const int fd = dsn__image_open_at(AT_FDCWD, path, geteuid(), &st);
    struct dsn_salvage s;
    int is_taken = 0;

    if (fd < 0)
        return 0;
    if (dsn__salvage(&s, fd, st.st_size)) {
        is_taken = take(m, path, &s);
        dsn__salvage_free(&s);
    }
    close(fd);
    return is_taken;
}

/* ------------------------------------------------------------------ those that belong to this process */

/* One that cannot be read stays for people to look at. */
static void convert_one(struct dsn_members *m, const char *name)
{
    char path[sizeof dsn__image->path];

    if ((size_t)dsn__format(path, sizeof path, "%s/%s", dsn__image->directory, name) < sizeof path)
        dsn__convert(path, m);
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
