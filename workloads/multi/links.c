/* The host's part of what measures links. Where there is one GPU only, it is its own peer. */
#include <stdlib.h>
#include <string.h>

#include "multi/multi.h"

/* The other end. */
static uint32_t second(const Multi *multi) { return multi->count > 1 ? 1 : 0; }

static uint32_t steps_of(const Multi *multi, uint32_t tiny, uint32_t usual)
{
    return multi->run->steps ? multi->run->steps : multi->run->size == INPUT_TINY ? tiny : usual;
}

/* One end of the ping-pong, in a stream of its own: a GPU that is its own peer runs both side by side. */
static void launch_end(Multi *multi, bool is_first, const uint64_t words[2], uint32_t rounds,
                       WbStream **stream)
{
    const bool by_units = multi->run->mode == MULTI_HARDWARE;
    const uint32_t first = is_first, to = is_first ? second(multi) : 0;
    Host *host = &multi->parts[is_first ? 0 : second(multi)];
    WbKernel *kernel = NULL;
    const WbArgument arguments[] = {WB_ARG(words[!is_first]), by_units ? WB_ARG(to) : WB_ARG(words[is_first]),
                                    WB_ARG(rounds), WB_ARG(first)};
    const WbLaunch launch = {
        .grid = dim(1, 1, 1), .block = dim(1, 1, 1), .arguments = arguments, .argument_count = 4};
    if (host->status == WB_OK)
        host_keep(host, wb_stream_create(host->gpu, WB_STREAM_NON_BLOCKING, 0, stream));
    const char *name = by_units                             ? "pingpong_hardware"
                       : multi->run->mode == MULTI_NETWORK ? "pingpong_network"
                                                            : "pingpong";
    if (host->status == WB_OK)
        host_keep(host, wb_module_kernel(host->module, name, &kernel));
    if (host->status == WB_OK)
        host_keep(host, wb_stream_launch(*stream, kernel, &launch));
}

static void launch_both(Multi *multi, const uint64_t words[2], uint32_t rounds)
{
    WbStream *streams[2] = {NULL, NULL};
    launch_end(multi, false, words, rounds, &streams[1]);
    launch_end(multi, true, words, rounds, &streams[0]);
    for (uint32_t i = 0; i < multi->count; i++)
        if (multi->parts[i].status == WB_OK)
            host_keep(&multi->parts[i], wb_wait(multi->parts[i].gpu));
    for (int i = 0; i < 2; i++)
        if (streams[i])
            wb_stream_destroy(streams[i]);
}

/* words[i]: where GPU i puts its number. */
static void launch_rounds(Multi *multi, const uint64_t words[2], uint32_t rounds)
{
    const uint32_t yes = 1, no = 0, other = second(multi);
    multi_begin_time(multi);
    if (multi->run->mode != MULTI_HOST)
        launch_both(multi, words, rounds);
    for (uint32_t round = 0; multi->run->mode == MULTI_HOST && round < rounds; round++) {
        MULTI_LAUNCH(multi, 0, "pingpong_host", dim(1, 1, 1), dim(1, 1, 1), WB_ARG(words[0]),
                     WB_ARG(words[1]), WB_ARG(yes));
        multi_wait(multi);
        MULTI_LAUNCH(multi, other, "pingpong_host", dim(1, 1, 1), dim(1, 1, 1), WB_ARG(words[1]),
                     WB_ARG(words[0]), WB_ARG(no));
        multi_wait(multi);
    }
    multi_end_time(multi);
}

/* Flags lie with those who set them; with MULTI_PUSH and by the network with those who look. */
bool multi_pingpong_run(Multi *multi)
{
    const uint32_t rounds = steps_of(multi, 3, 16), other = second(multi);
    const bool pushes = multi->run->mode == MULTI_PUSH || multi->run->mode == MULTI_NETWORK;
    enum { BYTES = MULTI_LINE * sizeof(uint32_t) };
    uint64_t words[2];
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t with = (i == 0) != pushes ? 0 : other;
        words[i] = pushes ? multi_buffer(multi, with, NULL, BYTES) : multi_flags(multi, with, BYTES);
    }
    launch_rounds(multi, words, rounds);
    bool right = multi_is_fine(multi);
    for (uint32_t i = 0; right && i < 2; i++) {
        uint32_t word = 0;
        host_read(&multi->parts[0], &word, words[i], sizeof word);
        right = word == rounds && multi->parts[0].status == WB_OK;
    }
    return right;
}

/* A block of 256 threads for each SM, which has nothing to do but meet. */
bool multi_meet_run(Multi *multi)
{
    enum { BLOCK = 256 };
    const uint32_t turns = steps_of(multi, 3, 16);
    const bool by_host = multi->run->mode == MULTI_HOST;
    uint64_t groups[MULTI_GPUS] = {0}, counts[MULTI_GPUS], sms = 1;
    char kernel[32];
    multi_kernel(multi, "meet", kernel, sizeof kernel);
    for (uint32_t i = 0; i < multi->count; i++)
        counts[i] = multi_buffer(multi, i, NULL, sizeof(uint32_t));
    if (!by_host)
        multi_groups(multi, groups);
    multi_begin_time(multi);
    for (uint32_t turn = 0; turn < (by_host ? turns : 1); turn++) {
        for (uint32_t i = 0; i < multi->count; i++) {
            const WbArgument arguments[] = {WB_ARG(counts[i]), WB_ARG(turns), WB_ARG(groups[i])};
            wb_gpu_get(multi->parts[i].gpu, "sm_count", &sms);
            multi_launch(multi, i, kernel, dim((uint32_t)sms, 1, 1), dim(BLOCK, 1, 1), arguments,
                         by_host ? 1 : 3);
        }
        multi_wait(multi);
    }
    multi_end_time(multi);
    bool right = multi_is_fine(multi);
    for (uint32_t i = 0; right && i < multi->count; i++)
        right = host_equals(&multi->parts[i], counts[i], &turns, sizeof turns);
    return right;
}

/* Pointers, one in every 256 bytes, of the second GPU's memory or of the host's. After 32 hops that GPU's L2
 * holds them all, as it does the 2 MiB of nvbandwidth. */
bool multi_chase_run(Multi *multi)
{
    enum { STRIDE = 256, COUNT = 32, BYTES = COUNT * STRIDE };
    const uint32_t hops = steps_of(multi, 20, 256), other = second(multi);
    const uint64_t buffer = multi->run->flags == MULTI_FLAGS_HOST ? multi_flags(multi, other, BYTES)
                                                                  : multi_buffer(multi, other, NULL, BYTES);
    const uint64_t end = multi_buffer(multi, 0, NULL, sizeof end);
    uint64_t *words = host_array(&multi->parts[0], BYTES, 1), found = 0;
    if (!words)
        return false;
    for (size_t i = 0; i < COUNT; i++)
        words[i * (STRIDE / sizeof *words)] = buffer + (i + 1) % COUNT * STRIDE;
    host_write(&multi->parts[other], buffer, words, BYTES);
    free(words);
    multi_begin_time(multi);
    MULTI_LAUNCH(multi, 0, "chase", dim(1, 1, 1), dim(1, 1, 1), WB_ARG(buffer), WB_ARG(hops), WB_ARG(end));
    multi_end_time(multi);
    host_read(&multi->parts[0], &found, end, sizeof found);
    return multi_is_fine(multi) && found == buffer + (uint64_t)(hops % COUNT) * STRIDE;
}

/* One of the copies: `to` of GPU `gpu`, `from` of GPU `peer`. */
static void move(Multi *multi, uint32_t gpu, uint64_t to, uint32_t peer, uint64_t from, uint32_t bytes)
{
    const uint32_t blocks =
        multi->run->blocks ? multi->run->blocks : multi_resident(multi, "copy_words", 512);
    const uint32_t mover = multi->run->mode == MULTI_WRITE ? peer : gpu, count = bytes / 16;
    if (multi->run->mode != MULTI_COPY) {
        MULTI_LAUNCH(multi, mover, "copy_words", dim(blocks, 1, 1), dim(512, 1, 1), WB_ARG(to), WB_ARG(from),
                     WB_ARG(count));
        return;
    }
    const WbCopy copy = {
        .destination = {.address = to}, .source = {.address = from}, .width = bytes, .height = 1, .depth = 1};
    if (multi->parts[gpu].status == WB_OK)
        host_keep(&multi->parts[gpu], wb_stream_copy(multi->parts[gpu].gpu, NULL, &copy));
}

/* The first `movers` GPUs get what their right neighbours have, `steps` times. */
static bool run_copies(Multi *multi, uint32_t movers)
{
    static const uint32_t sizes[INPUT_SIZES] = {
        [INPUT_TINY] = 1 << 14, [INPUT_SMALL] = 4 << 20, [INPUT_FULL] = 64 << 20};
    const uint32_t wanted = multi->run->side ? multi->run->side : sizes[multi->run->size];
    const uint32_t bytes = (wanted + 15) / 16 * 16;
    uint64_t from[MULTI_GPUS] = {0}, to[MULTI_GPUS] = {0};
    uint32_t *words = host_array(&multi->parts[0], bytes, 1);
    for (uint32_t i = 0; words && i < multi->count; i++) {
        for (size_t j = 0; j < bytes / sizeof *words; j++)
            words[j] = (uint32_t)j * 8 + i;
        from[i] = multi_buffer(multi, i, words, bytes);
        to[i] = multi_buffer(multi, i, NULL, bytes);
    }
    multi_begin_time(multi);
    for (uint32_t i = 0; i < movers * steps_of(multi, 1, 1); i++) {
        const uint32_t gpu = i % movers, peer = (gpu + 1) % multi->count;
        move(multi, gpu, to[gpu], peer, from[peer], bytes);
    }
    for (uint32_t i = 0; multi->run->mode == MULTI_COPY && i < multi->count; i++)
        if (multi->parts[i].status == WB_OK)
            host_keep(&multi->parts[i], wb_wait(multi->parts[i].gpu));
    multi_end_time(multi);
    bool right = words && multi_is_fine(multi);
    for (uint32_t i = 0; right && i < movers; i++) {
        for (size_t j = 0; j < bytes / sizeof *words; j++)
            words[j] = (uint32_t)j * 8 + (i + 1) % multi->count;
        right = host_equals(&multi->parts[i], to[i], words, bytes);
    }
    free(words);
    return right;
}

bool multi_peer_run(Multi *multi) { return run_copies(multi, 1); }
bool multi_peer_all_run(Multi *multi) { return run_copies(multi, multi->count); }
