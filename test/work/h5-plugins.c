/* h5-plugins.c - two libraries loaded with RTLD_LOCAL, each with its own HDF5
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * h5-plugins DIRECTORY PLUGIN-1 PLUGIN-2: each is this file, too, compiled with -DPLUGIN. */
#include "work.h"

#include <dlfcn.h>
#include <stdint.h>

typedef int64_t hid_t;

#ifdef PLUGIN
hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t);
int H5Fclose(hid_t);
hid_t H5Dopen2(hid_t, const char *, hid_t);
int H5Dread(hid_t, hid_t, hid_t, hid_t, hid_t, void *);
extern int fake_tag;
int run_plugin(const char *path);

/* An identifier says which library it is from. */
int run_plugin(const char *path)
{
    const hid_t file = H5Fcreate(path, 0, 0, 0), set = H5Dopen2(file, "data", 0);

    return (file >> 16 & 0xff) == fake_tag && (set >> 16 & 0xff) == fake_tag && H5Dread(set, 0, 0, 0, 0, NULL) == 0 &&
           H5Fclose(file) == 0;
}
#else
int main(int argc, char **argv)
{
    work_start(&argc, &argv);
    for (int i = 2; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
        char name[16];
        int (*run)(const char *);

        CHECK(plugin && (run = (int (*)(const char *))dlsym(plugin, "run_plugin")));
        snprintf(name, sizeof name, "%d.h5", i - 1);
        CHECK(run(work_path(name)));
    }
    return work_end();
}
#endif
