/* Files that the arguments of a call name, also while they are still coming. */
#include "tool_fixture.h"

#include "tool/call_paths.h"

static void test_paths(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "none", "{'command':'ls'}", "" },
        { "by key", "{'path':'a','paths':['b','c'],'file_path':'d'}", "a|b|c|d" },
        { "anchors", "{'input':'@@ a.c\\n= 1ab..1ab\\n~@@ no\\n@b.c @@\\n- 1ab..1ab'}", "a.c|b.c" },
        { "quotes", "{'input':'@@ \\\"my a.c\\\" @@\\r\\n+ 1ab'}", "my a.c" },
        { "patch",
          "{'input':'*** Begin Patch\\n*** Update File: a.c\\n*** Move to: b.c\\n@@\\n-x\\n'}",
          "a.c|b.c" },
        { "patch, other files", "{'input':'*** Add File: n\\n+x\\n*** Delete File: o'}", "n|o" },
        { "an empty header", "{'input':'@@ \\n@@'}", "" },
        { "no text", "{'input':3,'path':{}}", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) arguments = json_of(cases[i].arguments);
        g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
        call_paths_add(arguments, paths);
        g_ptr_array_add(paths, NULL);
        g_autofree char *got = g_strjoinv("|", (char **)paths->pdata);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_paths) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
