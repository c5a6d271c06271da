/* uring-abi.h - what the runtime reads of io_uring, under the kernel's names
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In place of <linux/io_uring.h>, which many systems lack or have in an older form; programs meet newer kernels there,
 * too. It is the kernel's binary interface, which does not change. e2e/t0125-systems compares both. */
#ifndef DSN_BASE_URING_ABI_H
#define DSN_BASE_URING_ABI_H

#include <stdint.h>

struct io_uring_sqe {
    uint8_t opcode, flags;
    uint16_t ioprio;
    int32_t fd;
    uint64_t off, addr;
    uint32_t len;
    union {
        uint32_t fsync_flags, open_flags;
    };
    uint64_t user_data;
    uint16_t buf_index, personality;
    uint32_t file_index;
    uint64_t addr3, reserved;
};

struct io_uring_cqe {
    uint64_t user_data;
    int32_t res;
    uint32_t flags;
};

enum {
    IORING_OP_READV = 1,
    IORING_OP_WRITEV,
    IORING_OP_FSYNC,
    IORING_OP_READ_FIXED,
    IORING_OP_WRITE_FIXED,
    IORING_OP_OPENAT = 18,
    IORING_OP_CLOSE,
    IORING_OP_FILES_UPDATE,
    IORING_OP_READ = 22,
    IORING_OP_WRITE,
    IORING_OP_OPENAT2 = 28,
};

#define IOSQE_FIXED_FILE           (1U << 0)
#define IORING_FSYNC_DATASYNC      (1U << 0)
#define IORING_SETUP_SQE128        (1U << 10)
#define IORING_SETUP_CQE32         (1U << 11)
#define IORING_FEAT_EXT_ARG        (1U << 8)
#define IORING_REGISTER_FILES_SKIP (-2)
#define IORING_FILE_INDEX_ALLOC    (~0U)

#endif
