/* program-kind.c - whether a program can be recorded by a preloaded library
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>
#include "program-kind.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SCRIPTS 4 /* one of which is the interpreter of the one before */

static int find_in_path(const char *name, char path[PATH_MAX])
{
    const char *at = getenv("PATH");

    if (strchr(name, '/'))
        return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
    for (size_t n; at && *at; at += n + (at[n] == ':')) {
        n = strcspn(at, ":");
        if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, at, n ? "/" : "./", name) < PATH_MAX &&
            access(path, X_OK) == 0)
            return 1;
    }
    return 0;
}

/* A note by the owner "Go": its linker's build id. */
static int has_note_of_go(int fd, const Elf64_Phdr *segment)
{
    char bytes[4096];
    const ssize_t n =
        pread(fd, bytes, segment->p_filesz < sizeof bytes ? segment->p_filesz : sizeof bytes, (off_t)segment->p_offset);

    return n > 0 && memmem(bytes, (size_t)n, "Go\0", 4) != NULL;
}

static const char *why_not_elf(int fd, const Elf64_Ehdr *head)
{
    int has_loader = 0, is_go = 0;

    if (head->e_ident[EI_CLASS] != ELFCLASS64)
        return "is a 32-bit program, which the library is not made for";
    for (unsigned i = 0; i < head->e_phnum; i++) {
        Elf64_Phdr segment;

        if (pread(fd, &segment, sizeof segment, (off_t)(head->e_phoff + i * sizeof segment)) != sizeof segment)
            return NULL;
        has_loader |= segment.p_type == PT_INTERP;
        is_go |= segment.p_type == PT_NOTE && has_note_of_go(fd, &segment);
    }
    if (is_go)
        return "is written in Go, which calls the kernel without the C library";
    return has_loader ? NULL : "is statically linked: link it with libdarshan.a (darshan-on-static.sh), or dynamically";
}

const char *dsn_why_not_recorded(const char *name)
{
    char path[PATH_MAX], interpreter[PATH_MAX];
    const char *why = NULL;
    int is_script = 1;

    for (int i = 0; is_script && i < MOST_SCRIPTS && find_in_path(name, path); i++) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        union {
            char text[256];
            Elf64_Ehdr head;
        } first = { "" };
        struct stat st;
        ssize_t n;

        is_script = 0;
        if (fd < 0)
            return NULL;
        n = read(fd, first.text, sizeof first.text - 1);
        if (n > 2 && memcmp(first.text, "#!", 2) == 0) {
            const char *from = first.text + 2 + strspn(first.text + 2, " \t");

            snprintf(interpreter, sizeof interpreter, "%.*s", (int)strcspn(from, " \t\n"), from);
            name = interpreter;
            is_script = 1;
        } else if (fstat(fd, &st) == 0 && st.st_mode & (S_ISUID | S_ISGID)) {
            why = "runs with another user's or group's rights, and ignores preloaded libraries";
        } else if (n >= (ssize_t)sizeof first.head && memcmp(first.text, ELFMAG, SELFMAG) == 0) {
            why = why_not_elf(fd, &first.head);
        }
        close(fd);
    }
    return why;
}
