/* The inside of RtModule, for the files that make modules and look things up in them. */
#ifndef RT_MODULE_STATE_H
#define RT_MODULE_STATE_H

#include "base/vec.h"
#include "rt/fatbin.h"
#include "rt/module.h"

/* What a device has of a module. Invariant: module is null until it has been read there, and for ever if
 * failure is set. */
typedef struct RtModuleHere {
    WbModule *module;
    RtError failure;                 /* why it cannot be read; told once */
} RtModuleHere;

/* Functions live as long as the process, since a graph may still name them: those of an unloaded module have
 * no module. Devices get what they use; managed variables are one for all of them. */
struct RtModule {
    int device;                      /* whose it is alone; -1: all devices' */
    const FatbinWrapper *wrapper;    /* of a registered module; null otherwise */
    unsigned number;                 /* among the registered ones, from 1 */
    RtModuleHere on[RT_DEVICES];
    VEC(RtFunction *) functions;
    VEC(struct RtReference *) references; /* that the program has asked for */
};

/* What the device that the call works on has of it. */
static inline RtModuleHere *module_here(RtModule *module) { return &module->on[rt_device()]; }

/* Gives managed variables of the module their addresses: where it has put them or, if it could not be read,
 * somewhere in the host's memory, so that the program goes on to the call that tells it so. */
RtError registered_settle(RtModule *module);
/* Forgets what was registered for the module. */
void registered_forget(const RtModule *module);
/* A new function of that name, whose kernel is looked for when it is needed. */
RtFunction *function_create(RtModule *module, const char *name);

#endif
