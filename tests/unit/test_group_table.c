/* Aggregated groups, branch by branch of [DTBL figure 5]: the search of the distributor, the table's hash,
 * the links NAGEI, LAGEI and Next, marking again; and the sizes of [DTBL §4.3]. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/knob.h"
#include "grid/group_table.h"

/* Programs are told apart by their addresses alone. */
static const Program programs[2];

static GridKernel *grid_of(const Program *program, uint32_t threads, uint32_t shared_bytes)
{
    GridKernel *grid = xcalloc(1, sizeof *grid);
    grid->seen.launch = (Launch){.program = program,
                                 .block = {threads, 1, 1},
                                 .shared_bytes = shared_bytes,
                                 .dynamic_shared_bytes = shared_bytes};
    grid->entry = grid->group.index = NO_ENTRY;
    return grid;
}

static GridKernel *group_of_thread(uint32_t hardware_thread)
{
    GridKernel *group = grid_of(&programs[0], 64, 0);
    group->group.hardware_thread = hardware_thread;
    return group;
}

/* -- "Search KDE": same entry and block configuration? -- */

static void search_wants_the_same_code_and_shape(void **state)
{
    (void)state;
    Distributor distributor;
    distributor_init(&distributor, 4);
    GridKernel *const kernels[] = {grid_of(&programs[1], 64, 0), grid_of(&programs[0], 32, 0),
                                   grid_of(&programs[0], 64, 128), grid_of(&programs[0], 64, 0)};
    GridKernel *group = grid_of(&programs[0], 64, 0);
    uint32_t searched = 0;
    assert_null(group_search(&distributor, group, &searched));
    assert_int_equal(searched, 4); /* a cycle an entry, however many are used */
    for (size_t i = 0; i < 4; i++) {
        assert_true(distributor_reserve(&distributor, kernels[i]));
        /* Not while it is on its way ... */
        assert_null(group_search(&distributor, group, &searched));
        distributor_arrived(&distributor, kernels[i]);
    }
    /* ... and then only the one with the same code, block and shared memory. */
    assert_ptr_equal(group_search(&distributor, group, &searched), kernels[3]);
    assert_int_equal(searched, 4);
    assert_false(distributor_reserve(&distributor, group));
    /* Of several the first. */
    distributor_release(&distributor, kernels[1]);
    GridKernel *other = grid_of(&programs[0], 64, 0);
    assert_true(distributor_reserve(&distributor, other));
    assert_int_equal(other->entry, 1);
    distributor_arrived(&distributor, other);
    assert_ptr_equal(group_search(&distributor, group, &searched), other);
    assert_int_equal(searched, 2);
    for (size_t i = 0; i < 4; i++)
        xfree(kernels[i]);
    xfree(other);
    xfree(group);
    distributor_free(&distributor);
}

/* -- "Search free AGE": hw_tid & (size - 1), no probing -- */

static void hash_is_the_low_bits_of_the_thread(void **state)
{
    (void)state;
    GroupTable table;
    group_table_init(&table, 8);
    GridKernel *kernel = grid_of(&programs[0], 64, 0);
    GridKernel *const groups[] = {group_of_thread(3), group_of_thread(11), group_of_thread(4)};
    assert_true(group_link(&table, kernel, groups[0]).in_table);
    assert_int_equal(groups[0]->group.index, 3);
    assert_true(groups[0]->group.is_here);
    /* Thread 11 has the same low bits: it goes to global memory though entries are free. */
    assert_false(group_link(&table, kernel, groups[1]).in_table);
    assert_int_equal(groups[1]->group.index, NO_ENTRY);
    assert_false(groups[1]->group.is_here);
    assert_true(group_link(&table, kernel, groups[2]).in_table);
    assert_int_equal(table.used, 2);
    /* The entry is free when all blocks of its group have ended, whatever becomes of others. */
    group_release(&table, groups[1]);
    assert_int_equal(table.used, 2);
    group_release(&table, groups[0]);
    assert_int_equal(table.used, 1);
    assert_int_equal(kernel->groups.open, 1);
    GridKernel *late = group_of_thread(19);
    assert_true(group_link(&table, kernel, late).in_table);
    for (size_t i = 0; i < 3; i++)
        xfree(groups[i]);
    xfree(late);
    xfree(kernel);
    group_table_free(&table);
}

/* -- "First scenario": the kernel is not marked: NAGEI is the new group, and the kernel is marked again -- */

static void unmarked_kernel_is_marked_again(void **state)
{
    (void)state;
    GroupTable table;
    group_table_init(&table, 8);
    GridKernel *kernel = grid_of(&programs[0], 64, 0), *group = group_of_thread(0);
    const GroupLink link = group_link(&table, kernel, group);
    assert_true(link.marks_again);
    assert_true(link.is_next);
    assert_null(link.behind);
    assert_ptr_equal(kernel->groups.next, group);
    assert_ptr_equal(kernel->groups.last, group);
    assert_ptr_equal(group->group.joined, kernel);
    xfree(kernel);
    xfree(group);
    group_table_free(&table);
}

/* -- "Other scenario": the kernel is marked: NAGEI changes only for the first group; LAGEI always does -- */

static void marked_kernel_gets_a_list(void **state)
{
    (void)state;
    GroupTable table;
    group_table_init(&table, 8);
    GridKernel *kernel = grid_of(&programs[0], 64, 0);
    GridKernel *const groups[] = {group_of_thread(0), group_of_thread(1), group_of_thread(2)};
    GroupList *list = &kernel->groups;
    kernel->is_marked = true;
    GroupLink link = group_link(&table, kernel, groups[0]);
    assert_false(link.marks_again);
    assert_true(link.is_next);
    link = group_link(&table, kernel, groups[1]);
    assert_false(link.marks_again);
    assert_false(link.is_next);
    assert_ptr_equal(link.behind, groups[0]);
    assert_ptr_equal(list->next, groups[0]);
    assert_ptr_equal(list->last, groups[1]);
    assert_ptr_equal(groups[0]->group.next, groups[1]);
    /* NAGEI follows Next when a group's blocks have all been dispatched. */
    group_dispatched(kernel);
    assert_ptr_equal(list->next, groups[1]);
    link = group_link(&table, kernel, groups[2]);
    assert_ptr_equal(link.behind, groups[1]);
    group_dispatched(kernel);
    group_dispatched(kernel);
    assert_null(list->next);
    assert_null(list->last);
    assert_int_equal(list->open, 3);
    for (size_t i = 0; i < 3; i++)
        xfree(groups[i]);
    xfree(kernel);
    group_table_free(&table);
}

/* -- [DTBL §4.3] -- */

static void sizes_are_the_papers(void **state)
{
    (void)state;
    GpuConfig config;
    Error error = {0};
    assert_int_equal(config_load("k20c", &config, &error), WB_OK);
    assert_int_equal(group_registers_bytes(&config), 1096);
    assert_int_equal(group_table_bytes(&config), 20480);
    config.aggregated_groups = 512;
    assert_int_equal(group_table_bytes(&config), 10240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_wants_the_same_code_and_shape),
        cmocka_unit_test(hash_is_the_low_bits_of_the_thread),
        cmocka_unit_test(unmarked_kernel_is_marked_again),
        cmocka_unit_test(marked_kernel_gets_a_list),
        cmocka_unit_test(sizes_are_the_papers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
