/* Sentences about ranks that wait. */
#include "conduct/state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REQUESTS = 4 };

static void append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

/* "to rank 3 with tag 7" */
static void append_peer(char *text, size_t size, bool is_receive, int32_t peer, int32_t tag, uint32_t flags)
{
    if (flags & ASK_COLLECTIVE) {
        append(text, size, "for rank %d", peer);
        return;
    }
    if (peer == ANY_PEER)
        append(text, size, "from any rank");
    else
        append(text, size, "%s rank %d", is_receive ? "from" : "to", peer);
    if (tag == ANY_TAG)
        append(text, size, " with any tag");
    else
        append(text, size, " with tag %d", tag);
}

static void append_requests(const Rank *rank, const Asked *asked, char *text, size_t size);

/* A call that waits for others' requests names them: MPI_Wait for MPI_Irecv from rank 3. Of a collective call
 * that goes on beside the rank, what that waits for. */
static void append_request(const Rank *rank, const Request *request, const char *call, char *text,
                           size_t size)
{
    const Strand *strand = strand_find(rank, request->strand);
    if (strcmp(request->call, call) != 0)
        append(text, size, "for %s ", request->call);
    if (strand && strand->waiting)
        append_requests(rank, strand->waiting, text, size);
    else if (!request->strand)
        append_peer(text, size, request->is_receive, request->peer, request->tag, request->flags);
}

static void append_requests(const Rank *rank, const Asked *asked, char *text, size_t size)
{
    const uint64_t *ids = (const uint64_t *)(const void *)asked->tail;
    const uint32_t count = (uint32_t)(asked->ask.tail / sizeof *ids);
    uint32_t told = 0, left = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Request *request = match_request(rank, ids[i]);
        if (!request || request->is_done)
            continue;
        if (told == MOST_REQUESTS) {
            left++;
            continue;
        }
        append(text, size, "%s", told++ ? " and " : "");
        append_request(rank, request, asked->ask.call, text, size);
    }
    if (left)
        append(text, size, " and %u more", left);
}

void tell_rank(const Conductor *conductor, uint32_t number, char *text, size_t size)
{
    const Rank *rank = &conductor->ranks[number];
    *text = '\0';
    if (rank->state == RANK_IS_GONE) {
        append(text, size, "has ended");
        return;
    }
    if (!rank->waiting) {
        append(text, size, rank->call[0] ? "ran behind its call of %s" : "ran before its first message%s",
               rank->call);
        return;
    }
    const Ask *ask = &rank->waiting->ask;
    append(text, size, "waits in %s ", ask->call);
    if (ask->kind == ASK_MEET)
        append(text, size, "for other ranks");
    else if (ask->kind == ASK_PROBE)
        append_peer(text, size, true, ask->peer, ask->tag, ask->flags);
    else
        append_requests(rank, rank->waiting, text, size);
}

void tell_deadlock(const Conductor *conductor, char *text, size_t size)
{
    uint64_t latest = 0;
    for (uint32_t i = 0; i < conductor->rank_count; i++)
        if (conductor->ranks[i].time > latest)
            latest = conductor->ranks[i].time;
    snprintf(text, size, "The ranks wait for each other for ever, from %" PRIu64 " ns on",
             latest / PICOSECONDS_PER_NANOSECOND);
    for (uint32_t i = 0; i < conductor->rank_count; i++) {
        char rank[512];
        tell_rank(conductor, i, rank, sizeof rank);
        append(text, size, "%s rank %u %s", i ? ";" : ":", i, rank);
    }
    append(text, size, ".");
}
