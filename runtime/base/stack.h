/* stack.h - a stack for work that needs more of it than the application may have left
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DSN_BASE_STACK_H
#define DSN_BASE_STACK_H

/* Calls work(context): a process may end, or fork, on a stack that is just large enough for what it does itself, such
 * as that of a signal handler, a coroutine, or a thread that was given no more than PTHREAD_STACK_MIN. Where this is
 * not clearly the first thread's own stack, or too little of that is left, the work has another one, if there is
 * memory. */
void dsn__with_stack(void (*work)(void *context), void *context);

#endif
