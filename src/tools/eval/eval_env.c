/*
 * Interpreters and environment of the kernels (eval_env.h).
 */
#include "tools/eval/eval_env.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/str.h"
#include "tools/eval/eval_venv.h"

#include <string.h>
#include <unistd.h>

static bool is_word(const char *value, const char *const *words)
{
    g_autofree char *lower = g_ascii_strdown(value, -1);
    return g_strv_contains(words, lower);
}

/* KEDGE_PY chooses between the two, KEDGE_JS decides about JavaScript alone. */
bool eval_is_enabled(const Settings *settings, EvalLanguage language)
{
    static const char *const both[] = { "mix", "both", NULL };
    static const char *const only_js[] = { "0", "n", "no", "false", "off", "bash", "js", NULL };
    const char *py = env_get("PY");
    const char *js = env_get("JS");
    if (language == EVAL_JS && js)
        return env_flag("JS");
    if (py)
        return is_word(py, both) || is_word(py, only_js) == (language == EVAL_JS);
    if (language == EVAL_PYTHON && js)
        return true;
    return settings_get_bool(settings, language == EVAL_PYTHON ? "eval.py" : "eval.js");
}

static void add_program(GPtrArray *list, char *path)
{
    if (path && access(path, X_OK) == 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add(list, path);
    else
        g_free(path);
}

static void add_venv(GPtrArray *list, const char *dir)
{
    if (dir && g_path_is_absolute(dir))
        add_program(list, g_build_filename(dir, "bin", "python", NULL));
}

char **eval_interpreters(EvalLanguage language, const char *cwd, Cancel *cancel, char **ret_note)
{
    GPtrArray *list = g_ptr_array_new();
    if (language == EVAL_PYTHON) {
        g_autofree char *root = dirs_config_root();
        g_autofree char *managed = g_build_filename(root, "python-env", NULL);
        add_venv(list, env_get_raw("VIRTUAL_ENV"));
        if (cwd)
            add_program(list, eval_venv_python(cwd, cancel, ret_note));
        add_venv(list, managed);
        add_program(list, proc_find_program("python"));
        add_program(list, proc_find_program("python3"));
    } else {
        add_program(list, proc_find_program("node"));
        add_program(list, proc_find_program("nodejs"));
    }
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

bool eval_is_available(const Settings *settings, EvalLanguage language, const char *cwd)
{
    if (!eval_is_enabled(settings, language))
        return false;
    if (language == EVAL_PYTHON && env_flag("PYTHON_SKIP_CHECK"))
        return true;
    g_auto(GStrv) anywhere = eval_interpreters(language, NULL, NULL, NULL);
    if (anywhere[0] || !cwd)
        return anywhere[0] != NULL;
    g_auto(GStrv) programs = eval_interpreters(language, cwd, NULL, NULL);
    return programs[0] != NULL;
}

static bool is_kept(const char *name, const json_t *passed)
{
    static const char *const names[] = {
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "TZ",
        "TERM",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "CONDA_PREFIX",
        "CONDA_DEFAULT_ENV",
        "VIRTUAL_ENV",
        "PYENV_ROOT",
        "PYENV_VERSION",
        "PYTHONPATH",
        "LD_LIBRARY_PATH",
        "NODE_PATH",
        "NVM_DIR",
        "MPLBACKEND",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "no_proxy",
        "NO_PROXY",
        NULL,
    };
    static const char *const prefixes[] = { "LC_", "XDG_", "KEDGE_", "PI_" };
    if (g_strv_contains(names, name))
        return true;
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (str_has_prefix(name, prefixes[i]))
            return true;
    size_t i = 0;
    json_t *each = NULL;
    json_array_foreach (passed, i, each) {
        if (g_strcmp0(json_string_value(each), name) == 0)
            return true;
    }
    return false;
}

/* The address of a proxy may hold a password. */
static bool is_harmless_proxy(const char *name, const char *value)
{
    static const char *const names[] = { "http_proxy",  "https_proxy", "all_proxy", "HTTP_PROXY",
                                         "HTTPS_PROXY", "ALL_PROXY",   NULL };
    return g_strv_contains(names, name) && !strchr(value, '@');
}

static char **kept_environment(const Settings *settings)
{
    const json_t *passed = settings_get_json(settings, "env.pass");
    g_autoptr(GPtrArray) pass = g_ptr_array_new();
    json_each (passed, i, each) {
        if (json_is_string(each))
            g_ptr_array_add(pass, (void *)json_string_value(each));
    }
    g_ptr_array_add(pass, NULL);
    g_auto(GStrv) all = env_for_child((const char *const *)pass->pdata);
    GPtrArray *kept = g_ptr_array_new();
    for (char **entry = all; *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        g_autofree char *name = g_strndup(*entry, (size_t)(equals - *entry));
        if (is_kept(name, passed) || is_harmless_proxy(name, equals + 1))
            g_ptr_array_add(kept, g_strdup(*entry));
    }
    g_ptr_array_add(kept, NULL);
    return (char **)g_ptr_array_free(kept, FALSE);
}

/* NULL: `program` is in none. Caller frees. */
static char *venv_of(const char *program)
{
    g_autofree char *bin = g_path_get_dirname(program);
    g_autofree char *dir = g_path_get_dirname(bin);
    g_autofree char *mark = g_build_filename(dir, "pyvenv.cfg", NULL);
    return file_exists(mark) ? g_steal_pointer(&dir) : NULL;
}

char **eval_environment(ToolContext *context, const char *program)
{
    char **env = kept_environment(tool_context_settings(context));
    env = g_environ_setenv(env, "PYTHONUNBUFFERED", "1", TRUE);
    env = g_environ_setenv(env, "PYTHONIOENCODING", "utf-8", TRUE);
    env = g_environ_setenv(env, "MPLBACKEND", "Agg", FALSE);
    Artifacts *artifacts = tool_context_artifacts(context);
    if (artifacts)
        env = g_environ_setenv(env, "KEDGE_ARTIFACTS_DIR", artifacts_dir(artifacts), TRUE);
    g_autofree char *venv = venv_of(program);
    if (!venv)
        return env;
    const char *path = g_environ_getenv(env, "PATH");
    g_autofree char *longer =
        g_strdup_printf("%s/bin%s%s", venv, path ? ":" : "", path ? path : "");
    env = g_environ_setenv(env, "PATH", longer, TRUE);
    return g_environ_setenv(env, "VIRTUAL_ENV", venv, TRUE);
}
