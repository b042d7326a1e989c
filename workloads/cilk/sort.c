/* Sorts n numbers, after cilksort of the MIT Cilk distribution: quarters are sorted, then merged in pairs; a
 * merge cuts the longer part in half and the shorter one where the same value belongs. */
enum { MOST = 1 << 20, BASE = 64 };

static unsigned items[MOST], other[MOST];

static unsigned scramble(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static void fill(int low, int high)
{
    if (high - low <= BASE) {
        for (int i = low; i < high; i++)
            items[i] = scramble((unsigned)i) >> 8;
        return;
    }
    int middle = low + (high - low) / 2;
    cilk_spawn fill(low, middle);
    cilk_spawn fill(middle, high);
}

static void insert(unsigned *from, int count)
{
    for (int next = 1; next < count; next++) {
        unsigned item = from[next];
        int at = next - 1;
        for (; at >= 0 && from[at] > item; at--)
            from[at + 1] = from[at];
        from[at + 1] = item;
    }
}

static void merge_here(const unsigned *a, int a_count, const unsigned *b, int b_count, unsigned *to)
{
    int i = 0, j = 0, at = 0;
    while (i < a_count && j < b_count)
        to[at++] = a[i] <= b[j] ? a[i++] : b[j++];
    while (i < a_count)
        to[at++] = a[i++];
    while (j < b_count)
        to[at++] = b[j++];
}

/* How many of the items, which are sorted, are less. */
static int count_less(const unsigned *from, int count, unsigned item)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (from[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void merge(const unsigned *a, int a_count, const unsigned *b, int b_count, unsigned *to)
{
    if (a_count < b_count) {
        const unsigned *swapped = a;
        int swapped_count = a_count;
        a = b;
        a_count = b_count;
        b = swapped;
        b_count = swapped_count;
    }
    if (b_count < BASE) {
        merge_here(a, a_count, b, b_count, to);
        return;
    }
    int a_half = a_count / 2, b_half = count_less(b, b_count, a[a_half]);
    cilk_spawn merge(a, a_half, b, b_half, to);
    cilk_spawn merge(a + a_half, a_count - a_half, b + b_half, b_count - b_half, to + a_half + b_half);
}

static void sort_part(unsigned *from, unsigned *space, int count)
{
    if (count <= BASE) {
        insert(from, count);
        return;
    }
    int quarter = count / 4, half = 2 * quarter, three = 3 * quarter;
    cilk_spawn sort_part(from, space, quarter);
    cilk_spawn sort_part(from + quarter, space + quarter, quarter);
    cilk_spawn sort_part(from + half, space + half, quarter);
    cilk_spawn sort_part(from + three, space + three, count - three);
    cilk_sync;
    cilk_spawn merge(from, quarter, from + quarter, quarter, space);
    cilk_spawn merge(from + half, quarter, from + three, count - three, space + half);
    cilk_sync;
    merge(space, half, space + half, count - half, from);
}

/* A number that depends on every item and its place; 0 where two are in the wrong order. */
static unsigned check(int low, int high)
{
    if (high - low <= BASE) {
        unsigned sum = 1;
        for (int i = low; i < high; i++) {
            if (i > 0 && items[i - 1] > items[i])
                return 0;
            sum = sum * 31 + items[i];
        }
        return sum | 1;
    }
    int middle = low + (high - low) / 2;
    unsigned left = cilk_spawn check(low, middle);
    unsigned right = cilk_spawn check(middle, high);
    cilk_sync;
    return left && right ? (left * 0x9e3779b1u + right) | 1 : 0;
}

/* n is MOST at most. */
unsigned sort(int n)
{
    fill(0, n);
    sort_part(items, other, n);
    unsigned sum = cilk_spawn check(0, n);
    cilk_sync;
    return sum;
}
