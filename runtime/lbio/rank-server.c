/* rank-server.c - a token server in rank 0 of an MPI program
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/rank-server.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/kernel.h"
#include "base/mpi-abi.h"
#include "base/next.h"
#include "base/signals.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/token-service.h"
#include "lbio/token.h"

#define MOST_PEERS 4096
#define SPARE      16 /* connections of others, which are refused for their wrong key */
#define GUEST      1
#define PATIENCE   INT64_C(10000000000) /* ns */
#define PAUSE      INT64_C(50000)

/* MPICH's, and those of its derivatives. */
#define MPICH_COMM_WORLD 0x44000000
#define MPICH_BYTE       0x4c00010d
#define MPICH_NO_STATUS  1

static struct {
    struct lbio_token_service service;
    atomic_int is_running;
    dsn_handle comm, request; /* MPI may write here after we have given up */
    struct lbio_token_place place;
} own;

/* ------------------------------------------------------------------ MPI, by the library in use */

struct mpi {
    dsn_handle world, byte;
    void *no_status;
    int (*rank)(dsn_handle, int *), (*size)(dsn_handle, int *);
    int (*idup)(dsn_handle, dsn_handle *, dsn_handle *);
    int (*ibcast)(void *, int, dsn_handle, int, dsn_handle, dsn_handle *);
    int (*test)(dsn_handle *, int *, void *);
    int (*free_comm)(dsn_handle *);
    int (*version)(char *, int *);
};

static int is_mpich(const struct mpi *m)
{
    static const char *const names[] = { "MPICH", "MVAPICH", "Intel(R) MPI" };
    char text[8192] = ""; /* the standard's MPI_MAX_LIBRARY_VERSION_STRING is smaller */
    int n = 0;

    if (m->version(text, &n) != DSN_MPI_SUCCESS)
        return 0;
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(text, names[i]))
            return 1;
    return 0;
}

/* Where a variable is: a copy in the program, if that refers to it, else in the library itself. */
static const void *variable(const char *name, const void *mpi_function)
{
    const void *at = dlsym(RTLD_DEFAULT, name);

    if (at)
        return at;
    dlerror(); /* the application must not see our lookup's error */
    return dsn__next_function(name, mpi_function);
}

/* 0: not an MPI library that is known. The PMPI_ names, because tools need not see these calls. */
static int find_mpi(struct mpi *m, const void *function)
{
    const struct {
        const char *name;
        void *to;
    } calls[] = { { "PMPI_Comm_rank", &m->rank },
                  { "PMPI_Comm_size", &m->size },
                  { "PMPI_Comm_idup", &m->idup },
                  { "PMPI_Ibcast", &m->ibcast },
                  { "PMPI_Test", &m->test },
                  { "PMPI_Comm_free", &m->free_comm },
                  { "PMPI_Get_library_version", &m->version } };
    const void *world = variable("ompi_mpi_comm_world", function);
    const void *byte = variable("ompi_mpi_byte", function);

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        void *call = dsn__next_function(calls[i].name, function);

        if (!call)
            return 0;
        memcpy(calls[i].to, &call, sizeof call);
    }
    m->world = world ? (dsn_handle)world : MPICH_COMM_WORLD;
    m->byte = byte ? (dsn_handle)byte : MPICH_BYTE;
    m->no_status = world ? NULL : (void *)(intptr_t)MPICH_NO_STATUS; /* NOLINT(performance-no-int-to-ptr) */
    return world ? byte != NULL : is_mpich(m);
}

/* Whether the collective call completes in time. One that does not is abandoned: it cannot be cancelled. */
static int completes(const struct mpi *m, int64_t deadline)
{
    const struct timespec pause = { 0, PAUSE };
    int is_done = 0;

    while (1) {
        if (m->test(&own.request, &is_done, m->no_status) != DSN_MPI_SUCCESS)
            return 0;
        if (is_done || dsn__now() > deadline)
            return is_done;
        dsn__syscall(SYS_nanosleep, &pause, NULL);
    }
}

/* ------------------------------------------------------------------ rank 0 */

static void *serve(void *unused)
{
    static const volatile sig_atomic_t never;

    lbio__token_service_run(&own.service, NULL, &never);
    return unused;
}

static void add_address(char *text, size_t size, const struct sockaddr *a, int port)
{
    char host[INET6_ADDRSTRLEN];
    const size_t n = strlen(text);
    const int is_v6 = a->sa_family == AF_INET6;
    const void *bytes = is_v6 ? (const void *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr
                              : (const void *)&((const struct sockaddr_in *)(const void *)a)->sin_addr;

    if (inet_ntop(a->sa_family, bytes, host, sizeof host) && n + sizeof host + 12 < size)
        dsn__format(text + n, size - n, is_v6 ? "%s[%s]:%d" : "%s%s:%d", n > 0 ? " " : "", host, port);
}

/* Addresses at which other nodes may find this one, those of IPv4 first; if there are none, there is only this node. */
static void add_addresses(char *text, size_t size, int port)
{
    static const int kinds[] = { AF_INET, AF_INET6 };
    const struct sockaddr_in own = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    struct ifaddrs *all = NULL;

    if (getifaddrs(&all) != 0)
        all = NULL;
    for (size_t f = 0; f < sizeof kinds / sizeof kinds[0]; f++)
        for (const struct ifaddrs *at = all; at; at = at->ifa_next) {
            const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)at->ifa_addr;

            if (!at->ifa_addr || at->ifa_addr->sa_family != kinds[f] || !(at->ifa_flags & IFF_UP) ||
                (at->ifa_flags & IFF_LOOPBACK) || (kinds[f] == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)))
                continue;
            add_address(text, size, at->ifa_addr, port);
        }
    if (all)
        freeifaddrs(all);
    if (!text[0])
        add_address(text, size, (const struct sockaddr *)(const void *)&own, port);
}

static int make_key(char *key, size_t size)
{
    uint64_t random[2];

    if (dsn__syscall(SYS_getrandom, random, sizeof random, 0) != sizeof random)
        return 0;
    dsn__format(key, size, "%llx%llx", (unsigned long long)random[0], (unsigned long long)random[1]);
    return 1;
}

/* The caller's signals are blocked: the thread inherits that. */
static int start_service(const struct lbio_options *o, int ranks)
{
    const int peers = ranks < MOST_PEERS - SPARE ? ranks + SPARE : MOST_PEERS;
    union lbio_address a = { .v4 = { .sin_family = AF_INET } };
    pthread_t thread;
    int fd;

    if (!make_key(own.place.key, sizeof own.place.key))
        return 0;
    fd = lbio__socket_listen(&a);
    if (fd < 0 || !lbio__token_service_start(&own.service, fd, GUEST, peers, o->tokens.number,
                                             o->tokens.kind == LBIO_TOKENS_AUTO, own.place.key))
        return 0;
    own.is_running = 1;
    if (pthread_create(&thread, NULL, serve, NULL) != 0) {
        own.is_running = 0;
        lbio__token_service_close(&own.service);
        return 0;
    }
    pthread_detach(thread);
    add_addresses(own.place.text, sizeof own.place.text, ntohs(a.v4.sin_port));
    return 1;
}

/* ------------------------------------------------------------------ all ranks */

/* On a communicator of our own, so that ranks without this library are not harmed: only another MPI_Comm_idup could be
 * taken for ours. The others wait for them in vain. */
static int tell_all(const struct mpi *m)
{
    const int64_t deadline = dsn__now() + PATIENCE;

    if (m->idup(m->world, &own.comm, &own.request) != DSN_MPI_SUCCESS || !completes(m, deadline))
        return 0;
    if (m->ibcast(&own.place, (int)sizeof own.place, m->byte, 0, own.comm, &own.request) != DSN_MPI_SUCCESS ||
        !completes(m, deadline))
        return 0;
    m->free_comm(&own.comm);
    return 1;
}

static void agree(const struct mpi *m, const struct lbio_options *o)
{
    struct dsn_signals held;
    int rank = 0, size = 1;

    if (m->rank(m->world, &rank) != DSN_MPI_SUCCESS || m->size(m->world, &size) != DSN_MPI_SUCCESS || size < 2)
        return;
    own.place.is_rank = 1;
    if (rank == 0) {
        dsn__signals_hold_all(&held);
        if (!start_service(o, size))
            own.place.text[0] = '\0'; /* which the others must know, too */
        dsn__signals_release(&held);
    }
    if (tell_all(m))
        lbio__token_set_rank_server(&own.place);
}

void lbio__rank_server_start(const struct lbio_options *o, const void *mpi_function)
{
    static atomic_int has_started;
    const int error = errno;
    struct mpi m;

    if (o && lbio__options_want_rank_server(o) && !atomic_exchange(&has_started, 1) && find_mpi(&m, mpi_function))
        agree(&m, o);
    errno = error;
}

int lbio__rank_server_owns(int fd)
{
    int least, most;

    lbio__own_numbers(&least, &most);
    return own.is_running && fd >= least && fd <= most && lbio__token_service_owns(&own.service, fd);
}

void lbio__rank_server_forget(void)
{
    if (own.is_running)
        lbio__token_service_close(&own.service);
    own.is_running = 0;
}
