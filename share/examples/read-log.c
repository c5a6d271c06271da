/* read-log.c - the bytes that a job wrote to each of its files, out of its log, with libdarshan-util
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Debian packages: gcc, pkgconf, libisal-dev, zlib1g-dev. Darshan's libdir/pkgconfig in PKG_CONFIG_PATH:
 *     cc -o read-log read-log.c $(pkg-config --cflags --libs darshan-util)
 *     ./read-log app.darshan */
#include <inttypes.h>
#include <stdio.h>

#include <darshan/log.h>

int main(int argc, char **argv)
{
    struct darshan_reader *log;
    struct darshan_reader_records *records;
    struct darshan_reader_error err;
    const darshan_log_record *r;

    if (argc != 2 || darshan_reader_open(argv[1], &log, &err) != DARSHAN_ERR_OK) {
        fprintf(stderr, "read-log: %s\n", argc != 2 ? "name one log" : err.text);
        return argc != 2 ? 2 : 1;
    }
    printf("%s, %" PRId64 " processes\n", darshan_reader_exe(log), darshan_reader_job(log)->nprocs);
    if (darshan_reader_begin(log, DARSHAN_POSIX_MOD, &records, &err) == DARSHAN_ERR_OK) {
        while ((r = darshan_reader_next(records, &err)) != NULL) {
            const char *name = darshan_reader_name(log, r->id);

            printf("%12" PRId64 " %s\n", r->v[POSIX_BYTES_WRITTEN].i, name ? name : "(no name)");
        }
        darshan_reader_end(records);
    }
    if (err.code == DARSHAN_ERR_OK)
        darshan_reader_damage(log, &err);
    if (err.code != DARSHAN_ERR_OK)
        fprintf(stderr, "read-log: %s: %s\n", argv[1], err.text);
    darshan_reader_close(log);
    return err.code != DARSHAN_ERR_OK;
}
