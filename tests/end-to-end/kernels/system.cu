// What a kernel asks of the runtime: printf, malloc and free, assert, clocks.
#include <assert.h>
#include <stdio.h>

extern "C" __global__ void prints(const char *name)
{
    if (threadIdx.x == 0) {
        printf("%d|%5d|%-5d|%05d|%+d|% d|%i\n", -7, 42, 42, 42, 42, 42, 2147483647);
        printf("%u|%x|%X|%#x|%o|%#o\n", 4000000000u, 48879u, 48879u, 255u, 8u, 8u);
        printf("%ld|%lld|%lu|%llx|%hd|%hhd\n", -5000000000l, -5000000000ll, 5000000000ul, 0x123456789abcdefull, 70000, 300);
        printf("%f|%.3f|%10.2f|%-10.2f|%e|%.2E|%g|%G\n", 1.5, 3.14159, 2.5, 2.5, 12345.678, 0.00012, 1e-10, 100000.0);
        printf("%a|%c|%s|%10s|%-10s|%.3s|%%\n", 1.0, 'x', "text", "right", "left", "shortened");
        printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 2.71828);
        printf("%s from %s, no arguments next\n", "greetings", name);
        printf("plain\n");
    }
    if (threadIdx.x < 3)
        printf("thread %u of block %u\n", threadIdx.x, blockIdx.x);
}

struct Link { Link *next; int value; };

extern "C" __global__ void allocates(int *out, int count)
{
    Link *head = nullptr;
    for (int i = 0; i < count; i++) {
        Link *link = (Link *)malloc(sizeof(Link));
        if (!link)
            break;
        link->next = head;
        link->value = i * (int)(threadIdx.x + 1);
        head = link;
    }
    int sum = 0;
    while (head) {
        Link *next = head->next;
        sum += head->value;
        free(head);
        head = next;
    }
    int *array = new int[count];
    for (int i = 0; i < count; i++)
        array[i] = i;
    for (int i = 0; i < count; i++)
        sum += array[i];
    delete[] array;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void exhausts(int *out)
{
    void *large = malloc(1ull << 40);
    out[threadIdx.x] = large == nullptr;
}

extern "C" __global__ void asserts(const int *in, int *out)
{
    int x = in[threadIdx.x];
    assert(x >= 0 && "must not be negative");
    out[threadIdx.x] = x;
}

extern "C" __global__ void clocks(long long *out)
{
    long long before = clock64();
    unsigned short_before = (unsigned)clock();
    long long sum = 0;
    for (int i = 0; i < 50; i++)
        sum += (long long)out[i % 2];
    unsigned short_after = (unsigned)clock();
    long long after = clock64();
    unsigned long long nanoseconds;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
    out[4 + threadIdx.x * 4] = after - before;
    out[4 + threadIdx.x * 4 + 1] = short_after - short_before;
    out[4 + threadIdx.x * 4 + 2] = (long long)nanoseconds;
    out[4 + threadIdx.x * 4 + 3] = sum;
}
