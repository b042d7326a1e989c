/* Linking modules: what is one thing in all texts, what stays apart, and that places still name the right
 * text. */
#include "parse_ptx.h"

#include "ptx/merge.h"
#include "warpbeam.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The module linked of the texts, called a.ptx, b.ptx and so on; null where linking fails, with the
 * sentence. */
static Module *link_texts(const char *const *texts, uint32_t count, Error *error)
{
    Module *modules[4], *merged;
    assert_true(count <= COUNT(modules));
    *error = (Error){0};
    for (uint32_t i = 0; i < count; i++) {
        char name[] = "a.ptx", whole[4096];
        name[0] = (char)('a' + i);
        snprintf(whole, sizeof whole, "%s\n%s", PTX_HEADER, texts[i]);
        if (module_parse(name, whole, strlen(whole), &modules[i], error) != WB_OK)
            fail_msg("%s", error->text);
    }
    const WbStatus status = module_merge(modules, count, &merged, error);
    assert_int_equal(status, error->status);
    assert_true((merged == NULL) == (error->status != WB_OK));
    return merged;
}

static Module *linked(const char *a, const char *b)
{
    Error error;
    Module *merged = link_texts((const char *const[]){a, b}, 2, &error);
    if (!merged)
        fail_msg("%s", error.text);
    return merged;
}

static void refused(const char *a, const char *b, const char *sentence)
{
    Error error;
    assert_null(link_texts((const char *const[]){a, b}, 2, &error));
    assert_int_equal(error.status, WB_ERROR_PTX);
    assert_string_equal(error.text, sentence);
}

static const Function *function_of(const Module *module, const char *name)
{
    const uint32_t index = module_find_function(module, name);
    if (index == NO_INDEX)
        fail_msg("there is no function '%s'", name);
    return &module->functions[index];
}

static void extern_names_mean_definitions(void **state)
{
    (void)state;
    Module *module =
        linked(".extern .global .u32 v; .extern .func (.param .b32 r) f (.param .b32 x);\n"
               ".visible .entry k () { .reg .b32 %a; .param .b32 p; .param .b32 q;\n"
               "ld.global.u32 %a, [v]; st.param.b32 [p], %a; call (q), f, (p); ret; }",
               ".visible .global .u32 other = 1; .visible .global .u32 v = 7;\n"
               ".visible .func (.param .b32 r) f (.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x];\n"
               "st.param.b32 [r], %a; ret; }");
    const Function *k = function_of(module, "k"), *f = function_of(module, "f");
    assert_int_equal(module->function_count, 2);
    assert_true(f->has_body && f->is_visible);
    const Variable *v = &module->variables[element_at(k, operand_at(k, 0, 1), 0)->index];
    assert_ptr_equal(v, variable_of(module, "v"));
    assert_true(!v->is_extern && v->init[0] == 7);
    assert_ptr_equal(&module->functions[operand_at(k, 2, 1)->index], f);
    /* Formals are those of the definition, and belong to it. */
    assert_int_equal(module->variables[f->parameters[0]].function, module_find_function(module, "f"));
    assert_int_equal(element_at(f, operand_at(f, 0, 1), 0)->index, f->parameters[0]);
    assert_int_equal(element_at(f, operand_at(f, 1, 0), 0)->index, f->results[0]);
    module_free(module);
}

static void names_of_one_file_stay_apart(void **state)
{
    (void)state;
    Module *module = linked(".global .u32 s = 1; .func g () { ret; } .visible .entry a () { .reg .b32 %x;\n"
                            "ld.global.u32 %x, [s]; call g; ret; }",
                            ".global .u32 s = 2; .func g () { ret; } .visible .entry b () { .reg .b32 %x;\n"
                            "ld.global.u32 %x, [s]; call g; ret; }");
    const Function *a = function_of(module, "a"), *b = function_of(module, "b");
    const uint32_t s_of_a = element_at(a, operand_at(a, 0, 1), 0)->index;
    const uint32_t s_of_b = element_at(b, operand_at(b, 0, 1), 0)->index;
    assert_int_equal(module->variables[s_of_a].init[0], 1);
    assert_int_equal(module->variables[s_of_b].init[0], 2);
    assert_true(operand_at(a, 1, 0)->index != operand_at(b, 1, 0)->index);
    assert_int_equal(module_find_variable(module, "s"), s_of_a);
    module_free(module);
    module = linked(".global .u32 s = 1;", ".visible .global .u32 s = 2;");
    assert_int_equal(variable_of(module, "s")->init[0], 2); /* the visible one is the one that others mean */
    module_free(module);
}

static void the_strongest_definition_wins(void **state)
{
    (void)state;
    Module *module = linked(".weak .global .u32 v = 1; .weak .func f () { .local .u32 l; trap; ret; }",
                            ".visible .global .u32 v = 2; .visible .func f () { ret; }");
    assert_int_equal(variable_of(module, "v")->init[0], 2);
    assert_int_equal(function_of(module, "f")->insn_count, 1);
    assert_int_equal(module->variable_count, 1); /* the local variable went with its function */
    module_free(module);
    module = linked(".weak .global .u32 v = 1; .weak .func f () { trap; ret; }",
                    ".weak .global .u32 v = 2; .weak .func f () { ret; }");
    assert_int_equal(variable_of(module, "v")->init[0], 1);
    assert_int_equal(function_of(module, "f")->insn_count, 2);
    module_free(module);
    module = linked(".common .global .u32 c[2];", ".common .global .u32 c[5];");
    assert_int_equal(variable_of(module, "c")->size, 20);
    module_free(module);
    module = linked(".extern .shared .align 4 .b8 d[];", ".extern .shared .align 32 .b8 d[];");
    assert_int_equal(variable_of(module, "d")->align, 32);
    assert_int_equal(module->variable_count, 1);
    module_free(module);
}

static void addresses_and_tables_are_renumbered(void **state)
{
    (void)state;
    Module *module =
        linked(".global .u32 first; .func unrelated () { ret; }",
               ".global .u32 x; .func f () { ret; } .func g () { ret; }\n"
               ".visible .global .u64 p[2] = {x, f};\n"
               ".visible .entry k () { .reg .b64 %a; .reg .b32 %i; mov.u64 %a, g;\n"
               "t: .calltargets f, g; call %a, t; u: .branchtargets n, m; brx.idx %i, u; n: ret; m: ret; }");
    const Variable *p = variable_of(module, "p");
    assert_int_equal(p->relocations[0].target, module_find_variable(module, "x"));
    assert_int_equal(p->relocations[1].target, module_find_function(module, "f"));
    const Function *k = function_of(module, "k");
    assert_int_equal(operand_at(k, 0, 1)->index, module_find_function(module, "g"));
    assert_int_equal(k->tables[0].targets[0], module_find_function(module, "f"));
    assert_int_equal(k->tables[0].targets[1], module_find_function(module, "g"));
    assert_int_equal(k->tables[1].targets[0], 3); /* instructions keep their numbers */
    assert_int_equal(k->tables[1].targets[1], 4);
    module_free(module);
}

static void places_name_the_right_text(void **state)
{
    (void)state;
    Module *module = linked(".file 1 \"first.cu\"\n.visible .entry a () {\n.loc 1 5 1\ntrap; }",
                            ".file 1 \"second.cu\"\n.visible .entry b () {\n.loc 1 9 1\ntrap; }");
    const Function *a = function_of(module, "a"), *b = function_of(module, "b");
    char buffer[256];
    assert_string_equal(module_place_text(module, &a->insns[0], buffer, sizeof buffer),
                        "a.ptx:5:1 (first.cu:5)");
    assert_string_equal(module_place_text(module, &b->insns[0], buffer, sizeof buffer),
                        "b.ptx:5:1 (second.cu:9)");
    size_t length;
    const char *line = module_line(module, b->insns[0].place.line - 2, &length);
    assert_int_equal(length, strlen(".visible .entry b () {"));
    assert_memory_equal(line, ".visible .entry b () {", length);
    assert_string_equal(module->file_name, "a.ptx and 1 more");
    module_free(module);
}

static void contradictions_name_both_files(void **state)
{
    (void)state;
    refused(".visible .global .u32 v;", "\n.visible .global .u32 v;",
            "'v' is defined in a.ptx:2 and in b.ptx:3.");
    refused(".visible .entry k () { ret; }", ".visible .entry k () { ret; }",
            "'k' is defined in a.ptx:2 and in b.ptx:2.");
    refused(".extern .global .u32 v;", ".visible .global .u64 v;",
            "'v' is declared differently in a.ptx:2 and in b.ptx:2.");
    refused(".extern .global .u32 v;", ".visible .const .u32 v;",
            "'v' is declared differently in a.ptx:2 and in b.ptx:2.");
    refused(".extern .func f (.param .b32 x);", ".visible .func f (.param .b64 x) { ret; }",
            "'f' is declared differently in a.ptx:2 and in b.ptx:2.");
    refused(".extern .func f (.param .b32 x);", ".visible .func f () { ret; }",
            "'f' is declared differently in a.ptx:2 and in b.ptx:2.");
}

#define CALLER                                                                                               \
    PTX_HEADER ".extern .func (.param .b32 r) twice (.param .b32 x); .extern .global .u32 given;\n"          \
               ".visible .entry k (.param .u64 out) { .reg .b32 %a; .reg .b64 %o; .param .b32 p, q;\n"       \
               "ld.param.u64 %o, [out]; ld.global.u32 %a, [given]; st.param.b32 [p], %a;\n"                  \
               "call (q), twice, (p); ld.param.b32 %a, [q]; st.global.u32 [%o], %a; ret; }\n"
#define CALLEE                                                                                               \
    PTX_HEADER ".visible .global .u32 given = 21;\n"                                                         \
               ".visible .func (.param .b32 r) twice (.param .b32 x) { .reg .b32 %a;\n"                      \
               "ld.param.b32 %a, [x]; add.u32 %a, %a, %a; st.param.b32 [r], %a; ret; }\n"

static WbGpu *open_gpu(void)
{
    WbGpu *gpu;
    char error[512];
    if (wb_gpu_open("h200", &gpu, error, sizeof error) || wb_gpu_set(gpu, "mode", "functional"))
        fail_msg("%s", error);
    return gpu;
}

static void linked_kernels_run(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu();
    const WbSource sources[] = {{"caller.ptx", CALLER, sizeof CALLER - 1},
                                {"callee.ptx", CALLEE, sizeof CALLEE - 1}};
    WbModule *module;
    WbKernel *kernel;
    uint64_t out;
    uint32_t result = 0;
    assert_int_equal(wb_module_link(gpu, sources, 2, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_malloc(gpu, 4, &out), WB_OK);
    const WbArgument argument = WB_ARG(out);
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {1, 1, 1}, .arguments = &argument, .argument_count = 1};
    assert_int_equal(wb_launch(kernel, &launch), WB_OK);
    assert_int_equal(wb_copy_from_device(gpu, &result, out, 4), WB_OK);
    assert_int_equal(result, 42);
    wb_gpu_close(gpu);
}

static void what_is_missing_is_told_when_it_is_used(void **state)
{
    (void)state;
    static const char other[] = "\n" PTX_HEADER ".visible .entry fine () { ret; }\n";
    WbGpu *gpu = open_gpu();
    const WbSource sources[] = {{"other.ptx", other, sizeof other - 1},
                                {"caller.ptx", CALLER, sizeof CALLER - 1}};
    WbModule *module;
    WbKernel *kernel;
    WbKernelInfo info;
    assert_int_equal(wb_module_link(gpu, sources, 2, &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "fine", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_OK);
    assert_int_equal(wb_module_kernel(module, "k", &kernel), WB_OK);
    assert_int_equal(wb_kernel_info(kernel, &info), WB_ERROR_NOT_FOUND);
    assert_non_null(strstr(wb_error(gpu), "caller.ptx:3:"));
    assert_non_null(strstr(wb_error(gpu), "uses 'given', which is declared .extern"));
    wb_gpu_close(gpu);
}

static void broken_texts_and_null_pointers_are_refused(void **state)
{
    (void)state;
    WbGpu *gpu = open_gpu();
    const WbSource broken[] = {{"caller.ptx", CALLER, sizeof CALLER - 1}, {"bad.ptx", "nonsense", 8}};
    const WbSource missing[] = {{"none.ptx", NULL, 8}};
    WbModule *module;
    assert_int_equal(wb_module_link(gpu, broken, 2, &module), WB_ERROR_PTX);
    assert_null(module);
    assert_memory_equal(wb_error(gpu), "bad.ptx:1:1:", 12);
    assert_int_equal(wb_module_link(gpu, missing, 1, &module), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_module_link(gpu, NULL, 1, &module), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_module_link(gpu, broken, 0, &module), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_module_link(gpu, broken, 2, NULL), WB_ERROR_ARGUMENT);
    wb_gpu_close(gpu);
}

/* What host and device share lies at an address that is the host's own. */
static void managed_variables_are_host_memory(void **state)
{
    (void)state;
    static const char text[] = PTX_HEADER ".visible .global .attribute(.managed) .align 4 .u32 m = 5;";
    WbGpu *gpu = open_gpu();
    const WbSource source = {"managed.ptx", text, sizeof text - 1};
    WbModule *module;
    uint64_t address;
    size_t size;
    assert_int_equal(wb_module_link(gpu, &source, 1, &module), WB_OK);
    assert_int_equal(wb_module_symbol(module, "m", &address, &size), WB_OK);
    assert_int_equal(size, 4);
    assert_int_equal(*(const uint32_t *)(uintptr_t)address, 5);
    wb_gpu_close(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extern_names_mean_definitions),
        cmocka_unit_test(names_of_one_file_stay_apart),
        cmocka_unit_test(the_strongest_definition_wins),
        cmocka_unit_test(addresses_and_tables_are_renumbered),
        cmocka_unit_test(places_name_the_right_text),
        cmocka_unit_test(contradictions_name_both_files),
        cmocka_unit_test(linked_kernels_run),
        cmocka_unit_test(what_is_missing_is_told_when_it_is_used),
        cmocka_unit_test(broken_texts_and_null_pointers_are_refused),
        cmocka_unit_test(managed_variables_are_host_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
