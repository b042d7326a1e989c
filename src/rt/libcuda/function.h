/* Handles of functions and modules, and lists of launch attributes. */
#ifndef LIBCUDA_FUNCTION_H
#define LIBCUDA_FUNCTION_H

#include "rt/module.h"

RtError libcuda_function(void *handle, RtFunction **function);
RtError libcuda_module(void *handle, RtModule **module);
/* How a program gives a launch's arguments: pointers to each, or a list that names a buffer with all of
 * them. */
RtError libcuda_arguments(void **pointers, void **extra, WbLaunch *launch);

#endif
