/* channels.c - waits half a second for whoever opens and writes a FIFO, by each interface, and writes a file
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(condition) ((condition) ? (void)0 : (perror(#condition), exit(1)))

static void *feed(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        int fd;

        usleep(250000);
        CHECK((fd = open("fifo", O_WRONLY | O_CREAT | O_TRUNC, 0600)) >= 0);
        usleep(250000);
        CHECK(write(fd, "content", 7) == 7);
        close(fd);
        usleep(100000); /* the reader sees the end before the next begins */
    }
    return NULL;
}

int main(void)
{
    pthread_t feeder;
    char content[8];
    FILE *stream;
    int fd;

    CHECK(mkfifo("fifo", 0600) == 0);
    CHECK(pthread_create(&feeder, NULL, feed, NULL) == 0);
    CHECK((fd = open("fifo", O_RDONLY)) >= 0 && read(fd, content, 7) == 7 && read(fd, content, 1) == 0);
    close(fd);
    CHECK((stream = fopen("fifo", "r")) && fread(content, 1, 8, stream) == 7 && fclose(stream) == 0);
    pthread_join(feeder, NULL);
    CHECK((fd = open("small.dat", O_CREAT | O_WRONLY, 0600)) >= 0 && write(fd, content, 7) == 7);
    close(fd);
    CHECK((stream = fopen("stream.dat", "w")) && fputs("text", stream) >= 0 && fclose(stream) == 0);
    return 0;
}
