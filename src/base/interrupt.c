/* The time of the first signal is set by a compare-and-exchange, so of two handlers that run at once exactly
 * one is the first. All that is called here is safe within a signal handler. */
#include "base/interrupt.h"

#include <time.h>

/* Long for an echo, short for a person. */
enum { ECHO_NANOSECONDS = 300000000 };

_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "a handler may wait for no lock");

const int interrupt_signals[INTERRUPT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

bool interrupt_is_first(Interrupt *interrupt, int number)
{
    struct timespec clock;
    int64_t first = 0;
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const int64_t now = ((int64_t)clock.tv_sec * 1000000000 + clock.tv_nsec) | 1; /* never 0 */
    if (atomic_compare_exchange_strong(&interrupt->time, &first, now)) {
        interrupt->number = number;
        return true;
    }
    /* While its handler runs the signal is blocked, so the default action comes when the handler returns. */
    if (now - first >= ECHO_NANOSECONDS) {
        signal(number, SIG_DFL);
        raise(number);
    }
    return false;
}

bool interrupt_is_one(int number)
{
    for (int i = 0; i < INTERRUPT_SIGNALS; i++)
        if (interrupt_signals[i] == number)
            return true;
    return false;
}

void interrupt_catch(void (*handler)(int), struct sigaction old[INTERRUPT_SIGNALS])
{
    /* SA_RESTART: calls that wait, such as a read of a user's terminal, go on by themselves. */
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    for (int i = 0; i < INTERRUPT_SIGNALS; i++) {
        struct sigaction before;
        const bool is_known = sigaction(interrupt_signals[i], NULL, &before) == 0;
        /* SIG_IGN comes from nohup, and a handler from the program that runs with us: both stay. */
        if (is_known && before.sa_handler == SIG_DFL)
            sigaction(interrupt_signals[i], &action, NULL);
        if (is_known && old)
            old[i] = before;
    }
}
