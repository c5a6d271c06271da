/* token-socket.h - sockets in a process that does not know them
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Applications close descriptors that they do not know, and get their numbers for files of their own. So a socket is
 * identified by its inode before each use. Nothing here blocks, raises SIGPIPE, or goes through wrapped functions. */
#ifndef LBIO_TOKEN_SOCKET_H
#define LBIO_TOKEN_SOCKET_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

struct lbio_socket {
    atomic_int fd; /* -1: none */
    uint64_t ino;
};

union lbio_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/* Size of the address in use. */
socklen_t lbio__address_size(const union lbio_address *a);

/* A socket that listens at the address (port 0: any free one, which is then filled in). A descriptor, or -1 and
 * errno. */
int lbio__socket_listen(union lbio_address *a);

/* A socket on the way to the address. A descriptor, or -1 and errno. */
int lbio__socket_connect(const union lbio_address *a);

/* The next connection of a socket that listens. A descriptor, or -1 and errno. */
int lbio__socket_accept(const struct lbio_socket *s);

/* Takes over a connection. `is_guest`: moves it out of the application's way. */
void lbio__socket_keep(struct lbio_socket *s, int fd, int is_guest);

int lbio__socket_is_own(const struct lbio_socket *s);

/* Number of bytes; 0: none now; -1: the connection is over. */
ssize_t lbio__socket_send(const struct lbio_socket *s, const void *bytes, size_t n);
ssize_t lbio__socket_receive(const struct lbio_socket *s, void *bytes, size_t n);

/* Waits at most `ns` until it is readable, or writable. Returns whether it is, or has failed. */
int lbio__socket_wait(const struct lbio_socket *s, short events, int64_t ns);

/* The error of a connection that has become writable; 0: established. */
int lbio__socket_error(const struct lbio_socket *s);

void lbio__socket_close(struct lbio_socket *s);

#endif
