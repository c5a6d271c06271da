/* call-stack.h - which chain of calls led to a call: walking the stack, and saying in a text where that was
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For a thread's own stack, while a call that it made is noted: nothing allocates, or needs much stack. One thread at a
 * time. */
#ifndef DSN_MODULE_SHARED_CALL_STACK_H
#define DSN_MODULE_SHARED_CALL_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DSN_DEEPEST_FRAME 64
#define DSN_STACK_TEXT    1536 /* bytes of a text, with its NUL */

/* Return addresses, innermost first; `slot`: where on the stack each of them is, 0 if that is unknown. */
struct dsn_call_stack {
    unsigned n;
    uintptr_t address[DSN_DEEPEST_FRAME], slot[DSN_DEEPEST_FRAME];
};

/* When the library starts: finds what an interpreter of Python has. Returns false where stacks cannot be walked: on
 * other processors than x86-64 and AArch64, in static programs. */
bool dsn__call_stack_start(void);

/* In a forked child, where locks stay as they were: whether there were other threads then, and whether one of them was in one of
 * these functions. No stack is walked any more if that could take a lock that is not released again. */
void dsn__call_stack_child_begins(bool had_threads, bool was_in_use);

/* Walks the calling thread's stack from the caller of the function on that an address on the stack, `inner`, is in. */
void dsn__call_stack_walk(const void *inner, struct dsn_call_stack *s);

/* Writes where these calls are, as the part "stacks" has it (darshan-log-format/extension.h). `with_python`: with the lines of
 * Python that the thread is in, instead of the interpreter. */
void dsn__call_stack_text(const struct dsn_call_stack *s, bool with_python, char out[DSN_STACK_TEXT]);

/* The interpreter writes to this descriptor, which there never is: our write() hands it over here. Returns what write() does. */
#define DSN_PYTHON_FD (-0x70797468)
ssize_t dsn__call_stack_written(const void *bytes, size_t size);

/* Whether the calling thread runs Python, and the interpreter can say where. */
bool dsn__call_stack_is_python(void);

#endif
