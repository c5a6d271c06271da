/* cxx-stream.h - streams of C++ among those of C
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LBIO_CXX_STREAM_H
#define LBIO_CXX_STREAM_H

/* Whether libstdc++ is calling, for a file stream: it opens and closes it by fopen and fclose, but uses nothing else of
 * the FILE than its descriptor, with read, write, writev and lseek. Wrappers of Darshan may be in between. 0 if unknown,
 * such as if libstdc++ is linked statically. */
int lbio__is_cxx_stream(void);

#endif
