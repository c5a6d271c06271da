/* sandbox.c - processes under a seccomp filter that may kill them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "life/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/environment.h"
#include "base/kernel.h"
#include "base/mpi.h"
#include "base/text.h"
#include "config/mounts.h"
#include "life/ending.h"
#include "module/shared/auxiliary.h"
#include "record/arena.h"
#include "record/fd.h"
#include "record/names.h"
#include "record/record.h"
#include "record/span.h"
#include "survive/process-tree.h"
#include "survive/survival.h"

#ifndef SECCOMP_RET_ACTION_FULL
#define SECCOMP_RET_ACTION_FULL 0xffff0000U
#endif
#ifndef SECCOMP_RET_LOG
#define SECCOMP_RET_LOG 0x7ffc0000U
#endif

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined __powerpc64__ && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCHITECTURE AUDIT_ARCH_PPC64LE
#elif defined __s390x__
#define ARCHITECTURE AUDIT_ARCH_S390X
#endif

#define MEMORY ((size_t)256 << 10) /* bytes for files opened in the sandbox */

/* Value of DARSHAN_FAMILY in a sandbox. */
static const char in_sandbox[] = "sandbox";

atomic_int dsn__calls_barred;

/* ------------------------------------------------------------------ filters */

/* Probes with sigprocmask and an invalid `how`: the kernel reads the set before it rejects the argument, so EINVAL
 * means that the address is readable. */
static int is_readable(const void *at, size_t size)
{
    const uintptr_t page = 4096, begin = (uintptr_t)at, end = begin + size;

    if (!at || end < begin)
        return 0;
    for (uintptr_t p = begin; p < end; p = (p & ~(page - 1)) + page) {
        const uintptr_t word = p + sizeof(struct dsn_signal_set) <= end ? p : end - sizeof(struct dsn_signal_set);

        if (dsn__sys_sigmask(-1, (const struct dsn_signal_set *)word, NULL) == 0 || errno != EINVAL)
            return 0;
    }
    return 1;
}

#ifdef ARCHITECTURE
/* System calls made while a process runs, and at its end. */
static const int calls[] = {
    SYS_openat,
    SYS_close,
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_lseek,
    SYS_fcntl,
    SYS_flock,
    SYS_fstat,
    SYS_statfs,
    SYS_fstatfs,
    SYS_ftruncate,
    SYS_fallocate,
    SYS_unlinkat,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_fchmod,
    SYS_fsync,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_rt_sigpending,
    SYS_rt_sigtimedwait,
    SYS_gettid,
    SYS_getpid,
    SYS_getppid,
    SYS_kill,
    SYS_tgkill,
    SYS_prlimit64,
    SYS_clone,
    SYS_wait4,
    SYS_prctl,
    SYS_sched_yield,
    SYS_clock_nanosleep,
#ifdef SYS_renameat2
    SYS_renameat2,
#endif
#ifdef SYS_newfstatat
    SYS_newfstatat,
#endif
#ifdef SYS_access
    SYS_access,
    SYS_unlink,
    SYS_readlink,
    SYS_poll,
    SYS_rename,
#endif
};

struct machine {
    uint32_t a, x, memory[BPF_MEMWORDS];
    struct seccomp_data data; /* of a call whose arguments are unknown */
};

enum { ENDS = 0, GOES_ON = -1 };

/* Loads a word of struct seccomp_data. Returns 0 if it is one of the call's arguments. */
static int load(const struct machine *m, uint32_t at, uint32_t *word)
{
    if (at % sizeof *word != 0 || at >= offsetof(struct seccomp_data, instruction_pointer))
        return 0;
    memcpy(word, (const char *)&m->data + at, sizeof *word);
    return 1;
}

static uint32_t calculate(uint32_t a, uint32_t b, unsigned operation)
{
    switch (operation) {
    case BPF_ADD:
        return a + b;
    case BPF_SUB:
        return a - b;
    case BPF_MUL:
        return a * b;
    case BPF_DIV:
        return b ? a / b : 0;
    case BPF_OR:
        return a | b;
    case BPF_AND:
        return a & b;
    case BPF_XOR:
        return a ^ b;
    case BPF_LSH:
        return b < 32 ? a << b : 0;
    case BPF_RSH:
        return b < 32 ? a >> b : 0;
    default:
        return 0U - a;
    }
}

static int compare(uint32_t a, uint32_t b, unsigned operation)
{
    switch (operation) {
    case BPF_JEQ:
        return a == b;
    case BPF_JGT:
        return a > b;
    case BPF_JGE:
        return a >= b;
    default:
        return (a & b) != 0;
    }
}

/* Executes one instruction. Returns how many to skip after it; GOES_ON: it was the last one, and m->a is the filter's
 * answer; or the answer depends on unknowns, and m->a is the one that kills the process. */
static int64_t step(struct machine *m, const struct sock_filter *i)
{
    const uint32_t operand = BPF_SRC(i->code) == BPF_X ? m->x : i->k;
    uint32_t *to = BPF_CLASS(i->code) == BPF_LD || BPF_CLASS(i->code) == BPF_ST ? &m->a : &m->x;

    switch (BPF_CLASS(i->code)) {
    case BPF_LD:
    case BPF_LDX:
        if (BPF_MODE(i->code) == BPF_ABS && load(m, i->k, to))
            return 0;
        if (BPF_MODE(i->code) == BPF_IMM)
            *to = i->k;
        else if (BPF_MODE(i->code) == BPF_MEM && i->k < BPF_MEMWORDS)
            *to = m->memory[i->k];
        else if (BPF_MODE(i->code) == BPF_LEN)
            *to = sizeof m->data;
        else
            break;
        return 0;
    case BPF_ST:
    case BPF_STX:
        if (i->k >= BPF_MEMWORDS)
            break;
        m->memory[i->k] = *to;
        return 0;
    case BPF_ALU:
        m->a = calculate(m->a, operand, BPF_OP(i->code));
        return 0;
    case BPF_JMP:
        if (BPF_OP(i->code) == BPF_JA)
            return i->k;
        return compare(m->a, operand, BPF_OP(i->code)) ? i->jt : i->jf;
    case BPF_RET:
        m->a = BPF_RVAL(i->code) == BPF_A ? m->a : i->k;
        return GOES_ON;
    default:
        *(BPF_MISCOP(i->code) == BPF_TAX ? &m->x : &m->a) = BPF_MISCOP(i->code) == BPF_TAX ? m->a : m->x;
        return 0;
    }
    m->a = ENDS;
    return GOES_ON;
}

/* Terminates: jumps lead forward only. */
static uint32_t answer(const struct sock_fprog *filter, int call)
{
    struct machine m = { .data = { .nr = call, .arch = ARCHITECTURE } };

    for (size_t at = 0; at < filter->len; at++) {
        const int64_t skip = step(&m, &filter->filter[at]);

        if (skip == GOES_ON)
            return m.a;
        at += (size_t)skip;
    }
    return ENDS;
}

static int is_answered(const struct sock_fprog *filter, int call)
{
    const uint32_t action = answer(filter, call) & SECCOMP_RET_ACTION_FULL;

    return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG || action == SECCOMP_RET_ERRNO;
}

static int are_all_answered(const struct sock_fprog *filter)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (!is_answered(filter, calls[i]))
            return 0;
    return 1;
}
#else
static int are_all_answered(const struct sock_fprog *filter)
{
    (void)filter; /* the call numbers of this architecture are unknown */
    return 0;
}
#endif

int dsn__filter_ends(const struct sock_fprog *filter)
{
    if (!is_readable(filter, sizeof *filter) || filter->len == 0 || filter->len > BPF_MAXINSNS ||
        !is_readable(filter->filter, filter->len * sizeof filter->filter[0]))
        return 0;
    return !are_all_answered(filter);
}

/* ------------------------------------------------------------------ in the sandbox */

static char tree_before[DSN_SURVIVAL_PATH_MAX + 64];

/* Populates what further files and times will need, for some while. */
static void prepare(void)
{
    dsn__self();
    if (dsn__spin(&dsn__names->lock)) {
        dsn__file_systems_by_table();
        dsn__names_grow();
        dsn__small_prepare();
        dsn__unspin(&dsn__names->lock);
    }
    dsn__alloc_prepare(MEMORY);
    dsn__auxiliary_prepare();
}

/* Tells programs executed from now on through the environment. */
static void set_sandbox_variable(void)
{
    const char *before = getenv(DSN_TREE_VARIABLE);

    dsn__format(tree_before, sizeof tree_before, "%s", before ? before : "");
    dsn__environment_set(DSN_TREE_VARIABLE, in_sandbox);
}

enum dsn_sandbox dsn__sandbox_begin(const struct sock_fprog *filter)
{
    const int before = dsn__own_begin();
    enum dsn_sandbox begun = DSN_NO_SANDBOX;

    /* a rank of MPI cannot end alone */
    if (dsn__is_on() && !dsn__are_calls_barred() && !dsn__is_another_process() && dsn__filter_ends(filter))
        begun = dsn__survival->is_file || dsn__mpi->attached ? DSN_SANDBOX : DSN_SANDBOX_END;
    if (begun != DSN_NO_SANDBOX)
        set_sandbox_variable();
    if (begun == DSN_SANDBOX) {
        prepare();
        atomic_store(&dsn__calls_barred, 1);
    }
    dsn__own_end(before);
    if (begun == DSN_SANDBOX_END)
        dsn__end_process();
    return begun;
}

void dsn__sandbox_failed(enum dsn_sandbox begun)
{
    if (begun == DSN_NO_SANDBOX)
        return;
    dsn__sandbox_forget();
    dsn__environment_set(DSN_TREE_VARIABLE, tree_before);
    if (begun == DSN_SANDBOX_END)
        dsn__begin_again();
}

void dsn__sandbox_forget(void)
{
    atomic_store(&dsn__calls_barred, 0);
}

int dsn__is_sandboxed(void)
{
    const char *process_tree = secure_getenv(DSN_TREE_VARIABLE);

    return process_tree && strcmp(process_tree, in_sandbox) == 0;
}
