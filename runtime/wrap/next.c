/* next.c - functions by the hash tables of the objects that are loaded
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Source of the tables' form: the ELF gABI, and the section .gnu.hash as glibc and binutils have it. */
#include <config.h>

#include "wrap/next.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#if defined __GLIBC__

#define WORD_BITS (8 * sizeof(uintptr_t))
#define IS_HIDDEN 0x8000 /* in a version: not the default one of its name */

typedef ElfW(Sym) symbol;

/* In front of the filter's words, the buckets and the chains. */
struct head {
    uint32_t nbuckets, first_symbol, nwords, shift;
};

/* Most machines' loaders have added the base already. */
static const void *pointer(const struct link_map *m, ElfW(Addr) at)
{
    return (const void *)(at < m->l_addr ? at + m->l_addr : at);
}

static void read_head(struct dsn_next_object *o, const struct head *h)
{
    o->nbuckets = h->nbuckets;
    o->first_symbol = h->first_symbol;
    o->filter_mask = h->nwords - 1;
    o->shift = h->shift;
    o->filter = (const uintptr_t *)(const void *)(h + 1);
    o->bucket = (const uint32_t *)(o->filter + h->nwords);
    o->chain = o->bucket + h->nbuckets;
}

static int read_tables(const struct link_map *m, struct dsn_next_object *o)
{
    const struct head *hash = NULL;

    *o = (struct dsn_next_object){ .base = m->l_addr };
    for (const ElfW(Dyn) *d = m->l_ld; d && d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_GNU_HASH)
            hash = pointer(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_SYMTAB)
            o->symbols = pointer(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_STRTAB)
            o->names = pointer(m, d->d_un.d_ptr);
        else if (d->d_tag == DT_VERSYM)
            o->version = pointer(m, d->d_un.d_ptr);
    }
    if (!hash || hash->nbuckets == 0 || hash->nwords == 0 || !o->symbols || !o->names)
        return 0;
    read_head(o, hash);
    return 1;
}

static uint32_t hash_of(const char *name)
{
    uint32_t h = 5381;

    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static int is_exported(const struct dsn_next_object *o, uint32_t i, const char *name)
{
    const symbol *s = (const symbol *)o->symbols + i;

    return s->st_shndx != SHN_UNDEF && s->st_value != 0 && !(o->version && o->version[i] & IS_HIDDEN) &&
           strcmp(o->names + s->st_name, name) == 0;
}

static int may_have(const struct dsn_next_object *o, uint32_t h)
{
    const uintptr_t word = o->filter[h / WORD_BITS & o->filter_mask];

    return word >> h % WORD_BITS & word >> (h >> o->shift) % WORD_BITS & 1;
}

static const symbol *find(const struct dsn_next_object *o, const char *name, uint32_t h)
{
    uint32_t i = o->bucket[h % o->nbuckets];

    if (i < o->first_symbol)
        return NULL;
    for (;; i++) {
        const uint32_t here = o->chain[i - o->first_symbol];

        if ((here | 1) == (h | 1) && is_exported(o, i, name))
            return (const symbol *)o->symbols + i;
        if (here & 1)
            return NULL;
    }
}

/* The first object that has the name decides, as for the loader. What has no address of its own before it was called
 * (an indirect function), or stands for something else, is dlsym's affair. */
void *dsn__next_function(const struct dsn_next *next, const char *name)
{
    const uint32_t h = hash_of(name);

    for (unsigned i = 0; i < next->n; i++) {
        const symbol *s = may_have(&next->object[i], h) ? find(&next->object[i], name, h) : NULL;

        if (s && ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_ABS)
            return (void *)(next->object[i].base + s->st_value); /* NOLINT(performance-no-int-to-ptr) */
        if (s)
            return NULL;
    }
    return NULL;
}

static int is_c_library(const struct dsn_next_object *o)
{
    const char name[] = "__libc_start_main"; /* not static: on the stack it is in no page of its own */
    const uint32_t h = hash_of(name);

    return may_have(o, h) && find(o, name, h) != NULL;
}

/* The kernel's object is in the list, but the loader does not search it. */
static int is_searched(const struct link_map *m)
{
    return m->l_addr == 0 || m->l_addr != getauxval(AT_SYSINFO_EHDR);
}

/* This library has come with the program, and was not loaded by it later, if the C library stands behind it. */
void dsn__next_objects(struct dsn_next *next, const void *dynamic)
{
    const struct link_map *m = _r_debug.r_map;

    while (m && (const void *)m->l_ld != dynamic)
        m = m->l_next;
    next->n = 0;
    next->is_all = 0;
    for (m = m ? m->l_next : NULL; m && !next->is_all; m = m->l_next) {
        if (!is_searched(m))
            continue;
        if (next->n == DSN_NEXT_OBJECTS || !read_tables(m, &next->object[next->n]))
            break;
        next->is_all = is_c_library(&next->object[next->n++]);
    }
    if (!next->is_all)
        next->n = 0;
}

#else

void *dsn__next_function(const struct dsn_next *next, const char *name)
{
    (void)next;
    (void)name;
    return NULL;
}

void dsn__next_objects(struct dsn_next *next, const void *dynamic)
{
    (void)dynamic;
    next->n = 0;
    next->is_all = 0;
}

#endif
