/* loads.c - a program that dlopens the tool, does I/O, and dlcloses it
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * loads LIBRARY DIRECTORY */
#include "work.h"

#include <dlfcn.h>

static void put(const char *name)
{
    const int fd = open(work_path(name), O_CREAT | O_WRONLY | O_APPEND, 0644);

    CHECK(fd >= 0 && write(fd, "loads", 5) == 5 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    work_dir = argv[2];
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);

        CHECK(library);
        put("loaded");
        CHECK(dlclose(library) == 0);
        put("unloaded");
        sleep(1); /* names of logs have whole seconds */
    }
    return 0;
}
