/* The device's address space: placement, lookup, copies, limits, and the sentences about addresses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/mman.h>

#include "mem/space.h"

static uint64_t must_alloc(AddressSpace *space, uint64_t size, const char *name)
{
    Error error = {0};
    uint64_t address = 0;
    assert_int_equal(space_alloc(space, size, name, false, &address, &error), WB_OK);
    return address;
}

static void test_placement(void **state)
{
    (void)state;
    AddressSpace space;
    space_init(&space, 1 << 20);
    uint64_t previous_end = SPACE_GLOBAL_BASE - 256;
    for (uint64_t size = 1; size < 2000; size += 97) {
        uint64_t address = must_alloc(&space, size, NULL);
        assert_int_equal(address % SPACE_ALIGNMENT, 0);
        assert_true(address >= previous_end + 256);
        previous_end = address + size;
    }
    space_destroy(&space);
}

static void test_zeroed_and_copies(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    space_init(&space, 1 << 30);
    static const uint64_t sizes[] = {1, 300, 65535, 65536, 1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t size = sizes[i], address = must_alloc(&space, size, NULL);
        uint8_t byte = 1;
        for (uint64_t k = 0; k < size; k += size / 7 + 1) {
            assert_int_equal(space_read(&space, address + k, &byte, 1, &error), WB_OK);
            assert_int_equal(byte, 0);
        }
        byte = 0x5A;
        assert_int_equal(space_write(&space, address + size - 1, &byte, 1, &error), WB_OK);
        byte = 0;
        assert_int_equal(space_read(&space, address + size - 1, &byte, 1, &error), WB_OK);
        assert_int_equal(byte, 0x5A);
        assert_int_equal(space_read(&space, address + size, &byte, 1, &error), WB_ERROR_ARGUMENT);
        error_clear(&error);
        assert_int_equal(space_write(&space, address, &byte, size + 1, &error), WB_ERROR_ARGUMENT);
        error_clear(&error);
    }
    space_destroy(&space);
}

static void test_find(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    space_init(&space, 1 << 20);
    uint64_t addresses[40];
    for (int i = 0; i < 40; i++)
        addresses[i] = must_alloc(&space, 100, NULL);
    for (int i = 0; i < 40; i += 3)
        assert_int_equal(space_free(&space, addresses[i], &error), WB_OK);
    for (int i = 0; i < 40; i++) {
        Allocation *found = space_find(&space, addresses[i] + 50, 50);
        if (i % 3 == 0) {
            assert_null(found);
            continue;
        }
        assert_non_null(found);
        assert_int_equal(found->base, addresses[i]);
        assert_null(space_find(&space, addresses[i] + 50, 51));
        assert_null(space_find(&space, addresses[i] - 1, 1));
        assert_null(space_find(&space, addresses[i] + 100, 1));
        assert_null(space_find(&space, addresses[i] + 1, UINT64_MAX));
    }
    assert_null(space_find(&space, 0, 1));
    assert_null(space_find(&space, UINT64_MAX, 1));
    space_destroy(&space);
}

static void test_addresses_are_not_reused(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    space_init(&space, 1000);
    uint64_t last = 0;
    for (int i = 0; i < 100; i++) {
        uint64_t address = must_alloc(&space, 900, NULL);
        assert_true(address > last);
        last = address;
        assert_int_equal(space_free(&space, address, &error), WB_OK);
    }
    assert_int_equal(space.used, 0);
    space_destroy(&space);
}

static void test_limits(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    uint64_t address = 1;
    space_init(&space, 1000);
    assert_int_equal(space_alloc(&space, 0, NULL, false, &address, &error), WB_ERROR_ARGUMENT);
    assert_int_equal(address, 0);
    error_clear(&error);
    must_alloc(&space, 600, NULL);
    assert_int_equal(space_alloc(&space, 401, NULL, false, &address, &error), WB_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "600 of the device's 1000 bytes"));
    must_alloc(&space, 400, NULL);
    space_destroy(&space);

    space_init(&space, UINT64_MAX);
    error_clear(&error);
    uint64_t more_than_there_are_addresses = UINT64_MAX - 4096;
    assert_int_equal(space_alloc(&space, more_than_there_are_addresses, NULL, false, &address, &error),
                     WB_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "address space"));
    error_clear(&error);
    struct rlimit before, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 1 << 20; /* less than the process has already */
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    const WbStatus status = space_alloc(&space, 1 << 30, NULL, false, &address, &error);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(status, WB_ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(error.text, "host"));
    assert_int_equal(space.used, 0);
    space_destroy(&space);
}

/* Outside of allocations, in pages that hold one: what a GPU would find there. */
static void test_pages(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    uint32_t word = 7;
    space_init(&space, 1ull << 32);
    const uint64_t first = must_alloc(&space, 400, NULL), second = must_alloc(&space, 400, NULL);
    assert_int_equal(space_write(&space, second, &word, 4, &error), WB_OK);
    assert_null(space_reach_page(&space, first + 400, 4, false));
    space_set_check(&space, CHECK_PAGE);
    uint8_t *beside = space_reach_page(&space, first + 400, 4, true);
    assert_non_null(beside);
    assert_int_equal(*(uint32_t *)beside, 0);
    assert_int_equal(*(uint32_t *)(beside + (second - first - 400)), 7);
    assert_non_null(space_reach_page(&space, first + PAGE_BYTES - 4, 4, true));
    assert_null(space_reach_page(&space, first + PAGE_BYTES, 4, false));
    assert_null(space_reach_page(&space, first + PAGE_BYTES - 4, 8, false));
    assert_null(space_reach_page(&space, first - 4, 4, false));

    /* What was freed stays as it was while a neighbour lives, and no longer. */
    assert_int_equal(space_free(&space, second, &error), WB_OK);
    assert_int_equal(*(uint32_t *)space_reach_page(&space, second, 4, false), 7);
    assert_int_equal(space_free(&space, first, &error), WB_OK);
    assert_null(space_reach_page(&space, second, 4, false));

    /* Allocations are zero whatever kernels have written before there was any. */
    const uint64_t third = must_alloc(&space, 3 * PAGE_BYTES, NULL);
    memset(space_reach_page(&space, third + 3 * PAGE_BYTES + 512, 512, true), 0xff, 512);
    const uint64_t fourth = must_alloc(&space, 4096, NULL);
    assert_int_equal(space_read(&space, fourth, &word, 4, &error), WB_OK);
    assert_int_equal(word, 0);
    uint64_t constant;
    assert_int_equal(space_alloc(&space, 60, "c", true, &constant, &error), WB_OK);
    assert_non_null(space_reach_page(&space, constant + 56, 8, false));
    assert_null(space_reach_page(&space, constant + 56, 8, true));
    space_destroy(&space);
}

/* The host's own pages are smaller. */
static void test_pages_of_the_host(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    uint8_t *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    void *host = pages + 4096 + 256, *ours;
    space_init(&space, 1ull << 32);
    space_set_check(&space, CHECK_PAGE);
    assert_int_equal(space_map(&space, 256, MEMORY_REGISTERED, &host, &error), WB_OK);
    const uint64_t address = (uintptr_t)pages + 4096;
    assert_ptr_equal(space_reach_page(&space, address, 4, true), pages + 4096);
    assert_ptr_equal(space_reach_page(&space, address + 4092, 4, true), pages + 4096 + 4092);
    assert_null(space_reach_page(&space, address - 4, 4, false));
    assert_null(space_reach_page(&space, address + 4092, 8, false));
    assert_int_equal(space_map(&space, 100, MEMORY_HOST, &ours, &error), WB_OK);
    assert_ptr_equal(space_reach_page(&space, (uintptr_t)ours + 100, 4, true), (uint8_t *)ours + 100);
    space_destroy(&space);
    munmap(pages, 3 * 4096);
}

/* An allocation lies in one stretch of the host's memory, whatever came before. */
static void test_stretches(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    uint32_t word = 7;
    space_init(&space, 1ull << 42);
    must_alloc(&space, 100, NULL);
    const uint64_t size = STRETCH_BYTES - (20ull << 30), large = must_alloc(&space, size, NULL);
    const uint64_t next = must_alloc(&space, 8ull << 30, NULL);
    assert_int_equal(large % STRETCH_BYTES + size + 256, next);
    const uint64_t behind = must_alloc(&space, STRETCH_BYTES + 4096, NULL);
    assert_int_equal(next / STRETCH_BYTES, 0);
    assert_int_equal(behind, STRETCH_BYTES);
    const uint64_t last = behind + STRETCH_BYTES + 4092;
    assert_int_equal(space_write(&space, last, &word, 4, &error), WB_OK);
    word = 0;
    assert_int_equal(space_read(&space, last, &word, 4, &error), WB_OK);
    assert_int_equal(word, 7);
    assert_int_equal(space_free(&space, behind, &error), WB_OK);
    space_destroy(&space);
}

/* Pages that this process holds in memory. */
static long resident_pages(void)
{
    long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &total, &resident), 2);
    fclose(file);
    return resident;
}

static void test_large_allocation_costs_what_is_touched(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    const uint64_t size = 10ull << 30;
    space_init(&space, 1ull << 40);
    long before = resident_pages();
    uint64_t address = must_alloc(&space, size, NULL);
    uint32_t word = 7;
    assert_int_equal(space_write(&space, address + size - 4, &word, 4, &error), WB_OK);
    assert_int_equal(space_read(&space, address + size / 2, &word, 4, &error), WB_OK);
    assert_int_equal(word, 0);
    assert_true(resident_pages() - before < 4096);
    assert_int_equal(space_free(&space, address, &error), WB_OK);
    space_destroy(&space);
}

static void test_free_of_wrong_addresses(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    space_init(&space, 1 << 20);
    uint64_t address = must_alloc(&space, 400, NULL);
    assert_int_equal(space_free(&space, address + 16, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "16 bytes into the allocation of 400 bytes"));
    error_clear(&error);
    assert_int_equal(space_free(&space, address, &error), WB_OK);
    assert_int_equal(space_free(&space, address, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "was freed"));
    space_destroy(&space);
}

static void expect_description(const AddressSpace *space, uint64_t address, const char *expected)
{
    char buffer[512];
    assert_string_equal(space_describe(space, address, buffer, sizeof buffer), expected);
}

static void test_describe(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    space_init(&space, 1 << 20);
    expect_description(&space, SPACE_GLOBAL_BASE, "inside no allocation; there is none");
    uint64_t first = must_alloc(&space, 400, NULL), second = must_alloc(&space, 100, "table"), constant;
    assert_int_equal(space_alloc(&space, 8, "weights", true, &constant, &error), WB_OK);
    assert_int_equal(first, 0x200000000);
    assert_int_equal(second, 0x200000300);
    assert_int_equal(constant, 0x200000500);
#define FIRST "the allocation of 400 bytes at 0x200000000"
#define SECOND "the variable 'table' of 100 bytes at 0x200000300"
#define NEAREST "inside no allocation; the nearest is "
    expect_description(&space, first + 12, "12 bytes into " FIRST);
    expect_description(&space, constant,
                       "0 bytes into the variable 'weights' of 8 bytes at 0x200000500, which is read-only");
    expect_description(&space, first + 400, NEAREST FIRST ", which ends right before");
    expect_description(&space, first + 404, NEAREST FIRST ", which ends 4 bytes before");
    expect_description(&space, second - 8, NEAREST SECOND ", which begins 8 bytes after");
    expect_description(&space, first - 1, NEAREST FIRST ", which begins 1 bytes after");
    expect_description(&space, 24, "inside no allocation; it is a null pointer plus 24 bytes");
    expect_description(&space, SPACE_SHARED_BASE + 4,
                       "inside no allocation of global memory; it is in the generic window of shared memory");
    char name[] = "table";
    space_find(&space, second, 1)->name = name;
    assert_int_equal(space_free(&space, second, &error), WB_OK);
    memset(name, '?', sizeof name - 1); /* a freed variable's name may go with its module */
    expect_description(&space, second + 99, "99 bytes into " SECOND ", which was freed");
    space_destroy(&space);
}

static void test_ring_of_freed_ranges(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    char buffer[512];
    uint64_t addresses[20];
    space_init(&space, 1 << 20);
    for (int i = 0; i < 20; i++)
        addresses[i] = must_alloc(&space, 64, "v");
    for (int i = 0; i < 20; i++)
        assert_int_equal(space_free(&space, addresses[i], &error), WB_OK);
    for (int i = 0; i < 20; i++) {
        bool known = strstr(space_describe(&space, addresses[i], buffer, sizeof buffer), "was freed") != NULL;
        assert_int_equal(known, i >= 4);
    }
    space_destroy(&space);
}

/* The same in every space and so in every run, and never twice in one. */
static void test_host_memory_has_fixed_addresses(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    uint64_t seen[2][COUNT];
    Error error = {0};
    for (int run = 0; run < 2; run++) {
        AddressSpace space;
        space_init(&space, 1 << 30);
        for (int i = 0; i < COUNT; i++) {
            void *host;
            assert_int_equal(
                space_map(&space, 100000 * i + 8, i % 2 ? MEMORY_HOST : MEMORY_MANAGED, &host, &error),
                WB_OK);
            *(uint32_t *)host = 1;
            seen[run][i] = (uintptr_t)host;
            if (i == 1)
                assert_int_equal(space_free(&space, seen[run][i], &error), WB_OK);
        }
        assert_true(seen[run][2] > seen[run][1]);
        space_destroy(&space);
    }
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    AddressSpace one, other;
    void *a, *b;
    space_init(&one, 1 << 30);
    space_init(&other, 1 << 30);
    assert_int_equal(space_map(&one, 8, MEMORY_HOST, &a, &error), WB_OK);
    assert_int_equal(space_map(&other, 8, MEMORY_HOST, &b, &error), WB_OK);
    assert_ptr_not_equal(a, b);
    space_destroy(&one);
    space_destroy(&other);
}

/* Where programs that are not position-independent have their variables and their heap. */
static void test_low_host_memory_can_be_registered(void **state)
{
    (void)state;
    AddressSpace space;
    Error error = {0};
    void *pages = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_ptr_not_equal(pages, MAP_FAILED);
    void *host = (uint8_t *)pages + 300;
    space_init(&space, 1 << 20);
    assert_int_equal(space_map(&space, 4, MEMORY_REGISTERED, &host, &error), WB_OK);
    const Allocation *found = space_find(&space, (uintptr_t)pages + 300, 4);
    assert_non_null(found);
    assert_ptr_equal(found->host, (uint8_t *)pages + 256);
    host = (void *)16;
    assert_int_equal(space_map(&space, 4, MEMORY_REGISTERED, &host, &error), WB_ERROR_ARGUMENT);
    space_destroy(&space);
    munmap(pages, 4096);
}

/* -- spaces of several GPUs -- */

static void expect_words(const AddressSpace *space, uint64_t address, const char *part)
{
    char text[512];
    if (!strstr(space_describe(space, address, text, sizeof text), part))
        fail_msg("'%s' is not in: %s", part, text);
}

static void test_spaces_of_a_group(void **state)
{
    (void)state;
    SpaceGroup group = {0};
    AddressSpace spaces[2];
    uint64_t addresses[2];
    void *host;
    Error error = {0};
    for (int i = 0; i < 2; i++) {
        space_init(&spaces[i], 1 << 20);
        space_join(&spaces[i], &group);
        assert_int_equal(space_alloc(&spaces[i], 64, NULL, false, &addresses[i], &error), WB_OK);
        assert_int_equal(space_home(addresses[i]), i);
    }
    assert_null(space_find(&spaces[0], addresses[1], 4));
    assert_non_null(space_find_any(&spaces[0], addresses[1], 4));
    expect_words(&spaces[0], addresses[1] + 8, "8 bytes into the allocation of 64 bytes");
    expect_words(&spaces[0], addresses[1] + 8, "of GPU 1, which GPU 0 may not use: "
                                                "cudaDeviceEnablePeerAccess(1, 0) with device 0 current");
    group.node_gpus = 1;
    expect_words(&spaces[0], addresses[1] + 8, "of GPU 1, which is on another node than GPU 0: only wb_put()");
    expect_words(&spaces[0], addresses[1] | SPACE_REMOTE, "as wb_remote() names it");
    group.node_gpus = 2;
    expect_words(&spaces[0], addresses[1] + 8, "cudaDeviceEnablePeerAccess(1, 0)");
    const uint64_t version = spaces[0].version;
    space_reach(&spaces[0], &spaces[1], true);
    assert_int_not_equal(spaces[0].version, version);
    assert_non_null(space_find(&spaces[0], addresses[1], 4));
    assert_null(space_find(&spaces[1], addresses[0], 4)); /* one way only */
    expect_words(&spaces[0], addresses[1] + 80, "the nearest is the allocation of 64 bytes");
    /* What is granted is granted to those who are named, whatever they may reach. */
    assert_true(space_grant(&spaces[1], addresses[1], 1 << 1));
    assert_null(space_find(&spaces[0], addresses[1], 4));
    expect_words(&spaces[0], addresses[1], "GPU 0 was given no access to");
    assert_true(space_grant(&spaces[1], addresses[1], 1 << 0));
    assert_non_null(space_find(&spaces[0], addresses[1], 4));
    assert_null(space_find(&spaces[1], addresses[1], 4));
    assert_false(space_grant(&spaces[1], addresses[1] + 4, 1));
    assert_int_equal(space_map(&spaces[1], 64, MEMORY_MANAGED, &host, &error), WB_OK);
    assert_non_null(space_find(&spaces[0], (uintptr_t)host, 64)); /* the host's memory is everybody's */
    space_destroy(&spaces[0]);
    space_destroy(&spaces[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placement),
        cmocka_unit_test(test_zeroed_and_copies),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_addresses_are_not_reused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_pages_of_the_host),
        cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_large_allocation_costs_what_is_touched),
        cmocka_unit_test(test_free_of_wrong_addresses),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_ring_of_freed_ranges),
        cmocka_unit_test(test_host_memory_has_fixed_addresses),
        cmocka_unit_test(test_low_host_memory_can_be_registered),
        cmocka_unit_test(test_spaces_of_a_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
