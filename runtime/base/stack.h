/* stack.h - runs work on a stack that is large enough
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_STACK_H
#define DSN_BASE_STACK_H

/* Calls work(context), on another stack if need be. A process may exit or fork on a stack just large enough for its own
 * code: a signal handler's, a coroutine's, or a thread's of PTHREAD_STACK_MIN. Unless the current stack is clearly the
 * first thread's and has enough left, a new one is mapped; if there is no memory, the current stack is used. */
void dsn__with_stack(void (*work)(void *context), void *context);

#endif
