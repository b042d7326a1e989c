/* All of the C subset: what the tree of this program computes is compared with what the program does. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "syntax.h"
#include "syntax.h"

#define COUNT 5
#define NAME_OF_SUM SUM
#if defined(COUNT) && COUNT > 4 && !defined NOTHING
#define CHOSEN 11
#elif UNKNOWN_NAME
#error not here
#else
#define CHOSEN 'x' + don't
#endif
#ifdef NOTHING
this is not C
#else
enum Color { RED, GREEN = 7, BLUE, LAST = BLUE * 2 };
#endif
#undef NOTHING

struct Pair {
    int first;
    struct Pair *next;
    double values[2][3];
};

union Bits {
    float real;
    unsigned bits;
};

typedef int Row[4];
typedef struct {
    char letter;
    bool is_set;
    short small;
    Row row;
    struct Inner {
        long deep;
    } inner;
} Mixed;

int table[3][4] = {{1, 2, 3, 4}, {5, 6}, 9, 10, 11};
static const double halves[] = {0.5, 1.5e0, -2, 0x1p3, .25f};
char text[] = "a\n\x41\101";
char padded[8] = {"ab"};
Mixed mixed = {'c', 3, -5, {1, [2] = 7}, {1l << 40}};
Mixed more[2] = {[1] = {.small = 6, .row = {4, 5}}, [0] = {.letter = 2, .inner = {3}}};
unsigned long wide = 18446744073709551615ul, folded = (1 ? sizeof(Mixed) : 0) + ~7u % 5;
int least = INT_MIN, shifted = -8 >> 1, quotient = -7 / 2, remainder_of = -7 % 2, both = 1 < 2 && 3 > 4 || 5;
float narrow = 1.0 / 3, cut = (int)3.9 + (unsigned char)300;
_Static_assert(sizeof(struct Pair) == 64 && sizeof(int *) == 8, "as on 64-bit Linux");

static unsigned hash;
static void mix(long value) { hash = hash * 31u + (unsigned)value; }
static double mean(const double *values, int count);
int forward(int x);

static void operators(int a, unsigned b, long c, float f, double d)
{
    int i = a;
    unsigned char small = 250;
    mix(a + b * c - a / 3 % 5);
    mix(a << 3 ^ b >> 2 & ~c | 0x55);
    mix((a < b) + (a <= c) + (b > c) + (b >= 7) + (a == 3) + (c != 4));
    mix(a && f || !d);
    mix(-a + +i);
    mix(i++);
    mix(++i);
    mix(i-- * 2);
    mix(--i);
    mix((i += 3, i -= 1, i *= 2, i /= 3, i %= 7, i <<= 4, i >>= 1, i &= 0xff, i |= 0x100, i ^= 5));
    small += 10;
    mix(small);
    small = f < 0 ? -f : f;
    mix(small);
    mix((long)(f * d * 100) + (int)(f / 2) + (char)(a * 77));
    mix(a > 2 ? b : a < 0 ? -1 : 1);
    mix(b > -1); /* no sign */
    mix(sizeof a + sizeof(int[3]) + sizeof mixed.row);
    mix(0777 + 0x1F + 0b101 + 'A' + '\\' + '\0' + 1u + 2l + 3ull + RED + LAST + CHOSEN + TWICE(3) + NAME_OF_SUM(4, (5, 6)));
    mix((bool)2 + (bool)0.5 + true);
    d = f = 2.5;
    mix((a = 4) * 2);
    mix(sqrtf(f) * 1000 + sqrt(d) * 1000 + fabs(-d) + floorf(-f) + fmax(f, d) + abs(-a) + labs(-c));
}

static int a_global_behind[2] = {1, 20};

static void pointers(void)
{
    int numbers[COUNT] = {1, 2, 3}, *p = numbers, **pp = &p, (*row)[4] = table;
    struct Pair second = {2}, first = {1, &second, {{1, 2, 3}, 4}}, copy = first, *at = &first;
    union Bits bits = {1.5f};
    const int *end = &numbers[COUNT];
    void *nothing = NULL;
    *p++ = 7;
    p[1] += 5;
    mix(*p--);
    mix((p - numbers) + **pp + row[1][1] + *row[2] + 2[numbers]);
    mix(end - p + (end > p) + (p == numbers) + (nothing == 0) + !nothing + (p != NULL));
    mix(at->next->first + (*at).first + copy.next->first + copy.values[0][2] + copy.values[1][1] * 9);
    mix(bits.bits);
    bits.bits = bits.bits + 0x800000;
    mix(bits.real * 8);
    at->values[1][2] = mean(at->values[0], 3);
    copy = *at;
    mix(copy.values[1][2] * 10 + mean(halves, 5) * 100);
    for (end = numbers; end < numbers + COUNT; ++end)
        mix(*end);
    nothing = p;
    p = nothing;
    mix(*p);
    mix(*(numbers + 1) + (&numbers[2])[-1] + *&a_global_behind[1]);
}

static double mean(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static void statements(int n)
{
    int i = 0, hash_of = 0, zeros[3][5] = {{0}}, twenty[20] = {[3] = 4};
    do {
        if (i == 3)
            continue;
        if (i > 8)
            break;
        else if (i & 1)
            hash_of += i;
        else {
            int i = 100; /* another one */
            hash_of += i;
        }
    } while (++i < n);
    while (1) {
        switch (i--) {
        case 3:
            hash_of *= 2;
        case 'A' - 60:
            hash_of += 1;
            break;
        case -1:
        case RED:
            mix(hash_of);
            return;
        default:
            for (;;) {
                if (hash_of++ % 7 == 0)
                    break;
            }
            continue;
        }
        for (int i = 0, j = 10; i < j; i += 2, j--)
            zeros[i % 3][j % 5] += i * j;
        for (int k = 0; k < 15; k++)
            mix(zeros[k / 5][k % 5] + twenty[k]);
        ;
        {
        }
    }
}

static struct Inner deepen(Mixed from, struct Inner inner)
{
    inner.deep += from.row[2] + from.inner.deep;
    return inner;
}

int forward(int x) { return x > 0 ? forward(x - 1) + 2 : 1; }

static void globals(void)
{
    Mixed local = mixed;
    struct Inner inner = {5}, results[2] = {inner, {6}};
    for (int i = 0; i < 12; i++)
        mix(table[i / 4][i % 4]);
    for (int i = 0; i < 5; i++)
        mix(halves[i] * 8 + text[i] + padded[i]);
    local.row[3]++;
    mix(local.letter + local.is_set + local.small + local.row[0] + local.row[2] + local.row[3] + mixed.row[3]);
    mix(deepen(mixed, inner).deep >> 3 + results[0].deep - results[1].deep);
    mix(more[1].small + more[1].row[1] * 5 + more[0].letter * 9 + more[0].inner.deep);
    mix(wide >> 60);
    mix(folded + least + shifted * 3 + quotient * 5 + remainder_of * 7 + both);
    mix(narrow * 3000 + cut);
    mix(forward(9) + sizeof text);
    unsigned hash = 4; /* not the global one */
    mix(hash);
}

/* -- tasks -- */

static int task(int n)
{
    if (n < 2)
        return n;
    int left, right[2];
    left = cilk_spawn task(n - 1);
    right[1] = _Cilk_spawn task(n - 2);
    _Cilk_sync;
    return left + right[1];
}

static long calls(int n)
{
    long sum = task(n) * 2l + task(task(4)) - n; /* calls of tasks inside of expressions */
    int array[3] = {1, 2, 3};
    array[task(1)] = task(5);
    sum += task(6);
    if (task(3) > 1)
        sum += array[1];
    switch (task(2)) {
    case 1:
        sum++;
    }
    (void)task(1);
    while (n > 0) {
        n = n - task(2);
        if (n == 3)
            sum += 100;
        else
            array[0] = task(4);
    }
    return task(7) + sum + array[0] + array[1];
}

unsigned syntax(int n)
{
    hash = 1;
    for (int i = -2; i <= n; i++)
        operators(i, (unsigned)i + 2u, i * 3l, i * 1.25f, i / 3.0);
    pointers();
    statements(n);
    statements(17);
    globals();
    long sum = cilk_spawn calls(n);
    cilk_sync;
    mix(sum);
    return hash;
}
