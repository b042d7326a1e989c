/* Names are compared as the user writes them: with their suite, or without. */
#include "sweep/named.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

/* Writes "six/nbody and correlation/nbody", the workloads that are named so by `name`; returns how many. */
static size_t list_meant(const char *name, WorkloadNaming naming, char *text, size_t size)
{
    Workload other;
    size_t count = 0, told = 0;
    for (size_t i = 0; workload_at(i, &other); i++)
        count += workload_naming(&other, name) == naming;
    *text = '\0';
    for (size_t i = 0; workload_at(i, &other); i++) {
        if (workload_naming(&other, name) != naming)
            continue;
        const size_t length = strlen(text);
        snprintf(text + length, size - length, "%s%s",
                 !told              ? ""
                 : told + 1 < count ? ", "
                                    : " and ",
                 other.name);
        told++;
    }
    return count;
}

/* A workload's name as the user writes names: with its suite, or without. */
static const char *as_written(const Workload *workload, const char *name)
{
    return strchr(name, '/') ? workload->name : strchr(workload->name, '/') + 1;
}

static void unknown_workload(const char *name, const char *nothing, Error *error)
{
    char hint[NEAREST_HINT_SIZE];
    Workload other, best;
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; workload_at(i, &other); i++) {
        const char *before = nearest.best;
        nearest_offer(&nearest, as_written(&other, name));
        if (nearest.best != before)
            best = other;
        nearest.best = as_written(&best, name); /* the name of `other` does not last */
    }
    if (nearest_name(&nearest))
        nearest.best = best.name;
    error_set(error, WB_ERROR_NOT_FOUND, "%s '%s'%s", nothing, name,
              nearest_hint(&nearest, hint, sizeof hint));
}

bool named_workload(const char *name, const char *nothing, Workload *workload, Error *error)
{
    char meant[1536];
    if (workload_find(name, workload))
        return true;
    if (list_meant(name, NAMED_WITHOUT_SUITE, meant, sizeof meant) > 1) {
        error_set(error, WB_ERROR_NOT_FOUND, "'%s' names several workloads; there are %s.", name, meant);
        return false;
    }
    const size_t count = *name ? list_meant(name, NAMED_BY_BEGINNING, meant, sizeof meant) : 0;
    if (count == 0)
        unknown_workload(name, nothing, error);
    else
        error_set(error, WB_ERROR_NOT_FOUND,
                  count == 1 ? "%s '%s'; did you mean %s?" : "%s '%s', but there are %s.", nothing, name,
                  meant);
    return false;
}

bool named_mode(const Workload *workload, const char *name, size_t *mode, Error *error)
{
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < workload->mode_count; i++) {
        nearest_offer(&nearest, workload->modes[i].name);
        if (strcmp(name, workload->modes[i].name) == 0) {
            *mode = i;
            return true;
        }
    }
    const char *refusal = workload_refusal(workload, name);
    if (refusal)
        error_set(error, WB_ERROR_NOT_FOUND, "%s has no mode '%s': %s.", workload->name, name, refusal);
    else
        error_set(error, WB_ERROR_NOT_FOUND, "%s has no mode '%s'%s", workload->name, name,
                  nearest_hint(&nearest, hint, sizeof hint));
    return false;
}

bool named_size(const Workload *workload, const char *name, InputSize *size, Error *error)
{
    char hint[NEAREST_HINT_SIZE];
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < INPUT_SIZES; i++) {
        if (!workload->sizes[i])
            continue;
        nearest_offer(&nearest, input_size_names[i]);
        if (strcmp(name, input_size_names[i]) == 0) {
            *size = (InputSize)i;
            return true;
        }
    }
    error_set(error, WB_ERROR_NOT_FOUND, "%s has no size '%s'%s", workload->name, name,
              nearest_hint(&nearest, hint, sizeof hint));
    return false;
}
