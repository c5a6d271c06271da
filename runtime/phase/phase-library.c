/* phase-library.c - libdarshan-phase.a: the functions of darshan-phase.h for languages that cannot include it
 * SPDX-License-Identifier: BSD-3-Clause */
extern void darshan_library_phase_begin(const char *name) __attribute__((weak));
extern void darshan_library_phase_end(void) __attribute__((weak));

void darshan_phase_begin(const char *name);
void darshan_phase_end(void);

void darshan_phase_begin(const char *name)
{
    if (darshan_library_phase_begin)
        darshan_library_phase_begin(name);
}

void darshan_phase_end(void)
{
    if (darshan_library_phase_end)
        darshan_library_phase_end();
}
