/* objects.c - the programs and libraries that the process has loaded
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "base/objects.h"

#include <dlfcn.h>
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

/* What glibc 2.35 and later tell without a lock (dlfcn.h, struct dl_find_object). */
struct told {
    unsigned long long flags;
    void *start, *end;
    struct link_map *map;
    void *unwind_tables;
    void *others[16]; /* room */
};

static int (*find_object)(void *address, struct told *out);

void dsn__objects_start(void)
{
    *(void **)&find_object = dlsym(RTLD_DEFAULT, "_dl_find_object");
    dlerror();
}

bool dsn__objects_are_lockless(void)
{
    return find_object != NULL;
}

/* The kernel tells where those of the program are; those of a library are in its first page, as a rule. */
static void find_headers(struct dsn_object *o)
{
    const ElfW(Ehdr) *const h = (const void *)o->start;

    if (!o->path[0]) {
        o->headers = (const void *)getauxval(AT_PHDR); /* a number */
        o->nheaders = (unsigned)getauxval(AT_PHNUM);
    } else if (memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 && h->e_phentsize == sizeof(ElfW(Phdr)) &&
               h->e_phoff + h->e_phnum * sizeof(ElfW(Phdr)) <= o->end - o->start) {
        o->headers = (const void *)(o->start + h->e_phoff);
        o->nheaders = h->e_phnum;
    }
}

/* All that is mapped, of which glibc tells only a part if it does not adjoin, and where its tables are. Returns whether the address
 * is in there. */
static bool read_headers(struct dsn_object *o, uintptr_t address)
{
    uintptr_t start = UINTPTR_MAX, end = 0;
    bool is_it = false;

    for (unsigned i = 0; i < o->nheaders; i++) {
        const ElfW(Phdr) *const h = &o->headers[i];
        const uintptr_t at = o->base + h->p_vaddr;

        if (h->p_type == PT_GNU_EH_FRAME)
            o->unwind_tables = (const void *)at;
        if (h->p_type != PT_LOAD)
            continue;
        start = at < start ? at : start;
        end = at + h->p_memsz > end ? at + h->p_memsz : end;
        is_it |= address - at < h->p_memsz;
    }
    if (end > 0) {
        o->start = start;
        o->end = end;
    }
    if ((uintptr_t)o->unwind_tables - o->start >= o->end - o->start)
        o->unwind_tables = NULL;
    return is_it;
}

struct search {
    uintptr_t address;
    struct dsn_object *out;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *argument)
{
    const struct search *const s = argument;
    struct dsn_object o = { .base = info->dlpi_addr,
                            .path = info->dlpi_name ? info->dlpi_name : "",
                            .headers = info->dlpi_phdr,
                            .nheaders = info->dlpi_phnum };

    (void)size;
    if (!read_headers(&o, s->address))
        return 0;
    *s->out = o;
    return 1;
}

bool dsn__object_at(uintptr_t address, struct dsn_object *out)
{
    struct search s = { address, out };
    struct told t;

    if (!find_object)
        return dl_iterate_phdr(look_into, &s) != 0;
    if (find_object((void *)address, &t) != 0)
        return false;
    *out = (struct dsn_object){ .base = t.map->l_addr,
                                .start = (uintptr_t)t.start,
                                .end = (uintptr_t)t.end,
                                .path = t.map->l_name ? t.map->l_name : "",
                                .unwind_tables = t.unwind_tables };
    find_headers(out);
    read_headers(out, address);
    return true;
}
