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

#include "base/environment.h"
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

/* Within this node, or (`is_any`) at all addresses of it. */
static int is_loopback(const union lbio_address *a, int *is_any)
{
    const uint8_t *v6 = a->v6.sin6_addr.s6_addr;
    const uint32_t v4 = a->any.sa_family == AF_INET ? ntohl(a->v4.sin_addr.s_addr) : 0;

    if (a->any.sa_family == AF_INET) {
        *is_any = v4 == INADDR_ANY;
        return v4 >> 24 == 127;
    }
    *is_any = IN6_IS_ADDR_UNSPECIFIED(&a->v6.sin6_addr);
    return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr) || (IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr) && v6[12] == 127);
}

/* Whoever can connect can take tokens: beyond this node only who knows the secret. */
static int listen_at(const struct lbio_tokend *t, union lbio_address *a, char *why, size_t size)
{
    const struct addrinfo wanted = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
    const char *bind = t->bind ? t->bind : "127.0.0.1", *secret = dsn__environment_get("LBIO_SECRET");
    struct addrinfo *found;
    int fd, is_any;
    const int error = getaddrinfo(bind, NULL, &wanted, &found);

    if (error != 0) {
        snprintf(why, size, "%s: %s; --bind needs a name or address of this node", bind, gai_strerror(error));
        return -1;
    }
    memset(a, 0, sizeof *a);
    memcpy(a, found->ai_addr, found->ai_addrlen < sizeof *a ? found->ai_addrlen : sizeof *a);
    freeaddrinfo(found);
    *(a->any.sa_family == AF_INET6 ? &a->v6.sin6_port : &a->v4.sin_port) = htons((uint16_t)t->port);
    if (!*lbio__token_secret() && ((secret && *secret) || !is_loopback(a, &is_any))) {
        snprintf(why, size,
                 "%s: beyond this node a secret is needed, and any has 16 to 32 characters without blanks, in "
                 "LBIO_SECRET here and where the programs run",
                 bind);
        return -1;
    }
    fd = lbio__socket_listen(a);
    if (fd < 0)
        snprintf(why, size, "%s:%d: %s; choose another with --bind ADDRESS or --port N", bind, t->port,
                 strerror(errno));
    return fd;
}

static int print_place(const char *bind, const union lbio_address *a, FILE *to)
{
    struct utsname u;
    const char *host = bind ? bind : "127.0.0.1";
    int is_any;

    if (!is_loopback(a, &is_any) && is_any && uname(&u) == 0)
        host = u.nodename;
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
    if (!lbio__token_service_start(&service, fd, 0, most_peers(), t->tokens, t->is_auto, lbio__token_secret())) {
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
