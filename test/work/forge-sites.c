/* forge-sites.c - a log with any bytes in the parts "sites" and "stacks" of its extension section
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Arguments: LOG SITES STACKS, the latter two files with these bytes. */
#include <darshan/writer.h>
#include <stdio.h>
#include <stdlib.h>

static void *contents(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 20);

    *n = f && bytes ? fread(bytes, 1, 1 << 20, f) : 0;
    if (f)
        fclose(f);
    return bytes;
}

int main(int argc, char **argv)
{
    const darshan_log_job job = { .uid = 1, .start_sec = 10, .end_sec = 20, .nprocs = 1 };
    struct darshan_writer *w;
    size_t nsites, nstacks;
    void *sites, *stacks;

    if (argc != 4 || darshan_writer_create(argv[1], DARSHAN_ZLIB, &w, NULL) != DARSHAN_ERR_OK)
        return 1;
    sites = contents(argv[2], &nsites);
    stacks = contents(argv[3], &nstacks);
    darshan_writer_job(w, &job, "program", NULL, 0);
    darshan_writer_extension(w, "sites", 1, sites, nsites);
    darshan_writer_extension(w, "stacks", 1, stacks, nstacks);
    free(sites);
    free(stacks);
    return darshan_writer_finish(w, NULL) != DARSHAN_ERR_OK;
}
