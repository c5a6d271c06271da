/* openers.c - which files several processes of this node have open
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/openers.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/kernel.h"
#include "base/text.h"
#include "lbio/calls.h"

static struct {
    int fd; /* + 1; 0: none */
} all;

int lbio__openers_start(void)
{
    char path[64];
    struct stat st;
    int fd;

    dsn__format(path, sizeof path, "/dev/shm/lbio-open.%u", (unsigned)dsn__sys_geteuid());
    fd = dsn__sys_openat(AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (fd < 0)
        return 0;
    /* nobody else can hold locks in it */
    if (dsn__sys_fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != dsn__sys_geteuid() || (st.st_mode & 077) ||
        st.st_nlink != 1) {
        dsn__sys_close(fd);
        return 0;
    }
    if ((st.st_mode & 0600) != 0600) /* by the umask of the process that made it */
        dsn__syscall(SYS_fchmod, fd, 0600);
    all.fd = lbio__out_of_the_way(fd) + 1;
    return 1;
}

int lbio__openers_matter(const struct lbio_options *o)
{
    return o->shared == LBIO_SHARED_DIRECT && o->visibility != LBIO_VISIBILITY_DRAIN;
}

/* Two files have the same byte once in 10^18 pairs; then they are not logged while both are open. */
static struct flock byte_of(uint64_t dev, uint64_t ino, enum lbio_openers_byte what)
{
    const uint64_t hash = (ino * 0x9e3779b97f4a7c15ULL ^ dev * 0xc2b2ae3d27d4eb4fULL) * 0xd6e8feb86659fd93ULL;

    return (struct flock){ .l_whence = SEEK_SET, .l_start = (int64_t)(hash >> 4 << 2 | what), .l_len = 1 };
}

int lbio__openers_set(uint64_t dev, uint64_t ino, enum lbio_openers_byte what, int is_so)
{
    struct flock byte = byte_of(dev, ino, what);

    byte.l_type = is_so ? F_RDLCK : F_UNLCK;
    return dsn__sys_lock(all.fd - 1, F_OFD_SETLK, &byte);
}

int lbio__openers_others(uint64_t dev, uint64_t ino, enum lbio_openers_byte what)
{
    struct flock byte = byte_of(dev, ino, what);

    byte.l_type = F_WRLCK;
    return all.fd > 0 && dsn__sys_lock(all.fd - 1, F_OFD_GETLK, &byte) == 0 && byte.l_type != F_UNLCK;
}

int lbio__openers_own(int fd)
{
    return all.fd > 0 && fd == all.fd - 1;
}

void lbio__openers_end(void)
{
    if (all.fd > 0)
        dsn__sys_close(all.fd - 1);
    all.fd = 0;
}

void lbio__openers_forget(void)
{
    const int is_there = all.fd > 0;

    lbio__openers_end();
    if (is_there)
        lbio__openers_start();
}
