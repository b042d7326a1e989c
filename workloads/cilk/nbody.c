/* n bodies that attract each other, by a tree: bodies are halved again and again along the longest side of the
 * box around them, so that far ones act as one. A task builds a part of the tree, or moves some bodies.
 *
 * The node of a part is found by its number: that of node i are 2i + 1 and 2i + 2. */
#include <math.h>
#include <stdbool.h>

enum { MOST = 16384, LEAF = 4, NODES = 2 * MOST, DEPTH = 32, MOVED = 4 };

typedef struct Vector {
    float x[3];
} Vector;

typedef struct Body {
    Vector at, speed;
    float mass;
} Body;

typedef struct Node {
    Vector low, high, center; /* the box around its bodies, and where their mass is */
    float mass;
    int first, count;
} Node;

static Body bodies[MOST], moved[MOST];
static Node nodes[NODES];

static unsigned scramble(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static float unit(unsigned x) { return (float)(scramble(x) >> 8) * (1.0f / 16777216.0f); }

static void make_bodies(int low, int high, int n)
{
    if (high - low > MOVED) {
        int middle = low + (high - low) / 2;
        cilk_spawn make_bodies(low, middle, n);
        cilk_spawn make_bodies(middle, high, n);
        return;
    }
    for (int i = low; i < high; i++) {
        for (int axis = 0; axis < 3; axis++) {
            bodies[i].at.x[axis] = unit((unsigned)(8 * i + axis));
            bodies[i].speed.x[axis] = unit((unsigned)(8 * i + axis + 3)) - 0.5f;
        }
        bodies[i].mass = (0.5f + unit((unsigned)(8 * i + 6))) / (float)n;
    }
}

/* Puts the bodies with the smallest coordinates before the middle, by Hoare's selection. */
static void halve(int first, int count, int axis)
{
    int low = first, high = first + count - 1, middle = first + count / 2;
    while (low < high) {
        float pivot = bodies[(low + high) / 2].at.x[axis];
        int i = low, j = high;
        while (i <= j) {
            while (bodies[i].at.x[axis] < pivot)
                i++;
            while (bodies[j].at.x[axis] > pivot)
                j--;
            if (i <= j) {
                Body swapped = bodies[i];
                bodies[i++] = bodies[j];
                bodies[j--] = swapped;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            break;
    }
}

static void add_body(Node *node, const Body *body)
{
    for (int axis = 0; axis < 3; axis++) {
        node->low.x[axis] = fminf(node->low.x[axis], body->at.x[axis]);
        node->high.x[axis] = fmaxf(node->high.x[axis], body->at.x[axis]);
        node->center.x[axis] += body->at.x[axis] * body->mass;
    }
    node->mass += body->mass;
}

static int longest_side(const Node *node)
{
    int longest = 0;
    for (int axis = 1; axis < 3; axis++)
        if (node->high.x[axis] - node->low.x[axis] > node->high.x[longest] - node->low.x[longest])
            longest = axis;
    return longest;
}

static void build(int number, int first, int count)
{
    Node node = {.low = bodies[first].at, .high = bodies[first].at, .first = first, .count = count};
    for (int i = first; i < first + count; i++)
        add_body(&node, &bodies[i]);
    for (int axis = 0; axis < 3; axis++)
        node.center.x[axis] /= node.mass;
    nodes[number] = node;
    if (count <= LEAF)
        return;
    halve(first, count, longest_side(&node));
    cilk_spawn build(2 * number + 1, first, count / 2);
    cilk_spawn build(2 * number + 2, first + count / 2, count - count / 2);
}

static float squared_distance(Vector a, Vector b)
{
    float sum = 0.001f; /* so that close bodies do not fly away */
    for (int axis = 0; axis < 3; axis++)
        sum += (a.x[axis] - b.x[axis]) * (a.x[axis] - b.x[axis]);
    return sum;
}

static void attract(Vector *force, Vector at, Vector center, float mass)
{
    float squared = squared_distance(at, center), scale = mass / (squared * sqrtf(squared));
    for (int axis = 0; axis < 3; axis++)
        force->x[axis] += (center.x[axis] - at.x[axis]) * scale;
}

/* Whether its bodies are so far away that they act as one. */
static bool is_far(const Node *node, Vector at)
{
    int axis = longest_side(node);
    float side = node->high.x[axis] - node->low.x[axis];
    return side * side < 0.25f * squared_distance(at, node->center);
}

static Vector force_at(int body)
{
    int waiting[DEPTH], count = 0;
    Vector force = {{0, 0, 0}}, at = bodies[body].at;
    waiting[count++] = 0;
    while (count) {
        int number = waiting[--count];
        const Node *node = &nodes[number];
        if (is_far(node, at)) {
            attract(&force, at, node->center, node->mass);
        } else if (node->count <= LEAF) {
            for (int i = node->first; i < node->first + node->count; i++)
                if (i != body)
                    attract(&force, at, bodies[i].at, bodies[i].mass);
        } else {
            waiting[count++] = 2 * number + 1;
            waiting[count++] = 2 * number + 2;
        }
    }
    return force;
}

static void move(int low, int high, float step)
{
    if (high - low > MOVED) {
        int middle = low + (high - low) / 2;
        cilk_spawn move(low, middle, step);
        cilk_spawn move(middle, high, step);
        return;
    }
    for (int i = low; i < high; i++) {
        Vector force = force_at(i);
        Body body = bodies[i];
        for (int axis = 0; axis < 3; axis++) {
            body.speed.x[axis] += force.x[axis] * step;
            body.at.x[axis] += body.speed.x[axis] * step;
        }
        moved[i] = body;
    }
}

static void keep(int low, int high)
{
    if (high - low > MOVED) {
        int middle = low + (high - low) / 2;
        cilk_spawn keep(low, middle);
        cilk_spawn keep(middle, high);
        return;
    }
    for (int i = low; i < high; i++)
        bodies[i] = moved[i];
}

static double energy(int low, int high)
{
    double sum = 0;
    if (high - low > MOVED) {
        int middle = low + (high - low) / 2;
        double left = cilk_spawn energy(low, middle);
        double right = cilk_spawn energy(middle, high);
        cilk_sync;
        return left + right;
    }
    for (int i = low; i < high; i++)
        for (int axis = 0; axis < 3; axis++)
            sum += 0.5 * bodies[i].mass * bodies[i].speed.x[axis] * bodies[i].speed.x[axis];
    return sum;
}

/* The energy of motion of n bodies after `steps` steps; n is MOST at most. */
double nbody(int n, int steps)
{
    cilk_spawn make_bodies(0, n, n);
    cilk_sync;
    for (int step = 0; step < steps; step++) {
        build(0, 0, n);
        cilk_spawn move(0, n, 0.001f);
        cilk_sync;
        cilk_spawn keep(0, n);
        cilk_sync;
    }
    double sum = cilk_spawn energy(0, n);
    cilk_sync;
    return sum;
}
