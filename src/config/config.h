/* The configuration of a GPU: the knobs of config.def, read from YAML files that may inherit from each
 * other. A file holds `key: value` pairs, one of which may be `inherits: other`. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>

#include "base/knob.h"

/* How launches run. */
typedef enum GridSyncKind { GRID_SYNC_MEMORY, GRID_SYNC_HARDWARE } GridSyncKind;
/* When blocks that wait for others give up their places; values of the knob swap_out_when. */
typedef enum SwapOutWhen {
    SWAP_OUT_WHEN_WANTED,
    SWAP_OUT_WHEN_SM_IDLE,
    SWAP_OUT_WHEN_GPU_IDLE
} SwapOutWhen;
typedef enum Mode { MODE_FUNCTIONAL, MODE_CYCLE } Mode;
typedef enum GraphL1 { GRAPH_L1_INVALIDATE, GRAPH_L1_BYPASS, GRAPH_L1_NONE } GraphL1;
/* What a store does to the L1's copy of its line. */
typedef enum WriteHit { WRITE_HIT_UPDATE, WRITE_HIT_INVALIDATE } WriteHit;
typedef enum WriteMiss { WRITE_MISS_PASS, WRITE_MISS_ALLOCATE } WriteMiss;
/* How L1s are kept coherent. */
typedef enum L1Coherence { L1_COHERENCE_NONE, L1_COHERENCE_OWNERSHIP } L1Coherence;
/* What is issued: PTX instructions, or what the GPU's assembler would make of them (native/native.h). */
typedef enum MachineCode { MACHINE_CODE_PTX, MACHINE_CODE_NATIVE } MachineCode;
/* Where the registers of a CUDA program's kernels come from. */
typedef enum RegisterCounts {
    REGISTER_COUNTS_COMPILED,
    REGISTER_COUNTS_ESTIMATE,
    REGISTER_COUNTS_ASSEMBLER
} RegisterCounts;

/* How blocks that leave their SM are saved: at a fixed rate, or through L2 and DRAM (sm/context.h). */
typedef enum ContextSwitch { CONTEXT_SWITCH_RATE, CONTEXT_SWITCH_MEMORY } ContextSwitch;
typedef enum ContextOrder { CONTEXT_ORDER_PRIORITIZED, CONTEXT_ORDER_INTERLEAVED } ContextOrder;
typedef enum ContextMemory { CONTEXT_MEMORY_STATIC, CONTEXT_MEMORY_DEMAND } ContextMemory;
typedef enum YieldRegisters { YIELD_REGISTERS_ALL, YIELD_REGISTERS_LIVE } YieldRegisters;

/* Words of a GpuConfig that hold the knobs of policies outside of the tree, and how many knobs these may have
 * (grid/policy_object.h). */
enum { LOADED_KNOB_WORDS = 512, MOST_LOADED_KNOBS = 128 };

/* Integers are 64 bits wide so that one kind of knob serves all of them. Divergence is the enum of
 * exec/warp.h, MemoryCheck of mem/space.h, NewerPtx of api/gpu.h. */
typedef struct GpuConfig {
#define KNOB_INTEGER(field, initial, minimum, maximum, unit, description) uint64_t field;
#define KNOB_POWER(field, initial, minimum, maximum, unit, description) uint64_t field;
#define KNOB_ENUMERATION(field, initial, choices, description) uint32_t field;
#define KNOB_BOOLEAN(field, initial, description) bool field;
#define KNOB_STRING(field, initial, description) char field[KNOB_STRING_SIZE];
#include "config/config.def"
    /* Each policy that is loaded has its knobs at a place of its own, which is chosen where it is compiled:
     * there they are fields like all others. */
    union {
        uint64_t loaded[LOADED_KNOB_WORDS];
#ifdef WARPBEAM_POLICY_DEF
        struct {
            uint64_t before_own[WARPBEAM_POLICY_PLACE];
#include "base/def_begin.h"
#include WARPBEAM_POLICY_DEF
#include "base/def_end.h"
        };
#endif
    };
#undef KNOB_INTEGER
#undef KNOB_POWER
#undef KNOB_ENUMERATION
#undef KNOB_BOOLEAN
#undef KNOB_STRING
} GpuConfig;

/* Changed by config_add_knobs() alone. */
extern KnobTable config_knobs;

/* Adds the knobs of a policy that has been loaded from that file, all or none: the sentence says which exists
 * already, or that another policy has its place. A configuration that was read before knows none of them. */
WbStatus config_add_knobs(const Knob *knobs, size_t count, const char *file, Error *error);

/* Whether it is the path of a file and no name: it has a slash or ends with .yaml. */
bool config_is_path(const char *name);
/* `name` is a configuration on the search path, or a path as above. On failure
 * the sentence names file, line and key, and where there is one the nearest known name. */
WbStatus config_load(const char *name, GpuConfig *config, Error *error);
/* Checks what no single knob's bounds can: that a block fits on an SM, and the like. */
WbStatus config_check(const GpuConfig *config, Error *error);
/* Checks what must hold before a machine can be built of it, but not between two changes of single knobs:
 * that caches consist of whole sets, and the like. config_load() does both. */
WbStatus config_check_machine(const GpuConfig *config, Error *error);

/* The search path, best first: WARPBEAM_CONFIGS (folders with colons between them), folders beside the
 * executable, the place of installation, the source tree. */
enum { CONFIG_PATH_SIZE = 4096 };

/* Finds NAME.yaml; `beside` is a file whose folder comes first, or null. */
bool config_find(const char *name, const char *beside, char path[CONFIG_PATH_SIZE]);
/* Calls visit once for every configuration on the search path, sorted by name; `beside` as above. */
void config_list(const char *beside, void (*visit)(void *context, const char *name, const char *path),
                 void *context);

#endif
