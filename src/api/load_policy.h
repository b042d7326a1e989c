/* Policies outside of the tree, several at once. */
#ifndef API_LOAD_POLICY_H
#define API_LOAD_POLICY_H

#include "base/error.h"

/* Loads all those of a list of paths, separated by line ends or semicolons; null: none. */
WbStatus load_policies(const char *paths, Error *error);

#endif
