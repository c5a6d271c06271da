/* tokend.c - lbio tokend: a token server as a process
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/tokend.h"

#include <errno.h>
#include <netdb.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "lbio/token-service.h"

#define MOST_PEERS  16384
#define OTHER_FILES 16 /* descriptors that are not connections */

static volatile sig_atomic_t ends;

static void end(int signal)
{
    (void)signal;
    ends = 1;
}

/* From here on these signals arrive only while the service waits: none is missed. */
static void await_signals(struct dsn_signal_set *mask)
{
    static const int signals[] = { SIGTERM, SIGINT };
    struct sigaction action = { .sa_handler = end };
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaddset(&set, signals[i]);
        sigaction(signals[i], &action, NULL);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    dsn__sys_sigmask(SIG_SETMASK, NULL, mask);
    sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Number of connections that there can be descriptors for. */
static int most_peers(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 256;
    limit.rlim_cur = limit.rlim_max < MOST_PEERS + OTHER_FILES ? limit.rlim_max : MOST_PEERS + OTHER_FILES;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur > 2 * OTHER_FILES ? (int)limit.rlim_cur - OTHER_FILES : OTHER_FILES;
}

static int listen_everywhere(union lbio_address *a)
{
    const in_port_t port = a->v4.sin_port;
    int fd;

    *a = (union lbio_address){ .v6 = { .sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = in6addr_any } };
    fd = lbio__socket_listen(a);
    if (fd >= 0 || errno == EADDRINUSE || errno == EACCES)
        return fd;
    *a = (union lbio_address){ .v4 = { .sin_family = AF_INET, .sin_port = port } }; /* no IPv6 here */
    return lbio__socket_listen(a);
}

static int listen_at(const struct lbio_tokend *t, union lbio_address *a, char *why, size_t size)
{
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    struct addrinfo *found;
    int fd = -1, error;

    a->v4.sin_port = htons((uint16_t)t->port);
    if (!t->bind) {
        fd = listen_everywhere(a);
    } else if ((error = getaddrinfo(t->bind, NULL, &wanted, &found)) != 0) {
        snprintf(why, size, "%s: %s; --bind needs a name or address of this node", t->bind, gai_strerror(error));
        return -1;
    } else {
        memset(a, 0, sizeof *a);
        memcpy(a, found->ai_addr, found->ai_addrlen < sizeof *a ? found->ai_addrlen : sizeof *a);
        freeaddrinfo(found);
        *(a->any.sa_family == AF_INET6 ? &a->v6.sin6_port : &a->v4.sin_port) = htons((uint16_t)t->port);
        fd = lbio__socket_listen(a);
    }
    if (fd < 0)
        snprintf(why, size, "%s:%d: %s; choose another with --bind ADDRESS or --port N", t->bind ? t->bind : "*",
                 t->port, strerror(errno));
    return fd;
}

static int print_place(const char *bind, const union lbio_address *a, FILE *to)
{
    struct utsname u;
    const char *host = bind;

    if (!host)
        host = uname(&u) == 0 ? u.nodename : "localhost";
    fprintf(to, strchr(host, ':') ? "[%s]:%d\n" : "%s:%d\n", host,
            ntohs(a->any.sa_family == AF_INET6 ? a->v6.sin6_port : a->v4.sin_port));
    return fflush(to) == 0 && !ferror(to);
}

int lbio__tokend(const struct lbio_tokend *t, FILE *to, char *why, size_t size)
{
    struct lbio_token_service service;
    struct dsn_signal_set mask;
    union lbio_address a;
    int fd;

    await_signals(&mask);
    memset(&a, 0, sizeof a);
    fd = listen_at(t, &a, why, size);
    if (fd < 0)
        return -1;
    if (!lbio__token_service_start(&service, fd, 0, most_peers(), t->tokens, t->is_auto, "")) {
        snprintf(why, size, "%s", strerror(ENOMEM));
        return -1;
    }
    if (!print_place(t->bind, &a, to)) {
        snprintf(why, size, "cannot print where it listens: %s", strerror(errno));
        return -1;
    }
    lbio__token_service_run(&service, &mask, &ends);
    lbio__token_service_close(&service);
    return 0;
}
