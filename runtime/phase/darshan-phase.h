/* darshan-phase.h - names the phases of a program
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     darshan_phase_begin("checkpoint");
 *     ... reads and writes ...
 *     darshan_phase_end();
 *
 * What the thread does in between counts in that phase; of phases that contain each other, in the innermost one. The
 * report of the log tells them apart. A name has at most 63 bytes, which are copied; a process has at most 64 names. Each
 * thread has its own phases. The functions do nothing, and need nothing at link time, where the program runs without
 * libdarshan.so, and never fail. */
#ifndef DARSHAN_PHASE_H
#define DARSHAN_PHASE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Of libdarshan; NULL without it. */
extern void darshan_library_phase_begin(const char *name) __attribute__((weak));
extern void darshan_library_phase_end(void) __attribute__((weak));

static inline void darshan_phase_begin(const char *name)
{
    if (darshan_library_phase_begin)
        darshan_library_phase_begin(name);
}

/* Ends the phase that this thread has begun last. */
static inline void darshan_phase_end(void)
{
    if (darshan_library_phase_end)
        darshan_library_phase_end();
}

#ifdef __cplusplus
}
#endif

#endif
