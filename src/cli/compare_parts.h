/* Parts of reports that can be compared: each a flat object from names to values. */
#ifndef CLI_COMPARE_PARTS_H
#define CLI_COMPARE_PARTS_H

#include <jansson.h>

#include "cli/command.h"
#include "base/vec.h"

/* A file that --stats wrote. Invariant: `report` has config and kernels. */
typedef struct Report {
    const char *path;
    json_t *report;
} Report;

/* `objects` has one for each report; null where the report lacks the part. The part owns them. */
typedef struct Part {
    char title[256];
    json_t **objects;
    bool is_config; /* values may be texts, and keep their order */
    bool is_told;   /* what differs in it stands above all parts */
} Part;

typedef VEC(Part) Parts;

/* False once the failure has been told. */
bool report_load(const char *path, Report *report);
/* The clock of its SMs, or of its system, in kHz. */
double report_clock(const Report *report);

/* All that can be compared. `each`: kernels one by one, not all of a name together. */
Parts parts_make(const Report *reports, size_t count, bool each);
void parts_free(Parts *parts, size_t count);

#endif
