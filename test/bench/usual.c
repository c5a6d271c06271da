/* usual.c - the calls that most programs make, each once; for `make first`
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static int plain(const char *path)
{
    const int fd = open(path, O_RDWR | O_CREAT, 0644);
    char text[8] = "plain";
    struct iovec piece = { text, sizeof text };
    struct stat st;

    return fd < 0 || fcntl(fd, F_GETFD) < 0 || write(fd, text, sizeof text) < 0 ||
           pwrite(fd, text, sizeof text, 8) < 0 || lseek(fd, 0, SEEK_SET) < 0 || read(fd, text, sizeof text) < 0 ||
           pread(fd, text, sizeof text, 0) < 0 || writev(fd, &piece, 1) < 0 || readv(fd, &piece, 1) < 0 ||
           fstat(fd, &st) != 0 || stat(path, &st) != 0 || lstat(path, &st) != 0 || access(path, R_OK) != 0 ||
           ftruncate(fd, 4) != 0 || fsync(fd) != 0 || fdatasync(fd) != 0 || close(fd) != 0;
}

static int stream(const char *path)
{
    FILE *large = fopen64(path, "w"), *f = fopen(path, "w+");
    char text[16];

    return !large || fclose(large) != 0 || !f || fprintf(f, "%s\n", "stream") < 0 || fputs("text\n", f) < 0 ||
           fputc('c', f) < 0 || putc('c', f) < 0 || fwrite("12345678", 4, 2, f) != 2 || fflush(f) != 0 ||
           fseek(f, 0, SEEK_SET) != 0 || fseeko64(f, 0, SEEK_SET) != 0 || ftell(f) != 0 ||
           !fgets(text, sizeof text, f) || fgetc(f) < 0 || getc(f) < 0 || fscanf(f, "%15s", text) != 1 || feof(f) ||
           fread(text, 1, 4, f) == 0 || fclose(f) != 0 || printf("%s\n", "output") < 0 || puts("output") < 0;
}

/* As the compiler's own. */
static int unlocked(const char *path)
{
    FILE *f = fopen(path, "w+");
    char text[16];

    return !f || fileno(f) < 0 || fileno_unlocked(f) < 0 || fputs_unlocked("text\n", f) < 0 ||
           putc_unlocked('c', f) < 0 || fputc_unlocked('c', f) < 0 || fwrite_unlocked("12345678", 4, 2, f) != 2 ||
           fflush_unlocked(f) != 0 || fseek(f, 0, SEEK_SET) != 0 || !fgets_unlocked(text, sizeof text, f) ||
           getc_unlocked(f) < 0 || fread_unlocked(text, 1, 4, f) != 4 || fclose(f) != 0;
}

int main(int argc, char **argv)
{
    char other[4096];

    if (argc != 2)
        return 2;
    snprintf(other, sizeof other, "%s.other", argv[1]);
    exit(plain(argv[1]) || stream(argv[1]) || unlocked(argv[1]) || rename(argv[1], other) != 0 || unlink(other) != 0 ||
         mkdir(other, 0755) != 0 || rmdir(other) != 0);
}
