/* A GPU works on while the program does something else; the simulator works only inside calls. A program
 * that waits for its results without a call, for a flag in mapped memory or for a host function's signal,
 * would wait for ever. Where it can (it has such memory, or has put a host function into a stream), a
 * thread of our own runs what is in streams once no call has been made for a second, and says so, for what
 * is simulated then depends on when the host made its next call. WARPBEAM_PATIENCE has other milliseconds;
 * 0: never. */
#ifndef RT_PROGRESS_H
#define RT_PROGRESS_H

#include <stdbool.h>

/* How long; before anything is expected. */
void rt_progress_set_patience(long milliseconds);
/* From now on the program can see what happens on the GPU without a call. */
void rt_progress_is_visible(void);
/* The program waits for something else, or does not any more: nobody looks at what happens on the GPU. */
void rt_progress_hold(bool is_held);
/* Something was put into a stream. */
void rt_progress_expect(void);

#endif
