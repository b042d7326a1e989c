/* The most that items of n kinds, each once, are worth in a knapsack, after the program of the MIT Cilk
 * distribution: a task tries a knapsack with an item and one without it. What could not be better than filling
 * by worth a weight is not tried. The last six items are one task's, which tries all their sets. */
enum { MOST = 40, LEFT = 6 };

typedef struct Item {
    int worth, weight;
} Item;

static Item items[MOST];
static int greedy; /* what filling by worth a weight is worth */

static void make_items(int n)
{
    unsigned state = 12345;
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        items[i].weight = 10 + (int)(state >> 24) % 90;
        items[i].worth = items[i].weight + 10 + (int)(state >> 16 & 255) % 20;
    }
    for (int next = 1; next < n; next++) { /* by worth a weight */
        Item item = items[next];
        int at = next - 1;
        for (; at >= 0 && items[at].worth * item.weight < item.worth * items[at].weight; at--)
            items[at + 1] = items[at];
        items[at + 1] = item;
    }
}

static int fill_greedily(int n, int room)
{
    int worth = 0;
    for (int i = 0; i < n; i++)
        if (items[i].weight <= room) {
            room -= items[i].weight;
            worth += items[i].worth;
        }
    return worth;
}

/* No less than any set of the items from `first` on is worth: the last one that fits may be cut. */
static int bound(int first, int n, int room)
{
    int worth = 0;
    for (int i = first; i < n && room > 0; i++) {
        int weight = items[i].weight;
        worth += weight <= room ? items[i].worth : items[i].worth * room / weight + 1;
        room -= weight;
    }
    return worth;
}

static int try_sets(int first, int n, int room)
{
    int best = 0;
    for (int set = 0; set < 1 << (n - first); set++) {
        int worth = 0, weight = 0;
        for (int i = first; i < n; i++)
            if (set >> (i - first) & 1) {
                worth += items[i].worth;
                weight += items[i].weight;
            }
        if (weight <= room && worth > best)
            best = worth;
    }
    return best;
}

static int search(int first, int n, int room, int worth)
{
    int with = 0, without;
    if (worth + bound(first, n, room) <= greedy)
        return 0;
    if (n - first <= LEFT)
        return worth + try_sets(first, n, room);
    if (items[first].weight <= room)
        with = cilk_spawn search(first + 1, n, room - items[first].weight, worth + items[first].worth);
    without = cilk_spawn search(first + 1, n, room, worth);
    cilk_sync;
    return with > without ? with : without;
}

/* n is MOST at most. */
int knapsack(int n)
{
    int room = n * 25;
    make_items(n);
    greedy = fill_greedily(n, room);
    int best = cilk_spawn search(0, n, room, 0);
    cilk_sync;
    return best > greedy ? best : greedy;
}
