/* The PTX of all policies, which the build has made arrays of (cmake/Firmware.cmake). */
#include "core/firmware.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "firmware_texts.h"

#define NAMED(name) {#name, firmware_##name},
static const struct {
    const char *name, *text;
} firmware[] = {FIRMWARE_POLICIES(NAMED)};
enum { FIRMWARE_COUNT = sizeof firmware / sizeof *firmware, LINE_SIZE = 160 };

const char *firmware_find(const char *name)
{
    for (size_t i = 0; i < FIRMWARE_COUNT; i++)
        if (strcmp(firmware[i].name, name) == 0)
            return firmware[i].text;
    return NULL;
}

/* What the lines `// policy: ...` and `// source: ...` say, once somebody has asked. */
static char descriptions[FIRMWARE_COUNT][LINE_SIZE], sources[FIRMWARE_COUNT][LINE_SIZE];
static pthread_once_t is_described = PTHREAD_ONCE_INIT;

static void copy_line(const char *text, const char *label, char *to)
{
    const char *from = strstr(text, label);
    from = from ? from + strlen(label) : "";
    snprintf(to, LINE_SIZE, "%.*s", (int)strcspn(from, "\n"), from);
}

static void describe(void)
{
    for (size_t i = 0; i < FIRMWARE_COUNT; i++) {
        copy_line(firmware[i].text, "// policy: ", descriptions[i]);
        copy_line(firmware[i].text, "// source: ", sources[i]);
    }
}

static Policy policy_at(size_t index)
{
    pthread_once(&is_described, describe);
    if (index >= FIRMWARE_COUNT)
        return (Policy){0};
    return (Policy){
        .name = firmware[index].name, .description = descriptions[index], .source = sources[index]};
}

const PolicyKind firmware_policies = {.knob = "aggregator_policy",
                                      .question = "Which tasks does the aggregator dispatch next?",
                                      .at = policy_at};
