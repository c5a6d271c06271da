/* posix-names.c - renames, attributes, space, directories, mappings; counters in posix-names.want
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Most of these calls are in no record, for the format has no counter for them, but in the sums of the rank. That their
 * time is in no record either is shown by files on which nothing else is timed as metadata: a file's record comes from being
 * a rename target, which costs the target no time. */
#include "work.h"

#include <dirent.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

static void make(const char *name, const char *content)
{
    int fd = open(work_path(name), O_CREAT | O_WRONLY | O_TRUNC, 0644);

    CHECK(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) && close(fd) == 0);
}

/* old.dat has a record, new.dat gets one; stranger.dat was never opened under that name. */
static void renames(void)
{
    int dir;

    make("old.dat", "12345");
    CHECK(rename(work_path("old.dat"), work_path("new.dat")) == 0);
    CHECK(rename(work_path("old.dat"), work_path("missing.dat")) == -1 && errno == ENOENT);
    CHECK(link(work_path("new.dat"), work_path("stranger.dat")) == 0);
    CHECK(rename(work_path("stranger.dat"), work_path("unseen.dat")) == 0);
    CHECK((dir = open(work_dir, O_RDONLY | O_DIRECTORY)) >= 0);
    CHECK(renameat(dir, "new.dat", dir, "second.dat") == 0);
    CHECK(rename(work_path("second.dat"), work_path("new.dat")) == 0);
    make("other.dat", "1234567");
    CHECK(renameat2(AT_FDCWD, work_path("other.dat"), dir, "new.dat", RENAME_EXCHANGE) == 0);
    CHECK(close(dir) == 0);
    CHECK(rename(NULL, NULL) == -1 && errno == EFAULT);
}

/* A record of which no metadata time is known yet: a rename's target. */
static const char *fresh(const char *name)
{
    make("seed.dat", "seed");
    CHECK(rename(work_path("seed.dat"), work_path(name)) == 0);
    return work_path(name);
}

/* Each call that has no counter, on a record of its own. */
static void attributes(void)
{
    struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
    char buffer[64], second[PATH_MAX];

    snprintf(second, sizeof second, "%s/link.second", work_dir);
    CHECK(access(fresh("access.meta"), R_OK) == 0);
    CHECK(faccessat(AT_FDCWD, fresh("faccessat.meta"), R_OK, 0) == 0);
    CHECK(chmod(fresh("chmod.meta"), 0600) == 0);
    CHECK(chown(fresh("chown.meta"), (uid_t)-1, (gid_t)-1) == 0);
    CHECK(truncate(fresh("truncate.meta"), 100) == 0);
    CHECK(utime(fresh("utime.meta"), NULL) == 0);
    CHECK(utimensat(AT_FDCWD, fresh("utimensat.meta"), times, 0) == 0);
    CHECK(link(fresh("link.meta"), second) == 0);
    CHECK(unlink(fresh("unlink.meta")) == 0);
    CHECK(remove(fresh("remove.meta")) == 0);
    make("out.dat.locktest.0", ""); /* as Open MPI does at each open */
    CHECK(unlink(work_path("out.dat.locktest.0")) == 0);
    CHECK(getxattr(fresh("getxattr.fail"), "user.none", buffer, sizeof buffer) == -1);
    CHECK(access(fresh("access.fail"), X_OK) == -1);
    CHECK(access("", R_OK) == -1 && access(work_path("nothing"), R_OK) == -1);
}

/* By descriptor: what can be said is that all succeed, fail and pass on errors as they would. */
static void by_descriptor(void)
{
    int fd = open(work_path("space.dat"), O_CREAT | O_RDWR | O_TRUNC | O_APPEND, 0644);

    CHECK(fd >= 0 && ftruncate(fd, 1000) == 0);
    CHECK(write(fd, "abc", 3) == 3);          /* 1000..1002 */
    CHECK(posix_fallocate(fd, 0, 4096) == 0); /* the end is at 4096 now */
    CHECK(write(fd, "abc", 3) == 3);          /* 4096..4098 */
    CHECK(truncate(work_path("space.dat"), 10) == 0);
    CHECK(write(fd, "abc", 3) == 3); /* 10..12 */
    CHECK(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 100000) == 0 || errno == EOPNOTSUPP);
    CHECK(write(fd, "abc", 3) == 3); /* 13..15 */
    CHECK(posix_fallocate(fd, -1, 10) == EINVAL && ftruncate(fd, -1) == -1 && errno == EINVAL);
    CHECK(fchmod(fd, 0600) == 0 && fchown(fd, (uid_t)-1, (gid_t)-1) == 0 && futimens(fd, NULL) == 0);
    CHECK(flock(fd, LOCK_EX) == 0 && flock(fd, LOCK_UN) == 0);
    CHECK(lockf(fd, F_LOCK, 0) == 0 && lockf(fd, F_ULOCK, 0) == 0);
    CHECK(posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM) == 0 && posix_fadvise(-1, 0, 0, POSIX_FADV_RANDOM) == EBADF);
    CHECK(readahead(fd, 0, 10) == 0 || errno == EBADF || errno == EINVAL);
    CHECK(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE) == 0 || errno == ESPIPE || errno == ENOSYS);
    CHECK(syncfs(fd) == 0 && syncfs(-1) == -1 && errno == EBADF);
    CHECK(close(fd) == 0);
    CHECK(unlink(work_path("space.dat")) == 0);
    CHECK((fd = open(work_path("space.dat"), O_CREAT | O_WRONLY | O_APPEND, 0644)) >= 0);
    CHECK(write(fd, "12345", 5) == 5); /* 0..4 of another file of that name */
    CHECK(close(fd) == 0);
    make("flags.dat", "0123456789");
    CHECK((fd = open(work_path("flags.dat"), O_WRONLY)) >= 0 && fcntl(fd, F_SETFL, O_APPEND) == 0);
    CHECK(write(fd, "ab", 2) == 2); /* 10..11 */
    CHECK(fcntl(fd, F_SETFL, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 && write(fd, "c", 1) == 1 && close(fd) == 0);
}

static void mappings(void)
{
    char *at;
    int fd;

    make("map.dat", "mapped");
    CHECK((fd = open(work_path("map.dat"), O_RDONLY)) >= 0);
    CHECK((at = mmap(NULL, 6, PROT_READ, MAP_PRIVATE, fd, 0)) != MAP_FAILED && memcmp(at, "mapped", 6) == 0);
    CHECK(msync(at, 6, MS_SYNC) == 0 && msync(at, 6, MS_ASYNC) == 0);
    CHECK(msync(at + 1, 6, MS_SYNC) == -1 && errno == EINVAL);
    CHECK(munmap(at, 6) == 0);
    CHECK(mmap(NULL, 0, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(mmap(NULL, 6, PROT_READ, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF);
    CHECK((at = mmap(NULL, 6, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, fd, 0)) != MAP_FAILED);
    CHECK(munmap(at, 6) == 0 && close(fd) == 0);
}

/* Read by name, a directory has no record; opened, it has one. */
static void directories(void)
{
    char path[PATH_MAX];
    DIR *dir;
    int fd;

    snprintf(path, sizeof path, "%s/walked", work_dir);
    CHECK(mkdir(path, 0755) == 0 && (dir = opendir(path)) != NULL && readdir(dir) != NULL && closedir(dir) == 0);
    CHECK(rmdir(path) == 0 && opendir(path) == NULL && errno == ENOENT);
    snprintf(path, sizeof path, "%s/opened", work_dir);
    CHECK(mkdir(path, 0755) == 0 && (fd = open(path, O_RDONLY | O_DIRECTORY)) >= 0);
    CHECK(fsync(fd) == 0 && (dir = fdopendir(fd)) != NULL && readdir(dir) != NULL && closedir(dir) == 0);
}

int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    renames();
    attributes();
    by_descriptor();
    mappings();
    directories();
    return work_end();
}
