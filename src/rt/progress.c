/* A thread that sleeps until no call has come for a while, and then runs what is in streams. */
#include "rt/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "rt/rt.h"

/* Invariant: there is a thread exactly if is_started; it sleeps while nothing is expected. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;
static bool is_visible, is_expected, is_started;
static long patience_ms;
static _Atomic bool is_on_hold;

static void wait_for_work(void)
{
    pthread_mutex_lock(&mutex);
    while (!is_expected)
        pthread_cond_wait(&came, &mutex);
    is_expected = false;
    pthread_mutex_unlock(&mutex);
}

static void *watch(void *unused)
{
    (void)unused;
    const struct timespec patience = {patience_ms / 1000, patience_ms % 1000 * 1000000};
    for (bool is_told = false;; is_told = true) {
        uint64_t calls;
        wait_for_work();
        do {
            /* A call that comes while we sleep means that the program is not waiting: patience begins
             * anew. */
            calls = rt_call_count();
            nanosleep(&patience, NULL);
        } while (is_on_hold || !rt_enter_idle("work that the program does not wait for", calls));
        if (!is_told)
            fprintf(stderr,
                    "warpbeam: the program has made no CUDA call for %ld ms and may be waiting for what is "
                    "in its "
                    "streams: that runs now. Simulated times depend on the host from here on "
                    "(WARPBEAM_PATIENCE).\n",
                    patience_ms);
        for (int i = 0; i < rt_device_count(); i++)
            RT_ON(i, rt_sticky() == RT_SUCCESS ? rt_check(wb_wait(rt_gpu())) : RT_SUCCESS);
        rt_leave();
    }
    return NULL;
}

/* Signals are the program's and arrive in its own threads. */
static bool start(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread, NULL, watch, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    return started;
}

void rt_progress_set_patience(long milliseconds) { patience_ms = milliseconds; }

void rt_progress_hold(bool is_held) { is_on_hold = is_held; }

void rt_progress_is_visible(void) { is_visible = true; }

void rt_progress_expect(void)
{
    if (!is_visible || patience_ms == 0)
        return;
    pthread_mutex_lock(&mutex);
    is_expected = true;
    if (!is_started)
        is_started = start();
    pthread_cond_signal(&came);
    pthread_mutex_unlock(&mutex);
}
