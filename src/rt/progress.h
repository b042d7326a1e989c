/* A GPU works on while the program does something else; the simulator works only inside calls. A program that waits
 * for its results without a call, for a flag in mapped memory or for a host function's signal, would wait for
 * ever: a thread of our own runs what is in streams once no call has been made for a while. */
#ifndef RT_PROGRESS_H
#define RT_PROGRESS_H

/* Something was put into a stream. */
void rt_progress_expect(void);

#endif
