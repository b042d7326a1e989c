/* Policies that are loaded belong to no GPU: the lists of policies, knobs and counters are the library's. A
 * GPU that is open has laid out its statistics by them, so none may be. */
#include "api/load_policy.h"

#include <stdio.h>
#include <string.h>

#include "api/gpu.h"
#include "grid/policy_object.h"

static void load(const char *path, Error *error)
{
    LoadedPolicy loaded;
    if (gpus_open() && !policy_object_is_loaded(path))
        error_set(error, WB_ERROR_ARGUMENT,
                  "The policy %.200s cannot be loaded while a GPU is open: load policies first.", path);
    else if (policy_object_load(path, &loaded, error))
        component_add(&loaded);
}

WbStatus load_policies(const char *paths, Error *error)
{
    while (paths && *paths && error->status == WB_OK) {
        const size_t length = strcspn(paths, ";\n");
        char *path = xcopy_part(paths, length);
        if (length)
            load(path, error);
        xfree(path);
        paths += length + (paths[length] != '\0');
    }
    return error->status;
}

WbStatus wb_load_policy(const char *path, char *error, size_t error_size)
{
    Error reason = {0};
    if (path)
        load(path, &reason);
    else
        error_set(&reason, WB_ERROR_ARGUMENT,
                  "wb_load_policy needs the path of a shared object; it was null.");
    if (error && error_size)
        snprintf(error, error_size, "%s", reason.text);
    return reason.status;
}
