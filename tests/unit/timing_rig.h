/* The timing of a PTX kernel's instructions, for tests: its body is parsed, linked and looked at, not run.
 *
 * The body finds registers %p, %h (16 bits), %r, %f, %rd, %d declared, a parameter `buffer`, a global `table`,
 * a `.const` one `constants` and 4 KiB of shared memory `space`. */
#ifndef TIMING_RIG_H
#define TIMING_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "exec/intrinsic.h"
#include "native/timing.h"

typedef struct TimingRig {
    Module *module;
    Program *program;
    ProgramTiming *timing;
} TimingRig;

static inline uint64_t rig_variable(void *context, uint32_t variable)
{
    (void)context;
    return 0x10000 + 0x1000 * (uint64_t)variable;
}

static inline uint64_t rig_function(void *context, uint32_t function)
{
    (void)context;
    return 0x100 + function;
}

static inline const Intrinsic *rig_intrinsic(void *context, const char *name)
{
    (void)context;
    return intrinsic_find(name);
}

/* Numbers that tell the kinds of work apart, whatever the configurations say. */
static inline GpuConfig rig_config(MachineCode code, unsigned capability)
{
    GpuConfig config;
    Error error = {0};
    if (config_load("h200", &config, &error) != WB_OK)
        fail_msg("%s", error.text);
    config.machine_code = code;
    config.compute_capability = capability;
    config.warp_width = 32;
    config.int_pipes = config.fp32_pipes = config.fp64_pipes = config.sfu_pipes = 4;
    config.int_lanes = config.int_multiply_lanes = config.fp64_lanes = 16;
    config.fp32_lanes = 32;
    config.sfu_lanes = 4;
    config.int_multiply_on_fp32 = true;
    config.int_latency = 5;
    config.int_multiply_latency = 6;
    config.int_divide_latency = 300;
    config.predicate_latency = 13;
    config.fp32_latency = 4;
    config.fp32_divide_latency = 100;
    config.fp64_latency = 8;
    config.fp64_divide_latency = 500;
    config.sfu_latency = 18;
    config.shuffle_latency = 24;
    config.branch_latency = 12;
    config.special_register_latency = 20;
    config.shared_latency = 23;
    return config;
}

static inline TimingRig rig_time(const char *body, const GpuConfig *config)
{
    static const char frame[] =
        ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 table[8];\n"
        ".const .u32 constants[8];\n"
        ".visible .entry k(.param .u64 buffer, .param .u32 n)\n{\n"
        ".reg .pred %%p<16>; .reg .b16 %%h<32>; .reg .b32 %%r<64>; .reg .f32 %%f<64>;\n"
        ".reg .b64 %%rd<64>; .reg .f64 %%d<32>; .shared .align 16 .b8 space[4096];\n%s\n}\n";
    char text[16384];
    assert_true((size_t)snprintf(text, sizeof text, frame, body) < sizeof text);
    TimingRig rig;
    Error error = {0};
    if (module_parse("test.ptx", text, strlen(text), &rig.module, &error) != WB_OK)
        fail_msg("%s", error.text);
    const LinkEnvironment environment = {.variable_address = rig_variable,
                                         .function_address = rig_function,
                                         .intrinsic = rig_intrinsic,
                                         .width = 32,
                                         .contracts = true};
    const uint32_t entry = module_find_function(rig.module, "k");
    if (program_link(rig.module, entry, &environment, &rig.program, &error) != WB_OK)
        fail_msg("%s", error.text);
    rig.timing = timing_create(rig.program, config);
    return rig;
}

static inline void rig_done(TimingRig *rig)
{
    timing_free(rig->timing);
    program_free(rig->program);
    module_free(rig->module);
}

/* The slot that the kernel's virtual register has, as the scoreboard numbers it. */
static inline uint16_t rig_register(const TimingRig *rig, const char *name)
{
    const ProgramFunction *kernel = &rig->program->functions[0];
    for (uint32_t i = 0; i < kernel->function->register_count; i++)
        if (!strcmp(kernel->function->registers[i].name, name)) {
            const bool is_predicate = type_bits(kernel->function->registers[i].type) == 1;
            return (uint16_t)(kernel->flow->slot[i] + (is_predicate ? FIRST_PREDICATE : 0));
        }
    fail_msg("there is no register %s", name);
    return 0;
}

#endif
