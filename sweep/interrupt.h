/*
 * interrupt: what signals ask of a sweep. The first SIGINT or SIGTERM asks to
 * end after the visit under way, the second at once. SIGHUP and SIGPIPE do not
 * end a sweep: its results go to a folder, not to the terminal; nor does
 * SIGXFSZ, a write past the limit on file sizes is an error like others.
 */
#ifndef SWEEP_INTERRUPT_H
#define SWEEP_INTERRUPT_H

#include <signal.h>

/* How often it was asked: 0, 1, 2 and more. */
extern volatile sig_atomic_t interrupt_count;

/* Catch the signals from here on. */
void interrupt_install(void);

/* "SIGINT" or "SIGTERM", the first one caught; "" before any. */
const char *interrupt_name(void);

/* 130 or 143 by the first signal caught, 0 before any. */
int interrupt_exit_status(void);

#endif
