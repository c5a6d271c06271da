/* cufile-stand-in.h - the part of cuFile's interface that tests use, as in cufile.h of CUDA 12
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUFILE_STAND_IN_H
#define CUFILE_STAND_IN_H

#include <stddef.h>
#include <sys/types.h>
#include <time.h>

typedef struct {
    int err, cu_err;
} CUfileError_t;

typedef struct {
    int type; /* 1: a descriptor */
    union {
        int fd;
        void *handle;
    } handle;
    const void *fs_ops;
} CUfileDescr_t;

typedef void *CUfileHandle_t, *CUfileBatchHandle_t, *CUstream;

typedef struct {
    int mode;
    union {
        struct {
            void *devPtr_base;
            off_t file_offset, devPtr_offset;
            size_t size;
        } batch;
    } u;
    CUfileHandle_t fh;
    int opcode; /* 0: read, 1: write */
    void *cookie;
} CUfileIOParams_t;

typedef struct {
    void *cookie;
    int status;
    size_t ret;
} CUfileIOEvents_t;

CUfileError_t cuFileHandleRegister(CUfileHandle_t *fh, CUfileDescr_t *descr);
void cuFileHandleDeregister(CUfileHandle_t fh);
CUfileError_t cuFileBufRegister(const void *base, size_t length, int flags);
CUfileError_t cuFileBufDeregister(const void *base);
ssize_t cuFileRead(CUfileHandle_t fh, void *base, size_t size, off_t file_offset, off_t buffer_offset);
ssize_t cuFileWrite(CUfileHandle_t fh, const void *base, size_t size, off_t file_offset, off_t buffer_offset);
CUfileError_t cuFileReadAsync(CUfileHandle_t fh, void *base, size_t *size, off_t *file_offset, off_t *buffer_offset,
                              ssize_t *bytes, CUstream stream);
CUfileError_t cuFileWriteAsync(CUfileHandle_t fh, void *base, size_t *size, off_t *file_offset, off_t *buffer_offset,
                               ssize_t *bytes, CUstream stream);
CUfileError_t cuFileBatchIOSetUp(CUfileBatchHandle_t *batch, unsigned nr);
CUfileError_t cuFileBatchIOSubmit(CUfileBatchHandle_t batch, unsigned nr, CUfileIOParams_t *params, unsigned flags);
CUfileError_t cuFileBatchIOGetStatus(CUfileBatchHandle_t batch, unsigned min_nr, unsigned *nr, CUfileIOEvents_t *events,
                                     struct timespec *timeout);
CUfileError_t cuFileBatchIOCancel(CUfileBatchHandle_t batch);
void cuFileBatchIODestroy(CUfileBatchHandle_t batch);

/* Of the stand-in alone: waits for what was queued on its one stream. */
void standin_synchronize(void);

#endif
