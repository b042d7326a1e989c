/* Kernels of a module: finding them, linking them at first use, what they need of an SM. */
#include "api/gpu.h"

#include "base/map.h"
#include "base/nearest.h"
#include "base/plain_name.h"
#include "exec/barrier.h"
#include "exec/context.h"
#include "exec/intrinsic.h"

#include <stdio.h>
#include <string.h>

const char *kernel_symbol(const WbKernel *kernel)
{
    return kernel->module->module->functions[kernel->function].name;
}

const char *kernel_name(const WbKernel *kernel) { return kernel->full ? kernel->full : kernel->plain; }

/* Whether another kernel of the GPU has the name, too: they differ in their parameters. */
static bool shares_name(const WbKernel *kernel)
{
    const WbGpu *gpu = kernel->module->gpu;
    for (uint32_t m = 0; m < gpu->modules.count; m++)
        for (uint32_t k = 0; k < gpu->modules.items[m]->kernel_count; k++) {
            const WbKernel *other = &gpu->modules.items[m]->kernels[k];
            if (strcmp(other->plain, kernel->plain) == 0 &&
                strcmp(kernel_symbol(other), kernel_symbol(kernel)) != 0)
                return true;
        }
    return false;
}

static uint64_t variable_address(void *context, uint32_t variable)
{
    return ((const WbModule *)context)->addresses[variable];
}

static uint64_t function_address(void *context, uint32_t function)
{
    return module_function_address(context, function);
}

static const Intrinsic *find_intrinsic(void *context, const char *name)
{
    (void)context;
    return intrinsic_find(name);
}

void kernel_unlink(WbKernel *kernel)
{
    timing_free(kernel->timing);
    program_free(kernel->program);
    kernel->timing = NULL;
    kernel->program = NULL;
}

const ProgramTiming *kernel_timing(WbKernel *kernel)
{
    CycleMachine *machine = kernel->module->gpu->cycle;
    if (kernel->timing && kernel->timing_machine == machine->number)
        return kernel->timing;
    timing_free(kernel->timing);
    kernel->timing = timing_create(kernel->program, &machine->config);
    kernel->timing->number = machine->codes++;
    kernel->timing_machine = machine->number;
    return kernel->timing;
}

WbStatus kernel_link(WbKernel *kernel, Error *error)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    const bool is_native = config->machine_code == MACHINE_CODE_NATIVE;
    const uint32_t width = (uint32_t)config->warp_width;
    const uint32_t target = is_native ? (uint32_t)config->compute_capability : 0;
    if (kernel->program && kernel->program->width == width && kernel->program->target == target &&
        kernel->program->contracts == config->contract_multiply_add)
        return WB_OK;
    kernel_unlink(kernel); /* a knob has changed since */
    if (!kernel->full && shares_name(kernel))
        kernel->full = plain_name(kernel_symbol(kernel), true);
    const LinkEnvironment environment = {
        .name = kernel_name(kernel),
        .variable_address = variable_address,
        .function_address = function_address,
        .intrinsic = find_intrinsic,
        .context = kernel->module,
        .width = width,
        .target = target,
        .contracts = config->contract_multiply_add,
    };
    return program_link(kernel->module->module, kernel->function, &environment, &kernel->program, error);
}

/* Whether an assembler has given the kernel what it has on this GPU. */
static bool is_compiled(const WbKernel *kernel)
{
    return kernel->compiled.registers && !kernel->compiled.is_older &&
           kernel->module->gpu->config.register_counts != REGISTER_COUNTS_ESTIMATE;
}

/* Registers that it has at the least. */
static uint32_t least_registers(const WbKernel *kernel)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    const uint32_t least = kernel->compiled.is_older ? kernel->compiled.registers : 0;
    return config->register_counts != REGISTER_COUNTS_ESTIMATE &&
                   least <= config->registers_per_sm / config->max_threads_per_sm
               ? least
               : 0;
}

uint32_t kernel_registers(const WbKernel *kernel)
{
    if (kernel->registers)
        return kernel->registers;
    if (is_compiled(kernel))
        return kernel->compiled.registers;
    /* Beyond the GPU's limit a compiler would spill. */
    const uint64_t limit = kernel->module->gpu->config.max_registers_per_thread;
    const uint32_t least = least_registers(kernel);
    const uint32_t wanted = kernel->program->registers > least ? kernel->program->registers : least;
    return wanted < limit ? wanted : (uint32_t)limit;
}

static uint64_t product(const uint32_t dimensions[3])
{
    return (uint64_t)dimensions[0] * dimensions[1] * dimensions[2];
}

uint32_t kernel_max_threads(const WbKernel *kernel)
{
    const Function *function = &kernel->module->module->functions[kernel->function];
    uint64_t limit = kernel->module->gpu->config.max_threads_per_block;
    uint64_t declared = product(function->max_threads), required = product(function->required_threads);
    if (declared && declared < limit)
        limit = declared;
    if (required && required < limit)
        limit = required;
    return (uint32_t)limit;
}

Resources kernel_resources(const WbKernel *kernel, uint32_t threads, uint32_t shared_bytes)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    const BlockShape shape = {
        .threads = threads,
        .registers = kernel_registers(kernel),
        .shared_bytes = shared_bytes,
        .barriers = config->barriers_per_sm ? barrier_count(kernel->program) : 0,
    };
    return resources_of_block(config, &shape);
}

uint32_t kernel_blocks_per_sm(const WbKernel *kernel, uint32_t threads, uint32_t shared_bytes)
{
    const Resources sm = resources_of_sm(&kernel->module->gpu->config);
    const Resources block = kernel_resources(kernel, threads, shared_bytes);
    return (uint32_t)resources_fit(&sm, &block);
}

/* Whether the kernel asks for the workspace of a cooperative launch: it may call grid_group::sync(). */
static bool uses_grid_group(const Program *program)
{
    for (uint32_t pc = 0; pc < program->code_count; pc++) {
        const Insn *insn = &program->code[pc];
        for (unsigned i = 0; i < insn->begin[insn->operand_count]; i++)
            if (insn->op[i].kind == OPERAND_SPECIAL && insn->op[i].slot == SPECIAL_envreg1)
                return true;
    }
    return false;
}

/* Programs launch cooperatively what they are told here, times the SMs. Where blocks that wait may leave,
 * that is what the queue of those in memory holds besides. */
static uint32_t waiting_blocks(const WbKernel *kernel)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    const bool may_leave = config->grid_sync == GRID_SYNC_HARDWARE && uses_grid_group(kernel->program);
    return may_leave ? (uint32_t)(config->preempted_global / config->sm_count) : 0;
}

uint32_t kernel_occupancy(const WbKernel *kernel, uint32_t threads, uint64_t dynamic_shared_bytes)
{
    const Program *program = kernel->program;
    const uint64_t most = kernel->module->gpu->config.shared_bytes_per_block;
    if (threads > kernel_max_threads(kernel) || dynamic_shared_bytes > most)
        return 0;
    const uint64_t shared =
        dynamic_shared_bytes ? program->dynamic_shared_offset + dynamic_shared_bytes : program->shared_bytes;
    const uint32_t fit = shared <= most ? kernel_blocks_per_sm(kernel, threads, (uint32_t)shared) : 0;
    return fit ? fit + waiting_blocks(kernel) : 0;
}

/* Threads of the largest block, of whole warps unless it has all that it may have, that fits on an SM. */
static uint32_t fitting_threads(const WbKernel *kernel)
{
    const uint32_t warp = (uint32_t)kernel->module->gpu->config.warp_width;
    uint32_t threads = kernel_max_threads(kernel);
    while (threads && kernel_occupancy(kernel, threads, 0) == 0)
        threads = (threads - 1) / warp * warp;
    return threads;
}

WbKernelInfo kernel_info(const WbKernel *kernel)
{
    const Program *program = kernel->program;
    return (WbKernelInfo){
        .name = kernel_symbol(kernel),
        .plain_name = kernel_name(kernel),
        .registers = kernel_registers(kernel),
        .shared_bytes = program->shared_bytes,
        .local_bytes = is_compiled(kernel) ? kernel->compiled.local_bytes : program->local_bytes,
        .max_threads = kernel_max_threads(kernel),
        .fitting_threads = fitting_threads(kernel),
        .parameter_count = program->parameter_count,
        .parameter_bytes = program->parameter_bytes,
        .constant_bytes = kernel->module->constant_bytes,
        .target = kernel->module->module->target,
    };
}

size_t wb_module_kernel_count(const WbModule *module) { return module ? module->kernel_count : 0; }

WbKernel *wb_module_kernel_at(WbModule *module, size_t index)
{
    return module && index < module->kernel_count ? &module->kernels[index] : NULL;
}

static WbKernel *find_symbol(const WbModule *module, const char *name)
{
    for (uint32_t k = 0; k < module->kernel_count; k++)
        if (strcmp(kernel_symbol(&module->kernels[k]), name) == 0)
            return &module->kernels[k];
    return NULL;
}

/* "; it has a, b." */
static void list_kernels(const WbModule *module, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t k = 0; k < module->kernel_count && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%.100s", k ? ", " : "; it has ",
                                 module->kernels[k].plain);
    if (used < size)
        snprintf(text + used, size - used, ".");
}

/* "; did you mean a or b?" of kernels that `name` may stand for: those that it names, else the nearest. */
static void suggest(const WbModule *module, const char *name, char *hint, size_t size)
{
    enum { MOST = 4 };
    unsigned count = 0;
    size_t used = 0;
    Nearest nearest = nearest_to(name);
    for (uint32_t k = 0; k < module->kernel_count && count < MOST; k++) {
        const WbKernel *kernel = &module->kernels[k];
        nearest_offer(&nearest, kernel_symbol(kernel));
        nearest_offer(&nearest, kernel->plain);
        if (plain_name_is(name, kernel_symbol(kernel)) && used < size)
            used += (size_t)snprintf(hint + used, size - used, "%s%.100s",
                                     count++ ? " or " : "; did you mean ", kernel_symbol(kernel));
    }
    if (count && used < size)
        snprintf(hint + used, size - used, "?");
    else if (!count && (nearest_name(&nearest) || module->kernel_count > MOST || !module->kernel_count))
        nearest_hint(&nearest, hint, size);
    else if (!count)
        list_kernels(module, hint, size);
}

static WbStatus not_found(const WbModule *module, const char *name, bool are_several, Error *error)
{
    char hint[512];
    suggest(module, name, hint, sizeof hint);
    return error_set(error, WB_ERROR_NOT_FOUND, "%s has %s kernel '%.200s'%s", module->module->file_name,
                     are_several ? "more than one" : "no", name, hint);
}

static bool is_asked_well(const char *call, const char *name, WbKernel **kernel, Error *error)
{
    if (!name || !kernel)
        error_set(error, WB_ERROR_ARGUMENT, "%s needs a name and a place for the kernel; one was null.",
                  call);
    return name && kernel;
}

WbStatus wb_module_kernel(WbModule *module, const char *name, WbKernel **kernel)
{
    if (kernel)
        *kernel = NULL;
    if (!module)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(module->gpu);
    if (is_asked_well("wb_module_kernel", name, kernel, error) && !(*kernel = find_symbol(module, name)))
        not_found(module, name, false, error);
    return gpu_end(module->gpu, error->status);
}

WbStatus wb_module_kernel_plain(WbModule *module, const char *name, WbKernel **kernel)
{
    if (kernel)
        *kernel = NULL;
    if (!module)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(module->gpu);
    if (!is_asked_well("wb_module_kernel_plain", name, kernel, error))
        return gpu_end(module->gpu, error->status);
    const WbKernel *exact = find_symbol(module, name);
    unsigned count = 0;
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        WbKernel *one = &module->kernels[k];
        if (exact ? one == exact : plain_name_is(name, kernel_symbol(one)))
            *kernel = count++ ? NULL : one;
    }
    if (!*kernel)
        not_found(module, name, count > 1, error);
    return gpu_end(module->gpu, error->status);
}

WbStatus wb_kernel_info(WbKernel *kernel, WbKernelInfo *info)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    Error *error = gpu_begin(gpu);
    if (!info)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_kernel_info needs a place for its answer; it was null."));
    if (kernel_link(kernel, error))
        return gpu_end(gpu, error->status);
    *info = kernel_info(kernel);
    return WB_OK;
}

WbStatus wb_kernel_register_kinds(WbKernel *kernel, WbRegisterKinds *kinds)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    Error *error = gpu_begin(gpu);
    if (!kinds)
        return gpu_end(gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "wb_kernel_register_kinds needs a place for its answer; it was null."));
    if (kernel_link(kernel, error))
        return gpu_end(gpu, error->status);
    const RegisterKinds all = context_program_kinds(kernel->program);
    *kinds = (WbRegisterKinds){all.words, all.pairs, all.predicates};
    return WB_OK;
}

WbStatus wb_kernel_parameter(WbKernel *kernel, uint32_t index, size_t *offset, size_t *size)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    Error *error = gpu_begin(gpu);
    if (!offset || !size)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_kernel_parameter needs places for offset and size; one was null."));
    if (kernel_link(kernel, error))
        return gpu_end(gpu, error->status);
    if (index >= kernel->program->parameter_count)
        return gpu_end(gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "Kernel %s has %u parameters; there is no number %u (they count from 0).",
                                 kernel_name(kernel), kernel->program->parameter_count, index));
    *offset = kernel->program->parameters[index].offset;
    *size = kernel->program->parameters[index].bytes;
    return WB_OK;
}

WbStatus wb_kernel_occupancy(WbKernel *kernel, uint32_t threads, uint32_t shared_bytes, uint32_t *blocks)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    Error *error = gpu_begin(gpu);
    if (!blocks || !threads)
        return gpu_end(
            gpu, error_set(error, WB_ERROR_ARGUMENT,
                           "wb_kernel_occupancy needs at least one thread, and a place for its answer."));
    if (kernel_link(kernel, error))
        return gpu_end(gpu, error->status);
    *blocks = kernel_occupancy(kernel, threads, shared_bytes);
    return WB_OK;
}

WbStatus wb_kernel_allow_shared(WbKernel *kernel, uint32_t bytes)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    kernel->allowed_shared = bytes;
    return WB_OK;
}

WbStatus wb_module_compiled(WbModule *module, const WbCompiledKernel *kernels, size_t count)
{
    if (!module)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(module->gpu);
    if (!kernels && count)
        return gpu_end(module->gpu, error_set(error, WB_ERROR_ARGUMENT,
                                              "wb_module_compiled needs a list of kernels; it was null."));
    Map numbers = {0};
    for (size_t i = 0; i < count; i++)
        if (kernels[i].name && kernels[i].registers <= module->gpu->config.max_registers_per_thread)
            map_put(&numbers, kernels[i].name, strlen(kernels[i].name), (uint32_t)i);
    for (uint32_t k = 0; k < module->kernel_count; k++) {
        WbKernel *kernel = &module->kernels[k];
        uint32_t found;
        if (map_get(&numbers, kernel_symbol(kernel), strlen(kernel_symbol(kernel)), &found)) {
            kernel->compiled = kernels[found];
            kernel->compiled.name = NULL; /* the user's */
        }
    }
    map_free(&numbers);
    return WB_OK;
}

WbStatus wb_kernel_set_registers(WbKernel *kernel, uint32_t registers)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    Error *error = gpu_begin(gpu);
    uint64_t limit = gpu->config.max_registers_per_thread;
    if (registers > limit)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "Kernel %s was given %u registers per thread; %s has at most %u.",
                                      kernel_name(kernel), registers, gpu->config.name, (unsigned)limit));
    if (timeline_run(gpu, NULL, error)) /* launches that are queued were checked with the old ones */
        return gpu_end(gpu, error->status);
    kernel->registers = registers;
    return WB_OK;
}
