/* exclude.c - decides which files are excluded
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "record/exclude.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "config/settings.h"
#include "record/module.h"

static bool is_rescued(const char *name)
{
    return dsn__begins_with(name, "/var/opt/cray/dws/mounts/");
}

/* Whether a name goes on with the first word of a session directory of Open MPI, or of PRRTE, which names it after the
 * command. */
static bool is_session_word(const char *at)
{
    static const char *const word[] = { "/ompi.", "/prte.", "/prterun.", "/prted." };

    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
        if (dsn__begins_with(at, word[i]))
            return true;
    return false;
}

/* Whether a name goes on with the directory that Slurm's plugin for PMIx makes for a step: UID_JOB.STEP behind a word. */
static bool is_step_directory(const char *at)
{
    static const char word[] = "/spmix_appdir_";
    const char *numbers = at + sizeof word - 1;

    return dsn__begins_with(at, word) && numbers[strspn(numbers, "0123456789_.")] == '/' && *numbers != '/';
}

bool dsn__path_is_of_mpi(const char *name)
{
    static const char digits[] = "0123456789", probe[] = ".locktest.";
    const char *slash = strrchr(name, '/'), *at = strstr(slash ? slash : name, probe), *next;

    while (at && (next = strstr(at + 1, probe)) != NULL)
        at = next;

    if (at && at[sizeof probe - 1] != '\0' && at[sizeof probe - 1 + strspn(at + sizeof probe - 1, digits)] == '\0')
        return true;
    for (at = strchr(name, '/'); at; at = strchr(at + 1, '/')) {
        const char *end = strchr(at + 1, '/'), *uid = end, *host;

        if (is_step_directory(at))
            return true;
        if (!end || !is_session_word(at))
            continue;
        host = strchr(at, '.') + 1;
        while (uid > at && strchr(digits, uid[-1]))
            uid--;
        if (uid < end && uid[-1] == '.' && uid - 1 > host)
            return true;
    }
    return false;
}

static bool is_below_prefix(const char *name)
{
    if (dsn__path_builtin_excluded(name))
        return true;
    if (dsn__begins_with(name, "/var/")) /* cases that the quick test leaves undecided */
        return !is_rescued(name);
    return dsn__path_is_of_mpi(name);
}

static bool is_off(enum dsn_module_index module)
{
    return dsn__config->disabled >> dsn__modules[module]->id & 1;
}

/* ------------------------------------------------------------------ verdicts */

static uint64_t aggregate(uint64_t a, uint64_t b)
{
    const unsigned __int128 product = (unsigned __int128)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hashes eight bytes per multiplication and folds both halves of the product: a few nanoseconds a path. */
static uint64_t hash(enum dsn_module_index module, const char *name)
{
    const uint64_t odd1 = 0x9e3779b97f4a7c15, odd2 = 0xd1b54a32d192ed03;
    size_t left = strlen(name);
    uint64_t h = aggregate(left + odd2, odd1 ^ ((uint64_t)module << 32)), word;

    for (; left >= sizeof word; name += sizeof word, left -= sizeof word) {
        memcpy(&word, name, sizeof word);
        h = aggregate(h ^ word, odd1) + odd2;
    }
    word = 0;
    memcpy(&word, name, left);
    return aggregate(h ^ word, odd1) ^ h;
}

static _Atomic(uint64_t) *entry(uint64_t h)
{
    return &dsn__config->verdict[(h >> 32) % DSN_VERDICTS];
}

/* Looks up the verdict on a name: 1 excluded, 0 included, -1 unknown. The lowest bit of an entry is the verdict, the
 * others are the hash; 0 is an empty entry, or a hash that is treated as unknown. */
static int look_up(uint64_t h)
{
    const uint64_t e = atomic_load_explicit(entry(h), memory_order_relaxed);

    return e > 1 && (e | 1) == (h | 1) ? (int)(e & 1) : -1;
}

static void remember(uint64_t h, int excluded)
{
    atomic_store_explicit(entry(h), (h & ~(uint64_t)1) | (uint64_t)excluded, memory_order_relaxed);
}

/* ------------------------------------------------------------------ expressions */

static bool is_matched(const struct dsn_rules *rules, uint64_t id, const char *name)
{
    for (unsigned i = 0; rules && i < rules->n; i++)
        if ((rules->rule[i].modules & id) && regexec(&rules->rule[i].compiled, name, 0, NULL, 0) == 0)
            return true;
    return false;
}

bool dsn__path_match(enum dsn_module_index module, const char *name)
{
    const struct dsn_config *c = dsn__config;
    const uint64_t id = (uint64_t)1 << dsn__modules[module]->id;

    if (!is_below_prefix(name) && !is_matched(c->name_exclude, id, name))
        return false;
    return !is_rescued(name) && !is_matched(c->name_include, id, name);
}

/* Whether the thread may be in a signal handler (see exclude.h). Costs one system call, at the first sight of a
 * name. (pthread_sigmask does the same, but was not in the C library before glibc 2.32.) */
static bool may_be_handler(void)
{
    sigset_t blocked;

    sigemptyset(&blocked); /* before glibc 2.32 the set is larger than the kernel's, which fills its part */
    return sigprocmask(SIG_BLOCK, NULL, &blocked) != 0 || !sigisemptyset(&blocked);
}

/* A compiled expression has a lock of its own: one thread at a time matches. Others wait for as long as one match takes
 * and no longer, because the matching thread may itself wait in malloc for one of them. If a handler leaves a match by
 * longjmp, or its thread is cancelled, the lock stays taken for good, and expressions are no longer used. */
bool dsn__expressions_take(void)
{
    for (int turn = 0; turn < 300; turn++) {
        int nobody = 0;

        if (atomic_compare_exchange_weak(&dsn__exclusions->matching, &nobody, 1))
            return true;
        if (turn > 250)
            sched_yield();
    }
    return false;
}

void dsn__expressions_give(void)
{
    atomic_store(&dsn__exclusions->matching, 0);
}

bool dsn__path_is_undecided(enum dsn_module_index module, const char *name)
{
    return dsn__config->verdict && !is_off(module) && dsn__modules[module]->path_named &&
           look_up(hash(module, name)) < 0 && !may_be_handler();
}

void dsn__path_decide(enum dsn_module_index module, const char *name)
{
    if (!dsn__expressions_take())
        return;
    remember(hash(module, name), dsn__path_match(module, name));
    dsn__expressions_give();
}

bool dsn__path_excluded(enum dsn_module_index module, const char *name)
{
    int verdict;

    if (is_off(module))
        return true;
    if (!dsn__modules[module]->path_named)
        return false;
    if (!dsn__config->verdict)
        return is_below_prefix(name);
    verdict = look_up(hash(module, name));
    if (verdict < 0)
        dsn__exclusions->undecided = 1;
    return verdict > 0;
}

bool dsn__path_verdict_excluded(enum dsn_module_index module, const char *path)
{
    return look_up(hash(module, path)) > 0; /* the table has cleaned names only: a path that is not clean is not
                                             * found */
}

void dsn__exclude_all(void)
{
    dsn__config->disabled = DSN_ALL_MODULES;
}
