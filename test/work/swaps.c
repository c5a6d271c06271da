/* swaps.c - another user who replaces files at the right moment
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * swaps DIRECTORY link NAME TARGET   when NAME is made in DIRECTORY it is renamed, and for a moment it is a link to TARGET
 * swaps DIRECTORY take               of each log that is being written in DIRECTORY the names are taken that it could get
 *
 * Until it is killed, for 100 s at most, and not longer than who has started it: it takes a processor. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void swap(const char *name, const char *target)
{
    static int n;
    char aside[64];

    snprintf(aside, sizeof aside, "aside.%d", n);
    if (rename(name, aside) != 0 || symlink(target, name) != 0)
        return;
    n++;
    usleep(2000);
    unlink(name);
}

static void take(const char *name)
{
    const char *end = strstr(name, ".darshan_partial");
    char path[512];
    int fd;

    for (int i = 0; end && i < 8; i++) {
        snprintf(path, sizeof path, "%.*s_%d.darshan", (int)(end - name), name, i);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
        if (fd >= 0)
            close(fd);
    }
}

static void take_all(void)
{
    DIR *d = opendir(".");

    for (struct dirent *e; d && (e = readdir(d));)
        take(e->d_name);
    if (d)
        closedir(d);
}

int main(int argc, char **argv)
{
    if (argc < 3 || chdir(argv[1]) != 0)
        return 2;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(100);
    for (;;)
        if (argc == 5 && strcmp(argv[2], "link") == 0)
            swap(argv[3], argv[4]);
        else if (argc == 3 && strcmp(argv[2], "take") == 0)
            take_all();
        else
            return 2;
}
