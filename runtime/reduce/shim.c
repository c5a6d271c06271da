/* shim.c - the calls to MPI; compiled once per MPI, against its mpi.h
 * SPDX-License-Identifier: BSD-3-Clause */

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mpi.h"

#define TAG   1
#define SIGN  2                 /* tag of a sign of life: a message without bytes */
#define CHUNK ((size_t)1 << 20) /* bytes per message */

#define NAMED 256 /* places */

#define PATIENCE INT64_C(1000000000) /* ns until the first check whether a peer is dead */

/* Lengths are stored here rather than on the stack: an abandoned transfer may still access them. */
struct shim {
    MPI_Comm comm;
    uint64_t sent_length, received_length;
    enum dsn_peer_life (*life)(int peer);
    int64_t patience; /* ns; 0: without limit */
    const int *peers; /* receive signs of life */
    int npeers;
    int64_t next_sign;
    struct {
        dsn_handle type; /* 0: none */
        int64_t size;
    } named[NAMED];   /* hash table of MPI's predefined types, whose sizes never change */
    char lost[CHUNK]; /* receives messages for which there is no memory: their sender must not block */
};

static struct shim shim = { .comm = MPI_COMM_NULL };

/* Converts a register-sized number to a handle: the types differ between MPIs, the bytes do not. */
static MPI_Comm comm_of(dsn_handle h)
{
    MPI_Comm c;

    memcpy(&c, &h, sizeof c);
    return c;
}

static MPI_Datatype type_of(dsn_handle h)
{
    MPI_Datatype t;

    memcpy(&t, &h, sizeof t);
    return t;
}

static MPI_Info info_of(dsn_handle h)
{
    MPI_Info i;

    memcpy(&i, &h, sizeof i);
    return i;
}

/* Whether the peer, MPI_ANY_SOURCE for any, has given a sign of life since the last question. */
static bool has_shown_life(int peer)
{
    int came = 0, flag = 0;

    while (PMPI_Iprobe(peer, SIGN, shim.comm, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag &&
           PMPI_Recv(NULL, 0, MPI_BYTE, peer, SIGN, shim.comm, MPI_STATUS_IGNORE) == MPI_SUCCESS)
        came = 1;
    return came;
}

/* To all whom this rank may keep waiting; nobody waits for these messages. */
static void show_life(int64_t now)
{
    MPI_Request request;

    if (now < shim.next_sign)
        return;
    shim.next_sign = now + shim.patience / 4;
    for (int i = 0; i < shim.npeers; i++)
        if (PMPI_Isend(NULL, 0, MPI_BYTE, shim.peers[i], SIGN, shim.comm, &request) == MPI_SUCCESS)
            PMPI_Request_free(&request);
}

static void detach(void)
{
    if (shim.comm != MPI_COMM_NULL)
        has_shown_life(MPI_ANY_SOURCE);
    if (shim.comm != MPI_COMM_NULL)
        PMPI_Comm_free(&shim.comm);
}

static int comm_size(dsn_handle h)
{
    int n = 1;

    return PMPI_Comm_size(comm_of(h), &n) == MPI_SUCCESS ? n : 1;
}

/* The significant bytes of a handle. */
static dsn_handle handle_of(MPI_Datatype t)
{
    dsn_handle h = 0;

    memcpy(&h, &t, sizeof t);
    return h;
}

static unsigned slot_of(dsn_handle h)
{
    return (unsigned)((uint64_t)h * UINT64_C(0x9E3779B97F4A7C15) >> 56) % NAMED;
}

static int64_t type_size(dsn_handle h)
{
    MPI_Datatype t = type_of(h);
    const dsn_handle own = handle_of(t);
    const unsigned slot = slot_of(own);
    MPI_Count n = 0;

    if (shim.named[slot].type == own && own != 0)
        return shim.named[slot].size;

    if (t == MPI_DATATYPE_NULL || PMPI_Type_size_x(t, &n) != MPI_SUCCESS || n == MPI_UNDEFINED)
        return 0;
    return (int64_t)n;
}

/* On a collision the first entry stays. */
static void know_types(void)
{
    const MPI_Datatype types[] = {
        MPI_BYTE,          MPI_CHAR,          MPI_DOUBLE,           MPI_INT,
        MPI_FLOAT,         MPI_LONG,          MPI_LONG_LONG_INT,    MPI_UNSIGNED,
        MPI_UNSIGNED_LONG, MPI_INT64_T,       MPI_UINT64_T,         MPI_INT32_T,
        MPI_UINT32_T,      MPI_INT8_T,        MPI_UINT8_T,          MPI_PACKED,
        MPI_SHORT,         MPI_UNSIGNED_CHAR, MPI_OFFSET,           MPI_AINT,
        MPI_DOUBLE_INT,    MPI_2INT,          MPI_INTEGER,          MPI_DOUBLE_PRECISION,
        MPI_REAL,          MPI_LOGICAL,       MPI_CHARACTER,        MPI_INTEGER8,
        MPI_REAL8,         MPI_COMPLEX,       MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX,
        MPI_C_BOOL,
    };

    for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++) {
        const dsn_handle h = handle_of(types[i]);
        const unsigned slot = slot_of(h);

        if (types[i] == MPI_DATATYPE_NULL || shim.named[slot].type != 0)
            continue;
        shim.named[slot].size = type_size(h);
        shim.named[slot].type = h;
    }
}

static int comm_rank(dsn_handle h)
{
    int rank = 0;

    return PMPI_Comm_rank(comm_of(h), &rank) == MPI_SUCCESS ? rank : 0;
}

static int comm_peers(dsn_handle h)
{
    const MPI_Comm c = comm_of(h);
    int is_inter = 0, n = 0;

    if (PMPI_Comm_test_inter(c, &is_inter) != MPI_SUCCESS)
        return 0;
    if ((is_inter ? PMPI_Comm_remote_size(c, &n) : PMPI_Comm_size(c, &n)) != MPI_SUCCESS)
        return 0;
    return n;
}

/* A peer to which nothing is sent need not have a type. */
static int64_t sizes(const void *counts, size_t each, const void *types, int n)
{
    const MPI_Datatype *type = types;
    const MPI_Count *large = counts;
    const int *small = counts;
    int64_t sum = 0;

    for (int i = 0; i < n; i++) {
        const int64_t count = each == sizeof *small ? small[i] : (int64_t)large[i];

        if (count > 0)
            sum += count * type_size(handle_of(type[i]));
    }
    return sum;
}

static void processor(char name[128])
{
    char text[MPI_MAX_PROCESSOR_NAME] = "";
    int len = 0;

    memset(name, 0, 128);
    if (PMPI_Get_processor_name(text, &len) == MPI_SUCCESS && len > 0)
        memcpy(name, text, len < 127 ? (size_t)len : 127);
}

static void barrier(dsn_handle h)
{
    PMPI_Barrier(comm_of(h));
}

static int info_given(dsn_handle h)
{
    return info_of(h) != MPI_INFO_NULL;
}

/* Files with sequential access only have no offsets; querying them would be an error, which may be fatal. */
static int64_t byte_of(dsn_handle h, int64_t offset)
{
    MPI_File f;
    MPI_Offset at = (MPI_Offset)offset, byte = -1;
    int mode = 0;

    memcpy(&f, &h, sizeof f);
    if (f == MPI_FILE_NULL || PMPI_File_get_amode(f, &mode) != MPI_SUCCESS || (mode & MPI_MODE_SEQUENTIAL))
        return -1;
    if (offset == DSN_AT_POSITION && PMPI_File_get_position(f, &at) != MPI_SUCCESS)
        return -1;
    if (at < 0 || PMPI_File_get_byte_offset(f, at, &byte) != MPI_SUCCESS)
        return -1;
    return byte < 0 ? -1 : (int64_t)byte;
}

static void watch(enum dsn_peer_life (*life)(int peer), int64_t patience, const int *peers, int n)
{
    shim.life = life;
    shim.patience = patience;
    shim.peers = peers;
    shim.npeers = n;
}

struct wait {
    int peer;
    int64_t deadline, ask_next, asked;
    int64_t silent; /* ns since the peer's last sign of life */
};

/* Asks whether the peer still lives. While all processes of the job are suspended, no time passes. */
static int ask_for_life(struct wait *w, int64_t now)
{
    const enum dsn_peer_life life = shim.life ? shim.life(w->peer) : DSN_PEER_UNKNOWN;
    const int64_t since = now - w->asked;

    w->asked = now;
    if (life == DSN_PEER_DEAD)
        return DSN_DEAD;
    if (w->deadline != 0 || shim.patience == 0)
        return 0;
    show_life(now);
    if (life == DSN_PEER_ALIVE || has_shown_life(w->peer))
        w->silent = 0;
    else
        w->silent += since < 2 * PATIENCE ? since : 2 * PATIENCE;
    return w->silent >= shim.patience ? DSN_DEAD : 0;
}

static int64_t clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One round of waiting: a few polls, then yielding the processor to ranks that are still computing, which may outnumber
 * processors; after a long wait it sleeps. Returns 0: keep waiting. */
static int wait_turn(struct wait *w, long turn)
{
    const struct timespec nap = { 0, 50000 };
    int64_t now;

    if (turn < 20)
        return 0;
    if (turn < 300)
        sched_yield();
    else
        nanosleep(&nap, NULL);
    if (turn % 16 != 0)
        return 0;
    now = clock_now();
    if (w->deadline != 0 && now >= w->deadline)
        return -1;
    if (w->ask_next != 0 && now < w->ask_next)
        return 0;
    if (w->ask_next == 0)
        w->asked = now;
    w->ask_next = now + PATIENCE;
    return w->asked == now ? 0 : ask_for_life(w, now);
}

/* A request that does not complete in time is abandoned: a collective cannot be cancelled. */
static int attach(int *rank, int *size, int64_t deadline)
{
    struct wait w = { .peer = -1, .deadline = deadline };
    MPI_Request request;
    int done = 0;

    if (PMPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS ||
        PMPI_Comm_idup(MPI_COMM_WORLD, &shim.comm, &request) != MPI_SUCCESS)
        return -1;
    for (long turn = 0; !done; turn++)
        if (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || (!done && wait_turn(&w, turn) != 0))
            return -1;
    PMPI_Comm_set_errhandler(shim.comm, MPI_ERRORS_RETURN);
    know_types();
    return 0;
}

/* A peer may have sent everything before it died. */
static bool completes_yet(MPI_Request *request)
{
    int done = 0;

    for (int i = 0; i < 100 && !done; i++)
        if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return false;
    return done;
}

/* A request that does not complete in time is cancelled as far as MPI can, and abandoned. */
static int finish_request(MPI_Request *request, int peer, int64_t deadline)
{
    struct wait w = { .peer = peer, .deadline = deadline };
    int done = 0, result;

    for (long turn = 0; !done; turn++) {
        if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -1;
        result = done ? 0 : wait_turn(&w, turn);
        if (result == DSN_DEAD && completes_yet(request))
            return 0;
        if (result != 0) {
            PMPI_Cancel(request);
            PMPI_Request_free(request);
            return result;
        }
    }
    return 0;
}

static int send_chunk(const void *data, size_t size, int peer, int64_t deadline)
{
    MPI_Request request;

    if (PMPI_Isend(data, (int)size, MPI_BYTE, peer, TAG, shim.comm, &request) != MPI_SUCCESS)
        return -1;
    return finish_request(&request, peer, deadline);
}

/* The length first, then the bytes in parts. */
static int send_all(const void *data, size_t size, int peer, int64_t deadline)
{
    const char *p = data;
    int result;

    shim.sent_length = size;
    result = send_chunk(&shim.sent_length, sizeof shim.sent_length, peer, deadline);
    for (size_t n; size > 0 && result == 0; p += n, size -= n) {
        n = size < CHUNK ? size : CHUNK;
        result = send_chunk(p, n, peer, deadline);
    }
    return result;
}

static int recv_chunk(void *data, size_t size, int peer, int64_t deadline)
{
    MPI_Request request;

    if (PMPI_Irecv(data, (int)size, MPI_BYTE, peer, TAG, shim.comm, &request) != MPI_SUCCESS)
        return -1;
    return finish_request(&request, peer, deadline);
}

static void take_what_comes(void)
{
    MPI_Status status;
    int is_there = 0;

    while (PMPI_Iprobe(MPI_ANY_SOURCE, TAG, shim.comm, &is_there, &status) == MPI_SUCCESS && is_there &&
           recv_chunk(shim.lost, CHUNK, status.MPI_SOURCE, clock_now() + PATIENCE) == 0)
        continue;
}

static int recv_all(void **data, size_t *size, int peer, int64_t deadline)
{
    uint64_t length;
    char *bytes;
    int result = recv_chunk(&shim.received_length, sizeof shim.received_length, peer, deadline);

    if (result != 0)
        return result;
    length = shim.received_length;
    bytes = realloc(*data, length > 0 ? length : 1);
    if (!bytes)
        free(*data);
    *data = bytes;
    *size = bytes ? length : 0;
    for (size_t at = 0, n; at < length && result == 0; at += n) {
        n = length - at < CHUNK ? length - at : CHUNK;
        /* on failure the buffer is kept: a late message may still arrive in it */
        result = recv_chunk(bytes ? bytes + at : shim.lost, n, peer, deadline);
    }
    return result;
}

__attribute__((visibility("default"))) const struct dsn_mpi dsn_mpi_shim = {
#ifdef OPEN_MPI
    .name = "Open MPI",
#else
    .name = "MPICH",
#endif
    .attach = attach,
    .take_what_comes = take_what_comes,
    .detach = detach,
    .comm_size = comm_size,
    .type_size = type_size,
    .info_given = info_given,
    .comm_rank = comm_rank,
    .comm_peers = comm_peers,
    .sizes = sizes,
    .processor = processor,
    .in_place = MPI_IN_PLACE,
    .proc_null = MPI_PROC_NULL,
    .barrier = barrier,
    .byte_of = byte_of,
    .watch = watch,
    .send = send_all,
    .recv = recv_all,
};
