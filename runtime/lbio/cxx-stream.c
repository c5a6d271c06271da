/* cxx-stream.c - streams of C++ among those of C
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/cxx-stream.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

#include "base/text.h"

#define FRAMES 16

#ifdef __GLIBC__
static const char *name_in(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash ? slash + 1 : path ? path : "";
}

static int is_of_cxx(const char *path)
{
    return dsn__begins_with(name_in(path), "libstdc++.so");
}

static int is_cxx_library(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    return is_of_cxx(object->dlpi_name);
}
#endif

int lbio__is_cxx_stream(void)
{
#ifdef __GLIBC__
    void *frame[FRAMES];
    Dl_info info;
    int n;

    if (!dl_iterate_phdr(is_cxx_library, NULL)) /* most programs */
        return 0;
    n = backtrace(frame, FRAMES);
    for (int i = 0; i < n && dladdr(frame[i], &info); i++)
        if (!dsn__begins_with(name_in(info.dli_fname), "liblbio.so") &&
            !dsn__begins_with(name_in(info.dli_fname), "libdarshan.so"))
            return is_of_cxx(info.dli_fname);
#endif
    return 0;
}
