/* Loads policies from shared objects, and refuses what could not work as one inside of the tree does. */
#include "grid/policy_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "policy_version.h"
#include "sm/sched/registry.h"

static const PolicyServices services = {
#define SERVICE(result, name, parameters, arguments) .name = name,
#include "grid/services.def"
#undef SERVICE
};

static const PolicyObject *loaded_objects[MOST_LOADED_POLICIES];
static size_t loaded_count;

static bool was_loaded(const PolicyObject *object)
{
    for (size_t i = 0; i < loaded_count; i++)
        if (loaded_objects[i] == object)
            return true;
    return false;
}

/* -- the file -- */

/* The loader's own reason, without the path that it begins with. */
static const char *loader_reason(const char *path)
{
    const char *reason = dlerror();
    const size_t length = strlen(path);
    if (!reason)
        return "nobody knows why";
    return strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0 ? reason + length + 2
                                                                                        : reason;
}

/* An object of another version: nothing behind its first two fields is known. */
static void check_version(const PolicyObject *object, const char *path, Error *error)
{
    char layout[POLICY_LAYOUT_SIZE];
    memcpy(layout, object->layout, sizeof layout);
    layout[sizeof layout - 1] = '\0';
    if (object->interface != POLICY_INTERFACE || strcmp(layout, POLICY_LAYOUT) != 0)
        error_set(error, WB_ERROR_ARGUMENT,
                  "The policy %s was compiled for version %u-%s of the simulator, and this is %u-%s; compile "
                  "it anew with `warpbeam policy build`.",
                  path, object->interface, printable_is(layout, false) ? layout : "unknown", POLICY_INTERFACE,
                  POLICY_LAYOUT);
    else if (object->sizes != POLICY_SIZES)
        error_set(error, WB_ERROR_ARGUMENT,
                  "The policy %s was compiled with headers that have changed since this program was built; "
                  "build the program, and then compile the policy anew.",
                  path);
}

/* Null: an error stands. `whole` is the whole path, so that it is not looked for anywhere else. */
static void *open_file(const char *path, const char *whole, Error *error)
{
    dlerror();
    void *handle = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        error_set(
            error, WB_ERROR_ARGUMENT,
            "The policy %s cannot be loaded as a shared object: %s; `warpbeam policy build` makes one of "
            "a source.",
            path, loader_reason(whole));
    return handle;
}

/* Null: an error stands. */
static const PolicyObject *find_object(void *handle, const char *path, Error *error)
{
    const PolicyObject *object = dlsym(handle, POLICY_SYMBOL);
    if (!object)
        error_set(error, WB_ERROR_ARGUMENT,
                  "The shared object %s is no policy: it lacks the symbol " POLICY_SYMBOL
                  ", which `warpbeam policy build` puts into it.",
                  path);
    else
        check_version(object, path, error);
    return error->status == WB_OK ? object : NULL;
}

/* -- the policy -- */

/* One of the five, as an object holds it. */
typedef struct Found {
    const char *folder, *structure;
    const PolicyKind *kind;
    const Policy *about;
    const char *needed; /* the function that it must have */
    bool has_needed;
} Found;

static Found find_policy(const PolicyObject *object)
{
    const WarpScheduler *sched = object->sched;
    const BlockSource *source = object->source;
    const BlockAdmit *admit = object->admit;
    const BlockPlace *place = object->place;
    const GraphOrder *order = object->order;
    if (sched)
        return (Found){"sched", "WarpScheduler", &sched_policies, &sched->about, "pick", sched->pick};
    if (source)
        return (Found){"source", "BlockSource", &source_policies, &source->base.about, "next", source->next};
    if (admit)
        return (Found){"admit", "BlockAdmit", &admit_policies, &admit->base.about, "may", admit->may};
    if (place)
        return (Found){"place", "BlockPlace", &place_policies, &place->base.about, "choose", place->choose};
    if (order)
        return (Found){"order", "GraphOrder", &order_policies, &order->about, "next", order->next};
    return (Found){0};
}

static bool is_known(const PolicyKind *kind, const char *name)
{
    for (size_t i = 0; kind->at(i).name; i++)
        if (strcmp(kind->at(i).name, name) == 0)
            return true;
    return false;
}

static WbStatus check_policy(const PolicyObject *object, const Found *found, const char *path, Error *error)
{
    if (!found->about)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The policy %s has no constant named after its source %s.c: sched_%s, source_%s, "
                         "admit_%s, place_%s or order_%s.",
                         path, object->file, object->file, object->file, object->file, object->file,
                         object->file);
    const Policy *about = found->about;
    if (!about->name || !*about->name || !about->description || !about->source ||
        !printable_is(about->name, false))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The policy %s does not say what it is: .about needs a name, a description and a "
                         "source.",
                         path);
    if (!found->has_needed)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The policy '%s' of %s has no function %s, which every %s needs.", about->name, path,
                         found->needed, found->structure);
    if (object->admit && !object->admit->sampled != !object->admit->sample_interval)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The policy '%s' of %s has only one of the functions sample_interval and sampled, "
                         "which go together.",
                         about->name, path);
    if (is_known(found->kind, about->name))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The policy '%s' of %s has the name of one that %s knows already; give it another.",
                         about->name, path, found->kind->knob);
    return WB_OK;
}

/* Its knobs come last: until then nothing has changed. */
static WbStatus check_all(const PolicyObject *object, const Found *found, const char *path, Error *error)
{
    if (loaded_count == MOST_LOADED_POLICIES)
        return error_set(error, WB_ERROR_ARGUMENT, "The policy %s is one too many: %d can be loaded.", path,
                         MOST_LOADED_POLICIES);
    if (check_policy(object, found, path, error))
        return error->status;
    const size_t length = strlen(object->file);
    for (size_t i = 0; i < object->knob_count; i++)
        if (strncmp(object->knobs[i].name, object->file, length) || object->knobs[i].name[length] != '_')
            return error_set(error, WB_ERROR_ARGUMENT,
                             "The knob %s of the policy %s must begin with %s_, so that it says whose it is.",
                             object->knobs[i].name, path, object->file);
    return config_add_knobs(object->knobs, object->knob_count, path, error);
}

static void add(const PolicyObject *object)
{
    *object->services = &services;
    loaded_objects[loaded_count++] = object;
    if (object->sched)
        sched_add(object->sched);
    else if (object->source)
        source_add(object->source);
    else if (object->admit)
        admit_add(object->admit);
    else if (object->place)
        place_add(object->place);
    else
        order_add(object->order);
}

/* Null: an error stands, or it was loaded before. */
static const PolicyObject *load(void *handle, const char *path, Error *error)
{
    const PolicyObject *object = find_object(handle, path, error);
    if (!object || was_loaded(object))
        return NULL;
    const Found found = find_policy(object);
    if (check_all(object, &found, path, error))
        return NULL;
    add(object);
    return object;
}

bool policy_object_load(const char *path, LoadedPolicy *loaded, Error *error)
{
    char *whole = realpath(path, NULL);
    if (!whole) {
        error_set(error, WB_ERROR_NOT_FOUND, "There is no policy '%.200s' that could be read: %s.", path,
                  strerror(errno));
        return false;
    }
    void *handle = open_file(path, whole, error);
    free(whole);
    const PolicyObject *object = handle ? load(handle, path, error) : NULL;
    if (!object) {
        if (handle)
            dlclose(handle);
        return false;
    }
    const Found found = find_policy(object);
    *loaded = (LoadedPolicy){found.folder, object->file, *found.about};
    return true;
}

bool policy_object_is_loaded(const char *path)
{
    char *whole = realpath(path, NULL);
    void *handle = whole ? dlopen(whole, RTLD_NOW | RTLD_NOLOAD) : NULL;
    const bool is_loaded = handle && was_loaded(dlsym(handle, POLICY_SYMBOL));
    if (handle)
        dlclose(handle);
    free(whole);
    return is_loaded;
}
