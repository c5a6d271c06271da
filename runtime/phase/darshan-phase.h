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

#if defined __clang__ && !defined __PIC__ && !defined __PIE__

/* There it is the linker that decides whether the library is there: link with -ldarshan-phase. */
void darshan_phase_begin(const char *name);
void darshan_phase_end(void);

#else

/* Of libdarshan; NULL without it. */
#ifdef __clang__
#define DARSHAN_PHASE_WEAK __attribute__((weak))
#else
#define DARSHAN_PHASE_WEAK                                                                                             \
    __attribute__((weak, noplt)) /* the linker does not decide for a program at a fixed address */
#endif
extern void darshan_library_phase_begin(const char *name) DARSHAN_PHASE_WEAK;
extern void darshan_library_phase_end(void) DARSHAN_PHASE_WEAK;
#undef DARSHAN_PHASE_WEAK

static __inline__ void darshan_phase_begin(const char *name)
{
    if (darshan_library_phase_begin)
        darshan_library_phase_begin(name);
}

/* Ends the phase that this thread has begun last. */
static __inline__ void darshan_phase_end(void)
{
    if (darshan_library_phase_end)
        darshan_library_phase_end();
}

#endif

#ifdef __cplusplus
}
#endif

#endif
