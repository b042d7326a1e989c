/* What an empty or a wrong variable means is decided here for all of them. */
#include "rt/variable.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/knob.h"
#include "warpbeam.h"

const char *variable_text(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value && *value ? value : otherwise;
}

bool variable_switch(const char *name, bool *value)
{
    const char *text = variable_text(name, "0");
    if (knob_parse_boolean(text, value))
        return true;
    fprintf(stderr, "warpbeam: %s is 1, true, yes or on, or 0, false, no or off, not '%s'.\n", name, text);
    return false;
}

bool variable_number(const char *name, long otherwise, long most, long *value)
{
    const char *text = variable_text(name, NULL);
    char *end = NULL;
    errno = 0;
    *value = text && isdigit((unsigned char)*text) ? strtol(text, &end, 10) : otherwise;
    if (!text || (end && !*end && errno == 0 && *value <= most))
        return true;
    fprintf(stderr, "warpbeam: %s is a whole number from 0 to %ld, not '%s'.\n", name, most, text);
    return false;
}

bool variable_parts(const char *name, unsigned *parts)
{
    static const struct { const char *word; unsigned part; } known[] = {
        {"details", WB_REPORT_DETAILS}, {"blocks", WB_REPORT_BLOCKS}};
    const char *text = variable_text(name, NULL);
    *parts = 0;
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        unsigned part = 0;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (strlen(known[i].word) == length && strncmp(known[i].word, at, length) == 0)
                part = known[i].part;
        }
        if (!part) {
            fprintf(stderr, "warpbeam: %s is details, blocks or details,blocks, not '%s'.\n", name, text);
            return false;
        }
        *parts |= part;
        at += length;
    }
    return true;
}
