/* Says in sentences what was decided: for people who want to know why a shape is as fast as it is. */
#include "plan_parts.h"

#include <stdarg.h>
#include <stdio.h>

enum { QUAD = 4 /* products of a lane that state_kept and input_kept count as one in single precision */ };

/* Text that grows as snprintf counts: `length` is what there would be with room enough. */
typedef struct Text {
    char *at;
    size_t size, length;
} Text;

static void say(Text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const bool room = text->length < text->size;
    const int more = vsnprintf(room ? text->at + text->length : NULL, room ? text->size - text->length : 0,
                               format, arguments);
    va_end(arguments);
    if (more > 0)
        text->length += (size_t)more;
}

static const char *plural(uint32_t count) { return count == 1 ? "" : "s"; }

static const char *place_name(RnnPlace place)
{
    return place == PLACE_REGISTERS ? "registers" : place == PLACE_SHARED ? "shared memory" : "global memory";
}

static void say_shape(Text *text, const WbRnnShape *shape, const RnnPlan *plan)
{
    say(text, "Kind %s, %u layer%s of %u units, input %u, batch %u, type %s", wbrnn_kind_name(shape->kind),
        shape->layers, plural(shape->layers), shape->hidden, shape->input, shape->batch,
        wbrnn_type_name(shape->type));
    if (shape->groups > 1)
        say(text, ", %u groups", shape->groups);
    say(text, ": method %s", wbrnn_method_name(plan->method));
    if (plan->method == WBRNN_WAIT_SIGNAL)
        say(text, ", blocks synchronized by %s", wbrnn_sync_name(plan->sync));
    say(text, ", kernel %s.\n", plan->kernel);
}

static void say_blocks(Text *text, const RnnPlan *plan)
{
    say(text, "A layer has %u block%s of %d threads", plan->layer_blocks, plural(plan->layer_blocks),
        JOB_THREADS);
    if (plan->split)
        say(text, ", half of them for S W and half for O U");
    if (plan->collectors)
        say(text, ", and one that collects flags");
    say(text, "; a block computes %u unit%s", plan->block_units, plural(plan->block_units));
    if (plan->warps_per_tile > 1)
        say(text, ", %u at a time by %u warps", plan->warp_units, plan->warps_per_tile);
    else
        say(text, ", a warp %u at a time", plan->warp_units);
    say(text, ". Sums of %u products (%u x %u) cover a group; the batch goes in %u tile%s of %u sequences.\n",
        plan->slice, plan->lanes, plan->depth, plan->batch_tiles, plural(plan->batch_tiles),
        plan->batch_tile);
}

static void say_flight(Text *text, const WbRnnShape *shape, const RnnPlan *plan)
{
    if (plan->method == WBRNN_STREAM) {
        say(text, "Each layer and step is a launch, on two streams a layer; nothing stays on chip between "
                  "them.\n");
        return;
    }
    if (plan->method == WBRNN_PERSISTENT) {
        say(text, "All %u blocks compute every layer, one after the other, with a barrier behind each cell; "
                  "%u of %u SMs have a block.\n", plan->layer_blocks, plan->layer_blocks, plan->sms);
        return;
    }
    const uint32_t blocks = plan->layers_in_flight * (plan->layer_blocks + plan->collectors);
    say(text, "%u of %u layer%s %s in flight at a time: %u blocks, %u at most on each of %u SMs; the network "
              "takes %u pass%s.\n", plan->layers_in_flight, shape->layers, plural(shape->layers),
        plan->layers_in_flight == 1 ? "is" : "are", blocks, plan->blocks_sm, plan->sms, plan->passes,
        plan->passes == 1 ? "" : "es");
}

static void say_kept(Text *text, const RnnPlan *plan, const char *name, RnnPlace place, uint32_t kept)
{
    const bool half = plan->batch_tile == JOB_HALF_BATCH;
    if ((plan->method == WBRNN_WAIT_SIGNAL || half) && place == PLACE_GLOBAL && kept)
        say(text, ", %u of %u columns of %s in shared memory all the same",
            kept * (half ? plan->warps_per_tile : QUAD) * plan->lanes,
            plan->slice, name);
}

static void say_places(Text *text, const RnnGpu *gpu, const RnnPlan *plan)
{
    const bool global = plan->state_place == PLACE_GLOBAL || plan->input_place == PLACE_GLOBAL;
    say(text, "Weights take %.2f MiB, %.2f MiB a layer: ", (double)plan->weight_bytes / 1048576,
        (double)plan->layer_bytes / 1048576);
    if (plan->state_place == PLACE_REGISTERS && plan->input_place == PLACE_SHARED &&
        plan->batch_tile == JOB_BATCH)
        say(text, "one half of W and of U lies in registers, the other in shared memory");
    else
        say(text, "W lies in %s, U in %s", place_name(plan->state_place), place_name(plan->input_place));
    say_kept(text, plan, "W", plan->state_place, plan->state_kept);
    say_kept(text, plan, "U", plan->input_place, plan->input_kept);
    if (global) {
        const size_t used = plan->method == WBRNN_WAIT_SIGNAL ? plan->layer_bytes * plan->layers_in_flight :
                                                                plan->weight_bytes;
        say(text, ", read in each step from %s", used <= gpu->l2_bytes ? "L2, where they fit" :
                                                                        "memory, for L2 is smaller");
    }
    say(text, "; c and h between steps lie in %s. A block has %u bytes of shared memory, a thread at most %u "
              "registers.\n", place_name(plan->cell_place), plan->shared_bytes, plan->registers);
}

size_t plan_explain(const WbRnnShape *shape, const RnnGpu *gpu, const RnnPlan *plan, char *text, size_t size)
{
    Text out = {.at = text, .size = size};
    say_shape(&out, shape, plan);
    say_blocks(&out, plan);
    say_flight(&out, shape, plan);
    say_places(&out, gpu, plan);
    if (plan->method == WBRNN_STREAM)
        say(&out, "The first layer's O U of all steps is computed before, as one product.\n");
    else if (plan->inputs_ahead)
        say(&out, "Each layer's O U is computed before the layer, as one product: U is read once and not in "
                  "each step.\n");
    else if (plan->input_ahead)
        say(&out, "The first layer's O U is computed before, as one product: its input is wider than %u.\n",
            plan->slice * (shape->groups ? shape->groups : 1));
    say(&out, "By the planner's model %s takes about %u cycles; a launch has at most %u steps.\n",
        plan->method == WBRNN_WAIT_SIGNAL ? "a step of all layers in flight" : "a step of a layer",
        plan->step_cycles, plan->chunk_steps);
    return out.length;
}
