/* call-stack.c - which chain of calls led to a call: walking the stack, and saying in a text where that was
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Frames of Python come from the interpreter itself, by what it writes to a file for faulthandler (CPython,
 * _Py_DumpTraceback): its structures differ by release. */
#include <config.h>

#include "module/shared/call-stack.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/objects.h"
#include "base/text.h"
#include "base/unwind.h"
#include "record/span.h"

#define MOST_FRAMES  128 /* with those that are the library's own */
#define OBJECTS      24  /* programs and libraries that a stack is in */
#define PATH_SHOWN   240 /* bytes of a path, from its end */
#define BUILD_ID     20
#define PYTHON_TEXT  4096
#define PYTHON_LINES 24

static struct {
    void *(*python_thread)(void);
    void (*python_dump)(int fd, void *thread);
    char program[PATH_SHOWN]; /* its path; objects do not have it */
    bool may_hang;            /* in a forked child: the lock that finding an object takes may never be released */
} found;

/* ------------------------------------------------------------------ what there is */

static void find_python(void)
{
    *(void **)&found.python_thread = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    *(void **)&found.python_dump = dlsym(RTLD_DEFAULT, "_Py_DumpTraceback");
    dlerror();
}

/* The end of a path that is too long for its place. */
static void put_path(char out[PATH_SHOWN], const char *path, size_t length)
{
    const size_t most = PATH_SHOWN - 1, skipped = length > most ? length - most : 0;

    for (size_t i = skipped; i < length; i++)
        out[i - skipped] = (unsigned char)path[i] < ' ' || path[i] == 0x7f ? '?' : path[i];
    out[length - skipped] = '\0';
}

/* Once: dlsym allocates, and ends what the program would learn from dlerror, so that a forked child, which begins within any of
 * its calls, has what its parent found. */
bool dsn__call_stack_start(void)
{
    char path[4096];
    ssize_t n;

    if (!DSN_UNWINDS || getauxval(AT_BASE) == 0) /* in a static program our own frames are the program's, too */
        return false;
    if (!found.program[0]) {
        n = dsn__sys_readlink("/proc/self/exe", path, sizeof path);
        put_path(found.program, n > 0 ? path : "?", n > 0 ? (size_t)n : 1);
        dsn__objects_start();
        find_python();
    }
    return true;
}

void dsn__call_stack_child_begins(bool had_threads, bool was_in_use)
{
    found.may_hang |= (was_in_use || had_threads) && !dsn__objects_are_lockless();
}

bool dsn__call_stack_is_python(void)
{
    return found.python_thread && found.python_dump && found.python_thread();
}

/* ------------------------------------------------------------------ walking */

void dsn__call_stack_walk(const void *inner, struct dsn_call_stack *s)
{
    struct dsn_unwinding u;

    s->n = 0;
    if (found.may_hang)
        return;
    dsn__unwind_begin(&u);
    for (unsigned i = 0; i < MOST_FRAMES && s->n < DSN_DEEPEST_FRAME && dsn__unwind_step(&u); i++)
        if (u.reg[DSN_UNWIND_SP] > (uintptr_t)inner) {
            s->address[s->n] = u.at + u.is_interrupted; /* as if it were behind a call */
            s->slot[s->n++] = u.is_interrupted ? 0 : u.at_place;
        }
}

/* ------------------------------------------------------------------ programs and libraries */

/* Too large for a stack that may be a signal handler's. */
static struct objects {
    const struct dsn_call_stack *s;
    unsigned n;
    int8_t of[DSN_DEEPEST_FRAME]; /* by frame: number of the object; -1: unknown */
    struct object {
        uintptr_t base;
        bool is_own, is_program, is_python;
        unsigned char build_id[BUILD_ID];
        unsigned build_id_size;
        char path[PATH_SHOWN];
    } object[OBJECTS];
    char line[PATH_SHOWN + 2 * BUILD_ID + 20 * DSN_DEEPEST_FRAME];
    bool is_asking; /* the interpreter, which writes to: */
    size_t written;
    char python[PYTHON_TEXT];
} work;

static void read_build_id(struct object *o, const char *note, size_t size)
{
    ElfW(Nhdr) h;

    while (size >= sizeof h) {
        size_t name, whole;

        memcpy(&h, note, sizeof h);
        name = ((size_t)h.n_namesz + 3) & ~(size_t)3;
        whole = sizeof h + name + (((size_t)h.n_descsz + 3) & ~(size_t)3);
        if (whole > size)
            return;
        if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(note + sizeof h, "GNU", 4) == 0) {
            o->build_id_size = h.n_descsz < BUILD_ID ? h.n_descsz : BUILD_ID;
            memcpy(o->build_id, note + sizeof h + name, o->build_id_size);
            return;
        }
        note += whole;
        size -= whole;
    }
}

static bool has_address(const struct dsn_object *from, uintptr_t address)
{
    return address - from->start < from->end - from->start;
}

static void describe(struct object *o, const struct dsn_object *from)
{
    const bool is_program = !from->path[0];
    const char *path = is_program ? found.program : from->path;

    *o = (struct object){ .base = from->base, .is_program = is_program };
    o->is_own = !is_program && has_address(from, (uintptr_t)describe);
    o->is_python = found.python_dump && has_address(from, (uintptr_t)found.python_dump);
    put_path(o->path, path, strlen(path));
    for (unsigned i = 0; i < from->nheaders; i++)
        if (from->headers[i].p_type == PT_NOTE && o->build_id_size == 0)
            read_build_id(o, (const char *)(from->base + from->headers[i].p_vaddr), from->headers[i].p_filesz);
}

static void find_objects(struct objects *all)
{
    struct dsn_object from;

    for (unsigned i = 0; i < all->s->n; i++) {
        if (all->of[i] >= 0 || all->n == OBJECTS || !dsn__object_at(all->s->address[i], &from))
            continue;
        describe(&all->object[all->n], &from);
        for (unsigned k = i; k < all->s->n; k++)
            if (has_address(&from, all->s->address[k]))
                all->of[k] = (int8_t)all->n;
        all->n++;
    }
}

/* ------------------------------------------------------------------ the text */

struct text {
    char *out;
    size_t n;
};

/* What does not fit is left out as a whole. */
static bool put(struct text *t, const char *line, size_t length)
{
    if (length >= DSN_STACK_TEXT - t->n)
        return false;
    memcpy(t->out + t->n, line, length);
    t->n += length;
    t->out[t->n] = '\0';
    return true;
}

static void put_build_id(char out[2 * BUILD_ID + 1], const struct object *o)
{
    static const char digit[] = "0123456789abcdef";

    for (unsigned i = 0; i < o->build_id_size; i++) {
        out[2 * i] = digit[o->build_id[i] >> 4];
        out[2 * i + 1] = digit[o->build_id[i] & 15];
    }
    out[2 * o->build_id_size] = '\0';
}

/* Writes the frames from `from` to before `to`, which are in one object. */
static bool put_frames(struct text *t, struct objects *all, unsigned from, unsigned to)
{
    const struct object *o = &all->object[all->of[from]];
    char *const line = all->line, id[2 * BUILD_ID + 1];
    size_t n;

    put_build_id(id, o);
    n = (size_t)dsn__format(line, sizeof all->line, "n%s\t%s\t", o->path, id);
    for (unsigned i = from; i < to; i++)
        if (o->is_program || i == from || i == to - 1)
            n += (size_t)dsn__format(line + n, sizeof all->line - n, i == from ? "%llx" : " %llx",
                                     (unsigned long long)(all->s->address[i] - o->base));
    line[n++] = '\n';
    return put(t, line, n);
}

/* Frames of this library are left out, and those of what is not in a file, such as code made at run time. Returns whether it
 * came to the interpreter. */
static bool put_native(struct text *t, struct objects *all, bool with_python)
{
    unsigned from = 0, to;

    for (; from < all->s->n; from = to) {
        for (to = from + 1; to < all->s->n && all->of[to] == all->of[from]; to++)
            ;
        if (all->of[from] < 0 || all->object[all->of[from]].is_own)
            continue;
        if (with_python && all->object[all->of[from]].is_python)
            return true;
        if (!put_frames(t, all, from, to))
            return false;
    }
    return with_python;
}

/* From `  File "PATH", line N in FUNCTION`. */
static bool put_python_line(struct text *t, const char *line, size_t length)
{
    static const char begin[] = "  File \"", middle[] = "\", line ", end[] = " in ";
    char *const out = work.line, path[PATH_SHOWN], function[PATH_SHOWN];
    const char *const last = line + length, *name, *number;

    if (length <= sizeof begin - 1 || memcmp(line, begin, sizeof begin - 1) != 0)
        return true;
    line += sizeof begin - 1;
    number = memmem(line, (size_t)(last - line), middle, sizeof middle - 1);
    if (!number)
        return true;
    put_path(path, line, (size_t)(number - line));
    number += sizeof middle - 1;
    name = memmem(number, (size_t)(last - number), end, sizeof end - 1);
    if (!name)
        return true;
    put_path(function, name + sizeof end - 1, (size_t)(last - name) - (sizeof end - 1));
    return put(t, out,
               (size_t)dsn__format(out, sizeof work.line, "p%s\t%lld\t%.*s\n", path, (long long)dsn__number_in(number),
                                   80, function));
}

/* The end of what does not fit is dropped. */
ssize_t dsn__call_stack_written(const void *bytes, size_t size)
{
    const size_t room = sizeof work.python - work.written, fits = size < room ? size : room;

    if (!work.is_asking) {
        errno = EBADF;
        return -1;
    }
    memcpy(work.python + work.written, bytes, fits);
    work.written += fits;
    return (ssize_t)size;
}

/* In a program whose interpreter does not call our write(). */
static size_t python_by_file(void *thread)
{
    ssize_t size = 0;
#ifdef SYS_memfd_create
    const int fd = (int)syscall(SYS_memfd_create, "darshan", 1U /* MFD_CLOEXEC */);

    if (fd >= 0) {
        found.python_dump(fd, thread);
        size = dsn__sys_pread(fd, work.python, sizeof work.python, 0);
        dsn__sys_close(fd);
    }
#else
    (void)thread;
#endif
    return size > 0 ? (size_t)size : 0;
}

/* The interpreter writes some thirty pieces, for which system calls would take most of the time. */
static size_t ask_python(void)
{
    void *const thread = found.python_thread ? found.python_thread() : NULL;
    const int before = dsn__own_begin();
    size_t size = 0;

    if (thread) {
        work.written = 0;
        work.is_asking = true;
        found.python_dump(DSN_PYTHON_FD, thread);
        work.is_asking = false;
        size = work.written ? work.written : python_by_file(thread);
    }
    dsn__own_end(before);
    return size;
}

static void put_python(struct text *t)
{
    const size_t size = ask_python();
    const char *const text = work.python;

    for (size_t from = 0, to, lines = 0; from < size && lines < PYTHON_LINES; from = to + 1, lines++) {
        const char *const end = memchr(text + from, '\n', size - from);

        if (!end) /* it did not fit */
            break;
        to = (size_t)(end - text);
        if (!put_python_line(t, text + from, to - from))
            break;
    }
}

void dsn__call_stack_text(const struct dsn_call_stack *s, bool with_python, char out[DSN_STACK_TEXT])
{
    struct text t = { .out = out };

    work.s = s;
    work.n = 0;
    memset(work.of, -1, sizeof work.of);
    out[0] = '\0';
    find_objects(&work);
    if (put_native(&t, &work, with_python) && with_python)
        put_python(&t);
    if (t.n == 0 && with_python) /* it is in no line, as when it reads the script */
        put_native(&t, &work, false);
}
