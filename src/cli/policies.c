/* A program that is started finds them by whole paths in its environment (rt/settings.h). */
#include "cli/policies.h"

#include <stdlib.h>

#include "api/load_policy.h"
#include "base/file.h"
#include "cli/command.h"

static const char variable[] = "WARPBEAM_POLICY";

PolicyPaths policies_take(int *argument_count, char **arguments)
{
    PolicyPaths paths = {0};
    for (const char *path; (path = take_option(argument_count, arguments, "--policy"));)
        VEC_PUSH(&paths, path);
    return paths;
}

int policies_load(const PolicyPaths *paths)
{
    Error error = {0};
    char sentence[sizeof error.text];
    if (load_policies(getenv(variable), &error))
        return fail("%s", error.text);
    for (uint32_t i = 0; i < paths->count; i++)
        if (wb_load_policy(paths->items[i], sentence, sizeof sentence))
            return fail("%s", sentence);
    return EXIT_DONE;
}

int policies_take_and_load(int *argument_count, char **arguments)
{
    PolicyPaths paths = policies_take(argument_count, arguments);
    const int result = policies_load(&paths);
    VEC_FREE(&paths);
    return result;
}

void policies_pass_on(const PolicyPaths *paths)
{
    VEC(char) all = {0};
    const char *old = getenv(variable);
    for (const char *at = old ? old : ""; *at; at++)
        VEC_PUSH(&all, *at);
    for (uint32_t i = 0; i < paths->count; i++) {
        char *whole = file_whole_path(paths->items[i]);
        VEC_PUSH(&all, '\n');
        for (const char *at = whole; *at; at++)
            VEC_PUSH(&all, *at);
        xfree(whole);
    }
    VEC_PUSH(&all, '\0');
    setenv(variable, all.items, 1);
    VEC_FREE(&all);
}
