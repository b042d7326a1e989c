/* What makes communicators: MPI does it, when all members have met in simulated time. So no rank waits
 * inside of MPI for one that waits for the conductor. */
#include "mpi/communicator.h"

#include <stdio.h>

#include "base/alloc.h"

static int key = MPI_KEYVAL_INVALID;
static uint32_t made; /* contexts that this rank was the first member of */

void communicator_hold(Communicator *communicator) { communicator->holders++; }

void communicator_release(Communicator *communicator)
{
    if (--communicator->holders)
        return;
    xfree(communicator->members);
    xfree(communicator);
}

static int drop(MPI_Comm handle, int keyval, void *value, void *extra)
{
    (void)handle, (void)keyval, (void)extra;
    Communicator *communicator = value;
    communicator->handle = MPI_COMM_WORLD; /* where errors go from now on */
    communicator_release(communicator);
    return MPI_SUCCESS;
}

static void find_members(Communicator *communicator)
{
    MPI_Group group, world;
    const int size = communicator->size;
    int *ranks = xmalloc(2 * (size_t)size * sizeof *ranks);
    communicator->members = xmalloc((size_t)size * sizeof *communicator->members);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    PMPI_Comm_group(communicator->handle, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, size, ranks, world, ranks + size);
    for (int i = 0; i < size; i++)
        communicator->members[i] = (uint32_t)ranks[size + i];
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    xfree(ranks);
}

static Communicator *keep(MPI_Comm handle, uint64_t context)
{
    Communicator *communicator = xcalloc(1, sizeof *communicator);
    communicator->handle = handle;
    communicator->context = context;
    communicator_hold(communicator);
    PMPI_Comm_rank(handle, &communicator->rank);
    PMPI_Comm_size(handle, &communicator->size);
    find_members(communicator);
    PMPI_Comm_set_attr(handle, key, communicator);
    return communicator;
}

void communicator_open(void)
{
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &key, NULL);
    keep(MPI_COMM_WORLD, 2);
    keep(MPI_COMM_SELF, 4); /* nobody else sends to it */
}

Communicator *communicator_of(MPI_Comm handle)
{
    void *value = NULL;
    int is_there = 0;
    if (handle == MPI_COMM_NULL || key == MPI_KEYVAL_INVALID)
        return NULL;
    PMPI_Comm_get_attr(handle, key, &value, &is_there);
    return is_there ? value : NULL;
}

Communicator *communicator_get(MPI_Comm handle, int *error)
{
    Communicator *communicator = own.is_open ? communicator_of(handle) : NULL;
    if (communicator)
        return communicator;
    *error =
        !own.is_open ? rank_fail(MPI_COMM_NULL, MPI_ERR_OTHER,
                                 "MPI is not in use: MPI_Init comes before, MPI_Finalize last.")
        : handle == MPI_COMM_NULL
            ? rank_fail(handle, MPI_ERR_COMM, "the communicator is MPI_COMM_NULL.")
            : rank_fail(handle, MPI_ERR_COMM,
                        "the communicator was made by a call that is not covered, so its messages cannot be "
                        "simulated; docs/MPI.md has the list.");
    return NULL;
}

int communicator_rank_of(const Communicator *communicator, int32_t member)
{
    for (int i = 0; i < communicator->size; i++)
        if (communicator->members[i] == (uint32_t)member)
            return i;
    return MPI_PROC_NULL;
}

/* -- meetings -- */

unsigned communicator_steps(int size)
{
    unsigned steps = 0;
    while ((1 << steps) < size)
        steps++;
    return steps;
}

static void meet(uint64_t context, uint64_t id, int count, unsigned steps)
{
    Answer answer;
    Ask ask = rank_ask(ASK_MEET);
    const uint64_t step = network_latency(&own.network) + network_picoseconds(own.network.network_send_ns);
    ask.context = context;
    ask.id = id;
    ask.count = (uint32_t)count;
    ask.bytes = steps * step;
    xfree(rank_answer(&ask, NULL, &answer));
}

void communicator_meet(Communicator *communicator, unsigned steps)
{
    meet(communicator->context, communicator->meetings++, communicator->size, steps);
}

/* -- new ones -- */

/* The first member numbers it. */
static int made_new(int error, MPI_Comm handle)
{
    uint64_t context = ((uint64_t)own.rank + 1) << 33 | (uint64_t)++made << 1;
    if (error || handle == MPI_COMM_NULL)
        return error;
    PMPI_Bcast(&context, 1, MPI_UINT64_T, 0, handle);
    keep(handle, context);
    return MPI_SUCCESS;
}

/* A call on `old` that makes `*made_handle`; `call` is its name without MPI_. */
#define MAKES(call, old, made_handle, ...)                                                                   \
    do {                                                                                                     \
        int error = MPI_SUCCESS;                                                                             \
        rank_begin("MPI_" #call);                                                                            \
        Communicator *from = communicator_get(old, &error);                                                  \
        if (!from)                                                                                           \
            return rank_end(error);                                                                          \
        communicator_meet(from, communicator_steps(from->size));                                             \
        error = PMPI_##call(__VA_ARGS__);                                                                    \
        return rank_end(made_new(error, *(made_handle)));                                                    \
    } while (0)

int MPI_Comm_dup(MPI_Comm old, MPI_Comm *new) { MAKES(Comm_dup, old, new, old, new); }

int MPI_Comm_dup_with_info(MPI_Comm old, MPI_Info info, MPI_Comm *new)
{
    MAKES(Comm_dup_with_info, old, new, old, info, new);
}

int MPI_Comm_split(MPI_Comm old, int color, int order, MPI_Comm *new)
{
    MAKES(Comm_split, old, new, old, color, order, new);
}

int MPI_Comm_create(MPI_Comm old, MPI_Group group, MPI_Comm *new)
{
    MAKES(Comm_create, old, new, old, group, new);
}

int MPI_Cart_create(MPI_Comm old, int dimensions, const int sizes[], const int periods[], int reorder,
                    MPI_Comm *new)
{
    MAKES(Cart_create, old, new, old, dimensions, sizes, periods, reorder, new);
}

int MPI_Cart_sub(MPI_Comm old, const int kept[], MPI_Comm *new) { MAKES(Cart_sub, old, new, old, kept, new); }

int MPI_Graph_create(MPI_Comm old, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm *new)
{
    MAKES(Graph_create, old, new, old, nodes, index, edges, reorder, new);
}

int MPI_Dist_graph_create(MPI_Comm old, int count, const int sources[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder, MPI_Comm *new)
{
    MAKES(Dist_graph_create, old, new, old, count, sources, degrees, targets, weights, info, reorder, new);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm old, int in, const int sources[], const int source_weights[],
                                   int out, const int targets[], const int target_weights[], MPI_Info info,
                                   int reorder, MPI_Comm *new)
{
    MAKES(Dist_graph_create_adjacent, old, new, old, in, sources, source_weights, out, targets,
          target_weights, info, reorder, new);
}

/* Every rank is a node of its own: ranks share no memory. */
int MPI_Comm_split_type(MPI_Comm old, int type, int order, MPI_Info info, MPI_Comm *new)
{
    (void)info;
    int error = MPI_SUCCESS;
    rank_begin("MPI_Comm_split_type");
    Communicator *from = communicator_get(old, &error);
    if (!from)
        return rank_end(error);
    communicator_meet(from, communicator_steps(from->size));
    error = PMPI_Comm_split(old, type == MPI_UNDEFINED ? MPI_UNDEFINED : from->rank, order, new);
    return rank_end(made_new(error, *new));
}

int MPI_Get_processor_name(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node%u", own.rank);
    return MPI_SUCCESS;
}

/* Of the members of the group alone, who are told apart from others by the first of them and the tag. */
int MPI_Comm_create_group(MPI_Comm old, MPI_Group group, int tag, MPI_Comm *new)
{
    int error = MPI_SUCCESS, size = 0, rank = MPI_UNDEFINED, leader = 0, first = 0;
    rank_begin("MPI_Comm_create_group");
    Communicator *from = communicator_get(old, &error);
    if (!from)
        return rank_end(error);
    PMPI_Group_size(group, &size);
    PMPI_Group_rank(group, &rank);
    *new = MPI_COMM_NULL;
    if (rank == MPI_UNDEFINED)
        return rank_end(MPI_SUCCESS);
    MPI_Group all;
    PMPI_Comm_group(old, &all);
    PMPI_Group_translate_ranks(group, 1, &first, all, &leader);
    PMPI_Group_free(&all);
    meet(from->context + 1, (uint64_t)leader << 32 | (uint32_t)tag, size, communicator_steps(size));
    error = PMPI_Comm_create_group(old, group, tag, new);
    return rank_end(made_new(error, *new));
}
