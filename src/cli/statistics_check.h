/* Whether a JSON report has the types that this version writes (report/schema.def): what reads one may then
 * rely on them. Fields may be missing, as in reports of older versions, and others be there. */
#ifndef CLI_STATISTICS_CHECK_H
#define CLI_STATISTICS_CHECK_H

#include <jansson.h>

#include "base/error.h"

/* False: the error says which field of the file `name` is what it must not be. */
bool statistics_check(const json_t *report, const char *name, Error *error);

#endif
