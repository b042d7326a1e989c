/* What asks a process to come to its end: Ctrl-C, and SIGTERM and SIGHUP of batch systems and of terminals
 * that are closed. The first one is to be answered in good order; a second one ends the process at once.
 *
 * The same wish may come twice within an instant: timeout(1) and shells send a signal to a process and to its
 * group. Such an echo is not a second one. */
#ifndef BASE_INTERRUPT_H
#define BASE_INTERRUPT_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { INTERRUPT_SIGNALS = 3 };
extern const int interrupt_signals[INTERRUPT_SIGNALS];

/* What a process knows of them; it has one, for its handler, which may run in several threads at once and
 * within itself. Invariant: `time` is that of the first one, in nanoseconds, and never changes again; 0: none
 * has come. `number` is the first one's, set once by the handler that has set `time`. */
typedef struct Interrupt {
    _Atomic int64_t time;
    _Atomic int number;
} Interrupt;

/* In a handler of such a signal: true for the first one. A later one, but for an echo, has its default action
 * when the handler returns. */
bool interrupt_is_first(Interrupt *interrupt, int number);
/* Gives each of these signals the handler. Signals that the process was made to ignore, as nohup does, and
 * those that have a handler already stay as they are. `old`, unless null, gets what they had. */
void interrupt_catch(void (*handler)(int), struct sigaction old[INTERRUPT_SIGNALS]);
/* Whether the signal is one of them. */
bool interrupt_is_one(int number);

#endif
