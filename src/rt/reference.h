/* Texture and surface references: .texref and .surfref variables of modules, and what programs bind to them.
 *
 * Programs change a reference call by call, and only all of them together make sense; so the variable gets
 * what the reference shows when a kernel of its module is next launched. What was launched before has then to
 * end first, if the variable showed something else. */
#ifndef RT_REFERENCE_H
#define RT_REFERENCE_H

#include "rt/module.h"
#include "rt/texture.h"

/* What CUtexref and CUsurfref point to; RT_HANDLE_REFERENCE while it is live. */
typedef struct RtReference {
    int device;
    RtModule *module;        /* null: made by itself, and no kernel's */
    char *name;
    uint64_t handle;         /* of the variable in the GPU */
    bool is_surface;
    bool is_bound;           /* to `source`, whose format is that of memory: arrays have their own */
    bool has_changed;        /* since the variable was told */
    bool is_shown;           /* the variable shows something */
    bool reads_integers;     /* not as numbers from 0 or -1 to 1 */
    RtTextureSource source;
    RtSampler sampler;       /* of a texture */
} RtReference;

/* The module's variable of that name; a second call answers the same reference. */
RtError rt_reference_find(RtModule *module, const char *name, bool is_surface, RtReference **reference);
/* One that no kernel uses. */
RtReference *rt_reference_create(void);
RtError rt_reference_destroy(RtReference *reference);
RtError rt_reference_get(void *handle, bool is_surface, RtReference **reference);
/* Shows an array with its format. */
RtError rt_reference_set_array(RtReference *reference, void *array);
/* Shows memory, in the format that was or will be set. *offset, which may be null where it is 0: how far
 * `address` lies behind the place that the texture begins at. */
RtError rt_reference_set_memory(RtReference *reference, uint64_t address, size_t bytes, size_t *offset);
/* Brings to the module's variables what has changed. A module that was unloaded, null, has none. */
RtError rt_references_settle(RtModule *module);
void references_free(RtModule *module);

#endif
