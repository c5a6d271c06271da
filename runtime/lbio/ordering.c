/* ordering.c - whether the program uses HDF5 or PnetCDF
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/ordering.h"

#include <link.h>
#include <stdatomic.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *name;    /* of a shared library */
    const char *literal; /* an environment variable that it reads, which its code contains wherever it is linked into */
} libraries[] = { { "libhdf5", "HDF5_DISABLE_VERSION_CHECK" }, { "libpnetcdf", "PNETCDF_HINTS" } };

#define LIBRARIES (sizeof libraries / sizeof libraries[0])

/* What was found when this many objects had been loaded. */
static struct {
    _Atomic(unsigned long long) loaded;
    atomic_int is_found;
} last;

static int has_name(const struct dl_phdr_info *object)
{
    const char *slash = strrchr(object->dlpi_name, '/'), *name = slash ? slash + 1 : object->dlpi_name;

    for (size_t i = 0; i < LIBRARIES; i++)
        if (dsn__begins_with(name, libraries[i].name))
            return 1;
    return 0;
}

static int contains(const char *bytes, size_t size)
{
    for (size_t i = 0; i < LIBRARIES; i++)
        if (memmem(bytes, size, libraries[i].literal, strlen(libraries[i].literal) + 1))
            return 1;
    return 0;
}

/* Constants are in a segment of their own, or, with old linkers, beside the code. */
static int has_literal(const struct dl_phdr_info *object)
{
    unsigned kind = PF_R | PF_X;

    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_LOAD && (object->dlpi_phdr[i].p_flags & (PF_R | PF_W | PF_X)) == PF_R)
            kind = PF_R;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const char *bytes =
            (const char *)(object->dlpi_addr + segment->p_vaddr); /* NOLINT(performance-no-int-to-ptr) */
        const int is_ours = (const char *)libraries[0].literal >= bytes &&
                            (const char *)libraries[0].literal < bytes + segment->p_filesz;

        if (segment->p_type == PT_LOAD && (segment->p_flags & (PF_R | PF_W | PF_X)) == kind && !is_ours &&
            contains(bytes, segment->p_filesz))
            return 1;
    }
    return 0;
}

static int look(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    *(unsigned long long *)data = object->dlpi_adds;
    return has_name(object);
}

static int look_inside(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    return has_literal(object);
}

int lbio__has_ordering_library(void)
{
    unsigned long long loaded = 0;

    if (dl_iterate_phdr(look, &loaded))
        return 1;
    if (atomic_load(&last.loaded) != loaded) {
        atomic_store(&last.is_found, dl_iterate_phdr(look_inside, NULL));
        atomic_store(&last.loaded, loaded);
    }
    return atomic_load(&last.is_found);
}
