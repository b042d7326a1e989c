/* A translated program on a GPU. */
#ifndef CILK_RUN_H
#define CILK_RUN_H

#include "cilk/call.h"
#include "cilk/graph.h"
#include "warpbeam_flow.h"

typedef struct CilkRun {
    const char *name; /* of the PTX, for sentences */
    const char *ptx;
    const CilkGraph *graph;
    const CilkCall *call;
    uint32_t width;     /* elements of a channel; 0: the knob channel_width, or what fits */
    const char *policy; /* of the aggregator; null: the knob aggregator_policy */
} CilkRun;

/* Calls the function: its task is the first, at level 0. *result has no type if it returns nothing. A
 * failure's sentence is wb_error(). */
WbStatus cilk_run(WbGpu *gpu, const CilkRun *run, CilkValue *result);

#endif
