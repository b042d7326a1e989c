#include "base/interrupt.h"

/* Long for an echo, short for a person. */
#define ECHO_SECONDS 0.3

const int interrupt_signals[INTERRUPT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

bool interrupt_is_first(Interrupt *interrupt, int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!interrupt->number) {
        interrupt->time = now;
        interrupt->number = number;
        return true;
    }
    const double seconds = (double)(now.tv_sec - interrupt->time.tv_sec) +
                           1e-9 * (double)(now.tv_nsec - interrupt->time.tv_nsec);
    if (seconds >= ECHO_SECONDS) {
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
