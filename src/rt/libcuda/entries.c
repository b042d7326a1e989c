/* The functions of this library by name; their types do not matter here. */
#include "rt/libcuda/entry.h"

#define RUNTIME(name, versions, state, note)
#define DRIVER(name, since, state, note) Function name;
#include "rt/calls.def"
#undef DRIVER

const Entry libcuda_entries[] = {
#define DRIVER(name, since, state, note) {#name, since, name},
#include "rt/calls.def"
};
const size_t libcuda_entry_count = sizeof libcuda_entries / sizeof *libcuda_entries;
