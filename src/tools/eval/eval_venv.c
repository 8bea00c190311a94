/*
 * Which virtual environments may be used (eval_venv.h).
 */
#include "tools/eval/eval_venv.h"

#include "base/file.h"
#include "base/git.h"
#include "base/git_dir.h"
#include "base/limits.h"
#include "base/path.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GIT_TIMEOUT_MS (10 * 1000)
#define ACTIVATED      "VIRTUAL_ENV="

/* No one else can have put it there, or exchange it. */
static bool is_own(const char *path)
{
    struct stat link, target;
    uid_t me = geteuid();
    return lstat(path, &link) == 0 && (link.st_uid == me || link.st_uid == 0) &&
           stat(path, &target) == 0 && (target.st_uid == me || target.st_uid == 0) &&
           (target.st_mode & S_IWOTH) == 0;
}

/* Its `activate` names the place where it was made. What was unpacked from elsewhere names
   another one. */
static bool is_made_here(const char *venv, const char *real)
{
    g_autofree char *path = g_build_filename(venv, "bin", "activate", NULL);
    g_autofree char *text = NULL;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR) ||
        !file_read(path, LIMIT_EVAL_VENV_BYTES, &text, NULL, NULL))
        return false;
    const char *const places[] = { venv, real };
    for (const char *at = text; (at = strstr(at, ACTIVATED));) {
        at += strlen(ACTIVATED);
        const char *value = at + (*at == '"' || *at == '\'');
        for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
            size_t size = strlen(places[i]);
            if (strncmp(value, places[i], size) == 0 && strchr("\"'\r\n", value[size]))
                return true;
        }
    }
    return false;
}

/* Or git cannot say that it is not. */
static bool is_tracked(const char *top, const char *path, Cancel *cancel)
{
    const GitSpec spec = {
        .dir = top,
        .args = (const char *const[]) { "--literal-pathspecs", "ls-files", "-z", "--", path, NULL },
        .timeout_ms = GIT_TIMEOUT_MS,
        .is_bytes = true,
    };
    g_auto(GitResult) result = { 0 };
    return !git_start(&spec, cancel, &result, NULL) || result.exit_status != 0 ||
           result.output_size > 0;
}

/* NULL: it may be used. */
static const char *objection(const char *dir, const char *venv, const char *python, Cancel *cancel)
{
    g_autofree char *real = path_real(venv);
    g_autofree char *program = path_real(python);
    g_autofree char *bin = g_path_get_dirname(python);
    if (!real || !program || !is_own(venv) || !is_own(bin) || !is_own(python))
        return "it belongs to somebody else, or others can write to it";
    if (!is_made_here(venv, real))
        return "it was not made where it lies";
    g_autofree char *top = git_dir_work_tree(dir);
    g_autofree char *around = path_real(dir);
    if (path_is_inside(program, top ? top : around))
        return "its Python is a file of the directory itself";
    if (top && (is_tracked(top, venv, cancel) ||
                (path_is_inside(real, top) && is_tracked(top, real, cancel))))
        return "it is part of the repository, or git cannot say that it is not";
    return NULL;
}

char *eval_venv_python(const char *dir, Cancel *cancel, char **ret_note)
{
    static const char *const names[] = { ".venv", "venv" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *venv = g_build_filename(dir, names[i], NULL);
        g_autofree char *python = g_build_filename(venv, "bin", "python", NULL);
        if (access(python, X_OK) < 0 || !g_file_test(python, G_FILE_TEST_IS_REGULAR))
            continue;
        const char *why = objection(dir, venv, python, cancel);
        if (!why)
            return g_steal_pointer(&python);
        if (ret_note && !*ret_note)
            *ret_note = g_strdup_printf("%s is not used: %s. Start kedge with VIRTUAL_ENV=%s to "
                                        "use it all the same.",
                                        names[i], why, venv);
    }
    return NULL;
}
