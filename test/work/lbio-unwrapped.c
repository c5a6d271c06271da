/* lbio-unwrapped.c - files that the C library opens, lists or passes on without any wrapped call; prints what it finds
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <glob.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

static int make(const char *name, const char *text)
{
    const int f = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);

    if (f < 0 || write(f, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    return f;
}

static void mount_table(void)
{
    struct mntent entry = { (char *)"e", (char *)"/f", (char *)"g", (char *)"h", 1, 2 };
    const struct mntent *found;
    FILE *table;

    close(make("table", "a /b c d 0 0\n"));
    table = setmntent("table", "r");
    found = getmntent(table);
    printf("%s\n", found ? found->mnt_dir : "none");
    endmntent(table);
    table = setmntent("table", "a");
    printf("%d\n", addmntent(table, &entry));
    endmntent(table);
}

static void directories(void)
{
    char here[] = ".", *const paths[] = { here, NULL };
    struct dirent **list;
    const FTSENT *e;
    glob_t g;
    wordexp_t w;
    FTS *fts;

    close(make("listed", "12345"));
    glob("*", 0, NULL, &g);
    printf("glob %zu %s\n", g.gl_pathc, g.gl_pathv[0]);
    close(make("listed", "12345"));
    glob(".[a-z]*", 0, NULL, &g);
    printf("glob %zu\n", g.gl_pathc);
    close(make("listed", "12345"));
    wordexp(".[a-z]*", &w, 0);
    printf("wordexp %s\n", w.we_wordv[0]);
    close(make("listed", "12345"));
    printf("scandir %d\n", scandir(".", &list, NULL, alphasort));
    close(make("listed", "12345"));
    fts = fts_open(paths, FTS_PHYSICAL, NULL);
    while ((e = fts_read(fts)))
        if (e->fts_info == FTS_F)
            printf("fts %s %lld\n", e->fts_name, (long long)e->fts_statp->st_size);
    fts_close(fts);
}

/* The receiver shares the descriptor's offset, and must find the data. */
static void passed(void)
{
    char space[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 'x', text[32] = { 0 };
    struct iovec one = { &byte, 1 };
    struct mmsghdr m = { .msg_hdr = {
                             .msg_iov = &one, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space } };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m.msg_hdr);
    int pair[2], f;

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    if (fork() == 0) {
        close(pair[0]);
        recvmsg(pair[1], &m.msg_hdr, 0);
        memcpy(&f, CMSG_DATA(CMSG_FIRSTHDR(&m.msg_hdr)), sizeof f);
        printf("%zd %s\n", pread(f, text, sizeof text - 1, 0), text);
        exit(0);
    }
    f = make("passed", "hello");
    if (write(f, " more", 5) != 5)
        abort();
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof f);
    memcpy(CMSG_DATA(c), &f, sizeof f);
    sendmmsg(pair[0], &m, 1, 0);
    wait(NULL);
}

int main(void)
{
    mount_table();
    unlink("table");
    directories();
    unlink("listed");
    fflush(stdout);
    passed();
    fflush(stdout);
    execl("/bin/echo", "echo", "executed", (char *)NULL);
    return 1;
}
