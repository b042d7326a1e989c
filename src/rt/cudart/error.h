/* The thread's last error. */
#ifndef CUDART_ERROR_H
#define CUDART_ERROR_H

#include "rt/rt.h"

extern _Thread_local RtError cudart_last_error;

#endif
