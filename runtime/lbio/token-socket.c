/* token-socket.c - sockets in a process that does not know them
 * SPDX-License-Identifier: BSD-3-Clause */
#include <config.h>

#include "lbio/token-socket.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <time.h>

#include "base/kernel.h"
#include "lbio/calls.h"

#define BACKLOG    1024
#define DEAD_AFTER 60 /* seconds without a sign of life of the other node, in steps of the next ones */
#define DEAD_STEP  15

socklen_t lbio__address_size(const union lbio_address *a)
{
    return a->any.sa_family == AF_INET6 ? sizeof a->v6 : sizeof a->v4;
}

static int new_socket(const union lbio_address *a)
{
    return (int)dsn__syscall(SYS_socket, a->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static void set_option(int fd, int level, int option, int value)
{
    dsn__syscall(SYS_setsockopt, fd, level, option, &value, (socklen_t)sizeof value);
}

static int close_failed(int fd)
{
    const int error = errno;

    dsn__sys_close(fd);
    errno = error;
    return -1;
}

int lbio__socket_listen(union lbio_address *a)
{
    const int fd = new_socket(a);
    socklen_t size = lbio__address_size(a);

    if (fd < 0)
        return -1;
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (a->any.sa_family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (dsn__syscall(SYS_bind, fd, a, size) != 0 || dsn__syscall(SYS_listen, fd, BACKLOG) != 0 ||
        dsn__syscall(SYS_getsockname, fd, a, &size) != 0)
        return close_failed(fd);
    return fd;
}

int lbio__socket_connect(const union lbio_address *a)
{
    const int fd = new_socket(a);

    if (fd < 0)
        return -1;
    if (dsn__syscall(SYS_connect, fd, a, lbio__address_size(a)) != 0 && errno != EINPROGRESS && errno != EINTR)
        return close_failed(fd);
    return fd;
}

int lbio__socket_accept(const struct lbio_socket *s)
{
    return (int)dsn__syscall(SYS_accept4, s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Of this family of messages one alone is on the way at a time: waiting for more to send with it makes no sense. */
void lbio__socket_keep(struct lbio_socket *s, int fd, int is_guest)
{
    struct stat st;

    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, DEAD_AFTER);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, DEAD_STEP);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, DEAD_AFTER / DEAD_STEP);
    if (is_guest)
        fd = lbio__out_of_the_way(fd);
    s->ino = dsn__sys_fstat(fd, &st) == 0 ? st.st_ino : 0;
    s->fd = fd;
}

int lbio__socket_is_own(const struct lbio_socket *s)
{
    struct stat st;

    return s->fd >= 0 && dsn__sys_fstat(s->fd, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == s->ino;
}

static ssize_t moved(ssize_t n)
{
    return n >= 0 ? n : errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : -1;
}

ssize_t lbio__socket_send(const struct lbio_socket *s, const void *bytes, size_t n)
{
    if (!lbio__socket_is_own(s))
        return -1;
    return moved(dsn__syscall(SYS_sendto, s->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0));
}

ssize_t lbio__socket_receive(const struct lbio_socket *s, void *bytes, size_t n)
{
    ssize_t got;

    if (!lbio__socket_is_own(s))
        return -1;
    got = dsn__syscall(SYS_recvfrom, s->fd, bytes, n, MSG_DONTWAIT, NULL, NULL);
    return got == 0 ? -1 : moved(got);
}

int lbio__socket_wait(const struct lbio_socket *s, short events, int64_t ns)
{
    struct pollfd one = { s->fd, events, 0 };
    struct timespec most = { ns / 1000000000, ns % 1000000000 };

    return dsn__syscall(SYS_ppoll, &one, 1, &most, NULL, sizeof(struct dsn_signal_set)) > 0;
}

int lbio__socket_error(const struct lbio_socket *s)
{
    int error = 0;
    socklen_t size = sizeof error;

    if (!lbio__socket_is_own(s))
        return EBADF;
    return dsn__syscall(SYS_getsockopt, s->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

void lbio__socket_close(struct lbio_socket *s)
{
    if (lbio__socket_is_own(s))
        dsn__sys_close(s->fd);
    s->fd = -1;
}
