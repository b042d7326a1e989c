/* Names of kinds, types, methods and synchronizations, as command lines and reports have them. */
#include "warpbeam_rnn.h"

static const char *const kinds[WBRNN_KINDS] = {"tanh", "relu", "lstm", "gru", "grouped-lstm", "phased-lstm"};
static const char *const types[WBRNN_TYPES] = {"fp32", "fp16", "bf16"};
static const char *const methods[WBRNN_METHODS] = {"auto", "stream", "persistent", "wait-signal"};
static const char *const syncs[WBRNN_SYNCS] = {"auto", "arrays", "entry", "counter", "data", "hardware"};

const char *wbrnn_kind_name(WbRnnKind kind)
{
    return (unsigned)kind < WBRNN_KINDS ? kinds[kind] : "unknown";
}

const char *wbrnn_type_name(WbRnnType type)
{
    return (unsigned)type < WBRNN_TYPES ? types[type] : "unknown";
}

const char *wbrnn_method_name(WbRnnMethod method)
{
    return (unsigned)method < WBRNN_METHODS ? methods[method] : "unknown";
}

const char *wbrnn_sync_name(WbRnnSync sync)
{
    return (unsigned)sync < WBRNN_SYNCS ? syncs[sync] : "unknown";
}
