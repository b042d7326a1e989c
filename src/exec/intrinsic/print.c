/* vprintf: what the compilers make of printf in a kernel. Lanes print one after the other. */
#include "exec/intrinsic.h"

#include "exec/machine.h"
#include "exec/peek.h"
#include "exec/intrinsic/print_format.h"

#include <inttypes.h>
#include <string.h>

typedef struct Reader {
    const Warp *warp;
    unsigned lane;
} Reader;

static bool read_device(void *context, uint64_t address, void *to, size_t size)
{
    const Reader *reader = context;
    return peek(reader->warp, reader->lane, address, to, size);
}

static StepResult print_lane(IntrinsicCall *call, unsigned lane)
{
    Step *step = call->step;
    Machine *machine = step->warp->block->launch->machine;
    Reader reader = {step->warp, lane};
    Print print = {.read = read_device, .context = &reader};
    uint64_t format, arguments;
    memcpy(&format, intrinsic_argument(call, 0, lane), sizeof format);
    memcpy(&arguments, intrinsic_argument(call, 1, lane), sizeof arguments);
    int32_t count = print_format(&print, format, arguments);
    if (machine->output && print.text.count)
        machine->output(machine->output_context, print.text.items, print.text.count);
    print_free(&print);
    if (count == PRINT_UNREADABLE)
        return step_error(step, WB_ERROR_ADDRESS, lane,
                          "printf read 0x%" PRIx64 ", which the thread cannot read", print.bad_address);
    memcpy(call->results + (size_t)lane * call->result_stride, &count, sizeof count);
    return STEP_NEXT;
}

StepResult intrinsic_vprintf(IntrinsicCall *call) { return intrinsic_each_lane(call, print_lane); }
