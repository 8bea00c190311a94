/* See rg.h. */
#include "tools/search/rg.h"

#include "base/proc.h"

bool rg_run(const char *const *args, const char *cwd, const char *const *trees, int64_t timeout_ms,
            Cancel *cancel, RgLineFunc func, void *user_data, int *ret_exit_status,
            char **ret_error_text, GError **error)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_ptr_array_add(argv, (void *)"rg");
    for (; *args; args++)
        g_ptr_array_add(argv, (void *)*args);
    g_ptr_array_add(argv, NULL);
    const LineProgram program = {
        .name = "ripgrep",
        .argv = (const char *const *)argv->pdata,
        .cwd = cwd,
        .trees = trees,
        .timeout_ms = timeout_ms,
        .func = func,
        .user_data = user_data,
    };
    g_autoptr(GError) run_error = NULL;
    if (line_program_run(&program, cancel, ret_exit_status, ret_error_text, &run_error))
        return true;
    g_autofree char *found = proc_find_program("rg");
    if (error_is(run_error, KEDGE_ERROR_NOT_FOUND) && !found)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "ripgrep (rg) is not installed; install the package ripgrep");
    return pass_error(error, &run_error);
}
