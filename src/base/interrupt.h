/* What asks a process to come to its end: Ctrl-C, and SIGTERM and SIGHUP of batch systems and of terminals
 * that are closed. The first one is to be answered in good order; a second one ends the process at once.
 *
 * The same wish may come twice within an instant: timeout(1) and shells send a signal to a process and to its
 * group. Such an echo is not a second one. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

enum { INTERRUPT_SIGNALS = 3 };
extern const int interrupt_signals[INTERRUPT_SIGNALS];

/* What a process knows of them; it has one, for its handler. Invariant: `time` is that of the first one, whose
 * number is `number`; 0: there was none. */
typedef struct Interrupt {
    volatile sig_atomic_t number;
    struct timespec time;
} Interrupt;

/* In a handler of such a signal: true for the first one. A later one, but for an echo, has its default action
 * when the handler returns. */
bool interrupt_is_first(Interrupt *interrupt, int number);
/* Whether the signal is one of them. */
bool interrupt_is_one(int number);

#endif
