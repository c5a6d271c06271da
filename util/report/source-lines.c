/* source-lines.c - which function and which line of its source an address in a program or library is in
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "source-lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 64 /* that are open at a time */

struct dsn_source {
    size_t n;
    struct source_file {
        char *path, *build_id;
        Dwfl *dwfl;
        Dwfl_Module *module; /* NULL: see `why` */
        enum dsn_source_known why;
    } file[MOST_FILES];
};

/* ------------------------------------------------------------------ files */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static int open_readable(const char *path)
{
    const int fd = path[0] == '/' ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
    struct stat st;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (geteuid() != 0 || st.st_uid == 0))
        return fd;
    close(fd);
    return -1;
}

static int has_build_id(Dwfl_Module *m, const char *build_id)
{
    const unsigned char *bits;
    GElf_Addr address;
    const int n = dwfl_module_build_id(m, &bits, &address);
    char hex[3] = "";

    if (n <= 0 || strlen(build_id) != (size_t)n * 2)
        return n <= 0 && build_id[0] == '\0';
    for (int i = 0; i < n; i++) {
        snprintf(hex, sizeof hex, "%02x", bits[i]);
        if (memcmp(hex, build_id + 2 * i, 2) != 0)
            return 0;
    }
    return 1;
}

static void open_file(struct source_file *f, const char *path, const char *build_id)
{
    const int fd = open_readable(path);

    f->path = strdup(path);
    f->build_id = strdup(build_id);
    f->why = DSN_SOURCE_MISSING;
    if (fd < 0)
        return;
    f->dwfl = dwfl_begin(&callbacks);
    if (f->dwfl) {
        dwfl_report_begin(f->dwfl);
        f->module = dwfl_report_offline(f->dwfl, path, path, fd); /* takes fd, if it succeeds */
        dwfl_report_end(f->dwfl, NULL, NULL);
    }
    if (!f->module) {
        close(fd);
    } else if (!has_build_id(f->module, build_id)) {
        f->module = NULL;
        f->why = DSN_SOURCE_CHANGED;
    }
}

static void close_file(struct source_file *f)
{
    if (f->dwfl)
        dwfl_end(f->dwfl);
    free(f->path);
    free(f->build_id);
    memset(f, 0, sizeof *f);
}

static struct source_file *file_of(struct dsn_source *s, const char *path, const char *build_id)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->file[i].path && s->file[i].build_id && strcmp(s->file[i].path, path) == 0 &&
            strcmp(s->file[i].build_id, build_id) == 0)
            return &s->file[i];
    if (s->n == MOST_FILES)
        close_file(&s->file[--s->n]);
    open_file(&s->file[s->n], path, build_id);
    return &s->file[s->n++];
}

struct dsn_source *dsn_source_new(void)
{
    unsetenv("DEBUGINFOD_URLS"); /* libdw would ask these servers */
    return calloc(1, sizeof(struct dsn_source));
}

void dsn_source_free(struct dsn_source *s)
{
    for (size_t i = 0; s && i < s->n; i++)
        close_file(&s->file[i]);
    free(s);
}

/* ------------------------------------------------------------------ lines */

static int is_of_system(const char *file)
{
    return strncmp(file, "/usr/include/", 13) == 0 || strncmp(file, "/usr/lib/", 9) == 0 ||
           strstr(file, "/include/c++/");
}

static void put_line(struct dsn_source_place *place, const char *file, int line)
{
    snprintf(place->file, sizeof place->file, "%s", file);
    place->line = line;
}

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute name;

    return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &name));
}

/* Where a function was inlined. */
static int find_call(Dwarf_Die *inlined, Dwarf_Die *unit, const char **file, int *line)
{
    Dwarf_Attribute a;
    Dwarf_Word number, at;
    Dwarf_Files *files;
    size_t n;

    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &a), &number) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &a), &at) != 0 ||
        dwarf_getsrcfiles(unit, &files, &n) != 0 || number >= n)
        return 0;
    *file = dwarf_filesrc(files, number, NULL, NULL);
    *line = (int)at;
    return *file != NULL;
}

/* The innermost function at an address that is not inlined from a header of the system. */
static void find_function(Dwarf_Die *unit, Dwarf_Addr address, struct dsn_source_place *place)
{
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    const int any = dwarf_getscopes(unit, address, &innermost); /* what contains its declaration, if it is inlined */
    const int n = any > 0 ? dwarf_getscopes_die(&innermost[0], &scopes) : 0;

    for (int i = 0; i < n; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        const char *file, *name = name_of(&scopes[i]);
        int line;

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram)
            continue;
        if (tag == DW_TAG_inlined_subroutine && is_of_system(place->file) &&
            find_call(&scopes[i], unit, &file, &line)) {
            put_line(place, file, line);
            continue;
        }
        snprintf(place->function, sizeof place->function, "%s", name ? name : "");
        break;
    }
    free(innermost);
    free(scopes);
}

/* A part of a name, before which a compiler has put its length. */
struct part {
    const char *at;
    int length;
};

/* Returns what follows the part, NULL if there is none. */
static const char *read_part(const char *from, struct part *out)
{
    char *end;
    const unsigned long length = strtoul(from, &end, 10);

    if (end == from || length == 0 || length > strlen(end))
        return NULL;
    *out = (struct part){ end, (int)length };
    return end + length;
}

/* Of the names that compilers make of functions of classes and namespaces in C++ (Itanium C++ ABI, 5.1) the last two parts, without
 * arguments: of _ZN9LAMMPS_NS4Dump5writeEv Dump::write. Returns whether it is one. */
static int put_of_cxx(char *out, size_t size, const char *symbol)
{
    const int is_nested = strncmp(symbol, "_ZN", 3) == 0;
    int is_standard;
    const char *at = symbol + (is_nested ? 3 : 2), *next;
    struct part outer = { "", 0 }, last = { "", 0 };

    if (strncmp(symbol, "_Z", 2) != 0)
        return 0;
    at += is_nested ? strspn(at, "rVKRO") : *at == 'L';
    is_standard = strncmp(at, "St", 2) == 0;
    at += is_standard ? 2 : 0;
    for (int n = 0; is_nested || n == 0; n++, at = next) {
        struct part p;

        next = read_part(at, &p);
        if (!next)
            break;
        outer = is_standard ? (struct part){ "std", 3 } : last;
        last = p;
    }
    if (is_nested && (*at == 'C' || *at == 'D') && last.length > 0)
        snprintf(out, size, "%.*s::%s%.*s", last.length, last.at, *at == 'D' ? "~" : "", last.length, last.at);
    else
        snprintf(out, size, "%.*s%s%.*s", outer.length, outer.at, outer.length ? "::" : "", last.length, last.at);
    return out[0] != '\0';
}

/* Of modules in Fortran (gfortran): of __output_MOD_write_field output::write_field. */
static int put_of_module(char *out, size_t size, const char *symbol)
{
    const char *const mark = strstr(symbol, "_MOD_");

    if (strncmp(symbol, "__", 2) != 0 || !mark || mark < symbol + 3)
        return 0;
    snprintf(out, size, "%.*s::%s", (int)(mark - symbol - 2), symbol + 2, mark + 5);
    return 1;
}

static void put_readable(char *out, size_t size, const char *symbol)
{
    if (!put_of_cxx(out, size, symbol) && !put_of_module(out, size, symbol))
        snprintf(out, size, "%s", symbol);
}

void dsn_source_find(struct dsn_source *s, const char *path, const char *build_id, uint64_t offset,
                     struct dsn_source_place *place)
{
    const struct source_file *f = file_of(s, path, build_id);
    Dwarf_Addr bias, of_unit, address;
    Dwfl_Line *line;
    Dwarf_Die *unit;
    const char *file, *name;
    GElf_Off behind = 0;
    GElf_Sym symbol;
    int number;

    memset(place, 0, sizeof *place);
    place->known = f->why;
    if (!f->module)
        return;
    place->known = DSN_SOURCE_NOTHING;
    dwfl_module_getelf(f->module, &bias);
    address = offset + bias - 1; /* the call, not what follows it */
    line = dwfl_module_getsrc(f->module, address);
    file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file) {
        put_line(place, file, number);
        unit = dwfl_module_addrdie(f->module, address, &of_unit);
        if (unit)
            find_function(unit, address - of_unit, place);
        if (place->function[0])
            place->known = DSN_SOURCE_LINE;
    }
    name = place->function[0] ? NULL : dwfl_module_addrinfo(f->module, address, &behind, &symbol, NULL, NULL, NULL);
    if (name) {
        put_readable(place->function, sizeof place->function, name);
        place->offset = behind;
        place->known = file ? DSN_SOURCE_LINE : DSN_SOURCE_FUNCTION;
    }
}

#else

struct dsn_source {
    int unused;
};

struct dsn_source *dsn_source_new(void)
{
    return calloc(1, sizeof(struct dsn_source));
}

void dsn_source_free(struct dsn_source *s)
{
    free(s);
}

void dsn_source_find(struct dsn_source *s, const char *path, const char *build_id, uint64_t offset,
                     struct dsn_source_place *place)
{
    (void)s, (void)path, (void)build_id, (void)offset;
    memset(place, 0, sizeof *place);
    place->known = DSN_SOURCE_MISSING;
}

#endif
