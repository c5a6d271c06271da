/* lbio-cancel.c - threads that are cancelled while they write: ends, and can write afterwards
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;
static char bytes[1000];
static int number;
static FILE *stream;

static void *work(void *unused)
{
    for (off_t off = 0;; off = (off + sizeof bytes) % 1000000)
        if (strcmp(how, "stream") == 0) {
            if (fwrite(bytes, 1, sizeof bytes, stream) != sizeof bytes || fflush(stream))
                abort();
        } else {
            if (pwrite(number, bytes, sizeof bytes, off) != sizeof bytes)
                abort();
            if (strcmp(how, "sync") == 0 && fsync(number))
                abort();
        }
    return unused;
}

int main(int argc, char **argv)
{
    how = argv[argc - 1];
    number = open("cancelled", O_RDWR | O_CREAT | O_TRUNC, 0644);
    stream = fopen("stream", "w");
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;

        pthread_create(&thread, NULL, work, NULL);
        usleep(5000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            return 1;
    }
    if (pwrite(number, "end", 3, 0) != 3 || fputs("end", stream) < 0 || fclose(stream) || close(number))
        return 2;
    puts("ended");
    return 0;
}
