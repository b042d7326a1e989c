/* Policies outside of the tree, for commands that take knobs: those that the variable WARPBEAM_POLICY names,
 * then those of the options --policy. */
#ifndef CLI_POLICIES_H
#define CLI_POLICIES_H

#include <stdint.h>

#include "base/vec.h"

typedef VEC(const char *) PolicyPaths;

/* Takes the options out of the arguments. */
PolicyPaths policies_take(int *argument_count, char **arguments);
/* Loads all; returns EXIT_DONE, or EXIT_FAILED once the failure has been told. */
int policies_load(const PolicyPaths *paths);
/* Both of the above. */
int policies_take_and_load(int *argument_count, char **arguments);
/* A CUDA program that this process becomes loads them, too. */
void policies_pass_on(const PolicyPaths *paths);

#endif
