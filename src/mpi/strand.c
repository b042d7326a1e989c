/* Coroutines by ucontext. What a strand has of the rank's state, its time and its call, is exchanged when it
 * begins to run and when it stops. */
#include "mpi/strand.h"

#include <ucontext.h>

#include "base/vec.h"
#include "conduct/client.h"

enum { STACK_BYTES = 1 << 20 }; /* operators of the program run on it */

/* Invariant: in the list from its start until `body` has ended. */
typedef struct Running {
    uint32_t number;
    RankRequest *request;
    void (*body)(void *context);
    void *context;
    uint64_t now;
    ucontext_t inside, outside;
    uint8_t *stack;
    Answer answer; /* to its latest ask, with its tail */
    uint8_t *bytes;
} Running;

static VEC(Running *) strands;
static Running *current; /* null: none runs */
static uint32_t begun;

uint32_t strand_number(void) { return current ? current->number : 0; }

/* The whole of a strand. */
static void run_all(void)
{
    Running *strand = current;
    strand->body(strand->context);
    Ask ask = rank_ask(ASK_END);
    ask.id = strand->request->id;
    client_ask(&ask, NULL);
    strand->body = NULL;
    swapcontext(&strand->inside, &strand->outside);
}

static void drop(const Running *strand)
{
    uint32_t at = 0;
    while (strands.items[at] != strand)
        at++;
    strands.items[at] = strands.items[--strands.count];
}

/* Until it waits, or has ended. */
static void run(Running *strand)
{
    const uint64_t now = own.now;
    const char *call = own.call;
    own.now = strand->now;
    own.call = strand->request->call;
    current = strand;
    swapcontext(&strand->outside, &strand->inside);
    current = NULL;
    strand->now = own.now;
    own.now = now;
    own.call = call;
    if (strand->body)
        return;
    drop(strand);
    xfree(strand->stack);
    xfree(strand);
}

void strand_start(RankRequest *request, void (*body)(void *context), void *context)
{
    Running *strand = xcalloc(1, sizeof *strand);
    *strand = (Running){.number = ++begun,
                        .request = request,
                        .body = body,
                        .context = context,
                        .now = own.now,
                        .stack = xmalloc(STACK_BYTES)};
    VEC_PUSH(&strands, strand);
    request_begin_strand(request, strand->number);
    getcontext(&strand->inside);
    strand->inside.uc_stack.ss_sp = strand->stack;
    strand->inside.uc_stack.ss_size = STACK_BYTES;
    makecontext(&strand->inside, run_all, 0);
    run(strand);
}

uint8_t *strand_wait(Answer *answer)
{
    Running *strand = current;
    swapcontext(&strand->inside, &strand->outside);
    *answer = strand->answer;
    if (answer->time > own.now)
        own.now = answer->time;
    return strand->bytes;
}

void strand_go_on(const Answer *answer, uint8_t *bytes)
{
    for (uint32_t i = 0; i < strands.count; i++) {
        Running *strand = strands.items[i];
        if (strand->number != answer->strand)
            continue;
        strand->answer = *answer;
        strand->bytes = bytes;
        run(strand);
        return;
    }
    xfree(bytes);
}

void strand_wait_for_all(void)
{
    while (strands.count) {
        RankRequest *request = strands.items[0]->request;
        request_await(ASK_WAIT_ALL, &request, 1, false);
    }
}
