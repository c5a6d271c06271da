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

#include "base/mpi-abi.h"
#include "base/next.h"
#include "base/signals.h"
#include "base/text.h"
#include "lbio/calls.h"
#include "lbio/token-service.h"
#include "lbio/token.h"

#define MOST_PEERS 4096
#define GUEST      1

/* MPICH's, and those of its derivatives. */
#define MPICH_COMM_WORLD 0x44000000
#define MPICH_BYTE       0x4c00010d

static struct lbio_token_service service;
static atomic_int is_running;

/* ------------------------------------------------------------------ MPI, by the library in use */

struct mpi {
    dsn_handle world, byte;
    int (*rank)(dsn_handle, int *), (*size)(dsn_handle, int *);
    int (*bcast)(void *, int, dsn_handle, int, dsn_handle);
    int (*version)(char *, int *);
};

static int is_mpich(const struct mpi *m)
{
    static const char *const names[] = { "MPICH", "MVAPICH", "Intel(R) MPI" };
    char text[8192] = ""; /* the standard's MPI_MAX_LIBRARY_VERSION_STRING is smaller */
    int n = 0;

    if (!m->version || m->version(text, &n) != DSN_MPI_SUCCESS)
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
    const void *world = variable("ompi_mpi_comm_world", function);
    const void *byte = variable("ompi_mpi_byte", function);

    *(void **)&m->rank = dsn__next_function("PMPI_Comm_rank", function);
    *(void **)&m->size = dsn__next_function("PMPI_Comm_size", function);
    *(void **)&m->bcast = dsn__next_function("PMPI_Bcast", function);
    *(void **)&m->version = dsn__next_function("PMPI_Get_library_version", function);
    if (!m->rank || !m->size || !m->bcast)
        return 0;
    m->world = world ? (dsn_handle)world : MPICH_COMM_WORLD;
    m->byte = byte ? (dsn_handle)byte : MPICH_BYTE;
    return world ? byte != NULL : is_mpich(m);
}

/* ------------------------------------------------------------------ rank 0 */

static void *serve(void *unused)
{
    static const volatile sig_atomic_t never;

    lbio__token_service_run(&service, NULL, &never);
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

    if (dsn__kernel(SYS_getrandom, random, sizeof random, 0) != sizeof random)
        return 0;
    dsn__format(key, size, "%llx%llx", (unsigned long long)random[0], (unsigned long long)random[1]);
    return 1;
}

/* The caller's signals are blocked: the thread inherits that. */
static int start_service(struct lbio_token_place *place, const struct lbio_options *o)
{
    union lbio_address a = { .v4 = { .sin_family = AF_INET } };
    pthread_t thread;
    int fd;

    if (!make_key(place->key, sizeof place->key))
        return 0;
    fd = lbio__socket_listen(&a);
    if (fd < 0 || !lbio__token_service_start(&service, fd, GUEST, MOST_PEERS, o->tokens.number,
                                             o->tokens.kind == LBIO_TOKENS_AUTO, place->key))
        return 0;
    is_running = 1;
    if (pthread_create(&thread, NULL, serve, NULL) != 0) {
        is_running = 0;
        lbio__token_service_close(&service);
        return 0;
    }
    pthread_detach(thread);
    add_addresses(place->text, sizeof place->text, ntohs(a.v4.sin_port));
    return 1;
}

/* ------------------------------------------------------------------ all ranks */

static void agree(const struct mpi *m, const struct lbio_options *o)
{
    struct lbio_token_place place = { .is_rank = 1 };
    struct dsn_signals held;
    int rank = 0, size = 1;

    if (m->rank(m->world, &rank) != DSN_MPI_SUCCESS || m->size(m->world, &size) != DSN_MPI_SUCCESS || size < 2)
        return;
    if (rank == 0) {
        dsn__signals_hold_all(&held);
        if (!start_service(&place, o))
            place.text[0] = '\0'; /* which the others must know, too */
        dsn__signals_release(&held);
    }
    if (m->bcast(&place, (int)sizeof place, m->byte, 0, m->world) == DSN_MPI_SUCCESS)
        lbio__token_set_rank_server(&place);
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
    return is_running && fd >= least && fd <= most && lbio__token_service_owns(&service, fd);
}

void lbio__rank_server_forget(void)
{
    if (is_running)
        lbio__token_service_close(&service);
    is_running = 0;
}
