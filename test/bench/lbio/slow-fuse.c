/* slow-fuse.c - mounts a directory as a file system of the kernel's that is as slow as one of `slow`
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * slow-fuse DIRECTORY[,PARAMETER=VALUE]... MOUNTPOINT: runs until it is unmounted. The parameters are those of
 * emulation.def, and the model is that of slow.c; here no call can bypass it. Writes of several processes to one file come one
 * after the other, which is the kernel's choice. */
#define FUSE_USE_VERSION 35
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "emulation.h"

static struct lbio_emulation *emulation;
static char root[sizeof emulation->directory];

struct name {
    char text[PATH_MAX];
};

static struct name below(const char *path)
{
    struct name name;

    snprintf(name.text, sizeof name.text, "%s%s", root, path);
    return name;
}

static int result(long ret)
{
    return ret < 0 ? -errno : (int)ret;
}

static int get_attributes(const char *path, struct stat *st, struct fuse_file_info *file)
{
    return result(file ? fstat((int)file->fh, st) : lstat(below(path).text, st));
}

static int open_file(const char *path, int flags, mode_t mode, struct fuse_file_info *file)
{
    const int fd = open(below(path).text, flags, mode);

    if (fd < 0)
        return -errno;
    lbio__emulate_open(emulation);
    file->fh = (uint64_t)fd;
    file->direct_io = 1;
    return 0;
}

static int open_one(const char *path, struct fuse_file_info *file)
{
    return open_file(path, file->flags & ~O_APPEND, 0, file);
}

static int create_one(const char *path, mode_t mode, struct fuse_file_info *file)
{
    return open_file(path, (file->flags & ~O_APPEND) | O_CREAT, mode, file);
}

static int read_bytes(const char *path, char *to, size_t n, off_t off, struct fuse_file_info *file)
{
    (void)path;
    return result(pread((int)file->fh, to, n, off));
}

static int write_bytes(const char *path, const char *from, size_t n, off_t off, struct fuse_file_info *file)
{
    (void)path;
    lbio__emulate_write(emulation, (int64_t)n);
    return result(pwrite((int)file->fh, from, n, off));
}

/* Each close of a descriptor. */
static int flush_file(const char *path, struct fuse_file_info *file)
{
    (void)path;
    (void)file;
    lbio__emulate_close(emulation);
    return 0;
}

static int release_file(const char *path, struct fuse_file_info *file)
{
    (void)path;
    return result(close((int)file->fh));
}

/* In the model a write is stored when it returns. */
static int sync_file(const char *path, int data_only, struct fuse_file_info *file)
{
    (void)path;
    (void)data_only;
    (void)file;
    return 0;
}

static int truncate_file(const char *path, off_t size, struct fuse_file_info *file)
{
    return result(file ? ftruncate((int)file->fh, size) : truncate(below(path).text, size));
}

static int make_directory(const char *path, mode_t mode)
{
    return result(mkdir(below(path).text, mode));
}

static int remove_file(const char *path)
{
    return result(unlink(below(path).text));
}

static int remove_directory(const char *path)
{
    return result(rmdir(below(path).text));
}

static int rename_file(const char *from, const char *to, unsigned flags)
{
    return flags ? -EINVAL : result(rename(below(from).text, below(to).text));
}

static int change_mode(const char *path, mode_t mode, struct fuse_file_info *file)
{
    (void)file;
    return result(chmod(below(path).text, mode));
}

static int set_times(const char *path, const struct timespec times[2], struct fuse_file_info *file)
{
    (void)file;
    return result(utimensat(AT_FDCWD, below(path).text, times, AT_SYMLINK_NOFOLLOW));
}

static int get_space(const char *path, struct statvfs *fs)
{
    return result(statvfs(below(path).text, fs));
}

static int list(const char *path, void *to, fuse_fill_dir_t add, off_t off, struct fuse_file_info *file,
                enum fuse_readdir_flags flags)
{
    DIR *directory = opendir(below(path).text);
    const struct dirent *entry;

    (void)off;
    (void)file;
    (void)flags;
    if (!directory)
        return -errno;
    while ((entry = readdir(directory)))
        add(to, entry->d_name, NULL, 0, 0);
    closedir(directory);
    return 0;
}

static const struct fuse_operations operations = { .getattr = get_attributes,
                                                   .open = open_one,
                                                   .create = create_one,
                                                   .read = read_bytes,
                                                   .write = write_bytes,
                                                   .flush = flush_file,
                                                   .release = release_file,
                                                   .fsync = sync_file,
                                                   .truncate = truncate_file,
                                                   .mkdir = make_directory,
                                                   .unlink = remove_file,
                                                   .rmdir = remove_directory,
                                                   .rename = rename_file,
                                                   .chmod = change_mode,
                                                   .utimens = set_times,
                                                   .statfs = get_space,
                                                   .readdir = list };

int main(int argc, char **argv)
{
    /* a thread for each of many writers */
    char *args[] = { argv[0], "-f", "-o", "max_threads=512,max_idle_threads=64", argc > 2 ? argv[2] : NULL, NULL };
    char why[PATH_MAX], shared[PATH_MAX];
    struct lbio_model model;

    if (argc != 3) {
        fputs("usage: slow-fuse DIRECTORY[,PARAMETER=VALUE]... MOUNTPOINT\n", stderr);
        return 2;
    }
    if (lbio__emulation_read(argv[1], &model, root, sizeof root, why, sizeof why) != 0) {
        fprintf(stderr, "slow-fuse: %s\n", why);
        return 2;
    }
    emulation = lbio__emulation_create(&model, root, shared, sizeof shared);
    if (!emulation) {
        perror("slow-fuse: shared memory");
        return 1;
    }
    unlink(shared);
    umask(0);
    return fuse_main(5, args, &operations, NULL);
}
