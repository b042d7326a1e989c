/* __assertfail: what assert() calls when its condition is false. Prints the line that CUDA prints for
 * every thread that failed, and ends the launch. */
#include "exec/intrinsic.h"

#include "exec/machine.h"
#include "exec/peek.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

static void string_argument(const IntrinsicCall *call, uint32_t argument, unsigned lane, char text[TEXT_SIZE])
{
    uint64_t address;
    memcpy(&address, intrinsic_argument(call, argument, lane), sizeof address);
    if (!peek_string(call->step->warp, lane, address, text, TEXT_SIZE))
        strcpy(text, "?");
}

static void print_failure(const IntrinsicCall *call, unsigned lane)
{
    const Warp *warp = call->step->warp;
    const Block *block = warp->block;
    const uint32_t *dimensions = block->launch->block;
    uint32_t thread = warp->index * warp->width + lane;
    char condition[TEXT_SIZE], file[TEXT_SIZE], function[TEXT_SIZE], line_text[4 * TEXT_SIZE];
    uint32_t line;
    string_argument(call, 0, lane, condition);
    string_argument(call, 1, lane, file);
    memcpy(&line, intrinsic_argument(call, 2, lane), sizeof line);
    string_argument(call, 3, lane, function);
    int length =
        snprintf(line_text, sizeof line_text,
                 "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
                 function, block->index[0], block->index[1], block->index[2], thread % dimensions[0],
                 thread / dimensions[0] % dimensions[1], thread / dimensions[0] / dimensions[1], condition);
    Machine *machine = block->launch->machine;
    /* CUDA prints them to stderr, and what printf() prints to stdout. */
    if (machine->assertion_output)
        machine->assertion_output(machine->assertion_context, line_text, (size_t)length);
    else if (machine->output)
        machine->output(machine->output_context, line_text, (size_t)length);
}

StepResult intrinsic_assertfail(IntrinsicCall *call)
{
    char condition[TEXT_SIZE], file[TEXT_SIZE];
    uint32_t line;
    for (Mask rest = call->step->mask; rest; rest &= rest - 1)
        print_failure(call, mask_first(rest));
    unsigned first = mask_first(call->step->mask);
    string_argument(call, 0, first, condition);
    string_argument(call, 1, first, file);
    memcpy(&line, intrinsic_argument(call, 2, first), sizeof line);
    return step_error(call->step, WB_ERROR_TRAP, first, "the assertion `%s` failed at %s:%u", condition, file,
                      line);
}
