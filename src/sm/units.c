/* Execution pipes: how many there are of each kind, who may use which, and when they are free.
 *
 * A pipe takes an instruction every `interval` cycles (native/timing.h). Before Maxwell all schedulers share
 * all pipes; since then each has its own, as far as there is one for each. Memory instructions go to the
 * load/store unit, whose queue alone says whether it takes another one. */
#include "sm/stages.h"

static uint32_t pipes_of(const GpuConfig *config, Pipe pipe)
{
    const uint64_t counts[PIPE_COUNT] = {
        [PIPE_INT] = config->int_pipes,       [PIPE_FP32] = config->fp32_pipes,
        [PIPE_FP64] = config->fp64_pipes,     [PIPE_SFU] = config->sfu_pipes,
        [PIPE_TENSOR] = config->tensor_pipes, [PIPE_CONTROL] = config->control_pipes,
    };
    return (uint32_t)counts[pipe];
}

void units_init(Sm *sm)
{
    for (uint32_t pipe = 0; pipe < PIPE_COUNT; pipe++) {
        const uint32_t count = pipes_of(sm->config, (Pipe)pipe);
        const bool own = !sm->config->shared_units && count && count % sm->scheduler_count == 0;
        sm->pipe_count[pipe] = (uint8_t)(own ? count / sm->scheduler_count : count);
        sm->pipe_stride[pipe] = own ? sm->pipe_count[pipe] : 0;
    }
}
