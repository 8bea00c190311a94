/*
 * The failure mapping: gh's own words, unless they are about missing gh set-up or repository, which
 * kedge says in its own.
 */
#include "github/gh_error.h"

#include "base/env.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh_login.h"

#define NOT_AUTHENTICATED "GitHub CLI is not authenticated. Run `gh auth login`."
#define NO_REPOSITORY                                                                              \
    "GitHub repository context is unavailable. Pass `repo` explicitly or run the tool inside a "   \
    "GitHub "                                                                                      \
    "checkout."
#define GH_EXIT_AUTH 4 // gh's "authentication required"

char *gh_error_command(const GhSpec *spec)
{
    GString *text = g_string_new("gh");
    for (const char *const *arg = spec->argv; *arg; arg++)
        g_string_append_printf(text, " %s", *arg);
    g_autofree char *plain = g_string_free(text, false);
    return redact_text(plain);
}

static bool contains_any(const char *text, const char *const *needles)
{
    for (; *needles; needles++) {
        if (strstr(text, *needles))
            return true;
    }
    return false;
}

/* One element of the answer's `errors`. Caller frees; NULL when it says nothing. */
static char *describe_error(const json_t *item)
{
    if (json_is_string(item))
        return g_strdup(json_string_value(item));
    const char *message = json_get_text(item, "message");
    if (!str_is_empty(message))
        return g_strdup(message);

    const char *resource = json_get_text(item, "resource");
    const char *field = json_get_text(item, "field");
    const char *code = json_get_text(item, "code");
    GString *text = g_string_new(resource);
    if (!str_is_empty(field))
        g_string_append_printf(text, "%s%s", text->len > 0 ? "." : "", field);
    if (!str_is_empty(code))
        g_string_append_printf(text, "%s%s", text->len > 0 ? ": " : "", code);
    return g_string_free(text, false);
}

static void append_detail(GPtrArray *details, const char *message, const char *detail)
{
    g_autofree char *text = utf8_trim(detail != NULL ? detail : "");
    if (*text == '\0' || strstr(message, text))
        return;
    if (!g_ptr_array_find_with_equal_func(details, text, g_str_equal, NULL))
        g_ptr_array_add(details, g_steal_pointer(&text));
}

/* What the API answered besides what gh says already. Caller frees. */
static char *with_api_details(const char *message, const char *output)
{
    g_autoptr(json_t) answer = NULL;
    json_parse_text(output, &answer, NULL);
    g_autoptr(GPtrArray) details = g_ptr_array_new_with_free_func(g_free);
    append_detail(details, message, json_get_text(answer, "message"));
    json_each (json_get_array(answer, "errors"), i, item) {
        g_autofree char *detail = describe_error(item);
        append_detail(details, message, detail);
    }
    if (details->len == 0)
        return g_strdup(message);

    GString *text = g_string_new(message);
    g_string_append(text, "\nGitHub details:");
    for (guint n = 0; n < details->len; n++)
        g_string_append_printf(text, "\n- %s", (const char *)details->pdata[n]);
    return g_string_free(text, false);
}

bool gh_error_no_repository(GError **error)
{
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", NO_REPOSITORY);
}

/* gh's own advice is refused by gh while a token of the environment is set. */
static bool fail_login(const GhSpec *spec, GError **error)
{
    const char *host = env_get_raw("GH_HOST");
    for (const char *const *arg = spec->argv; *arg; arg++) {
        if (strcmp(*arg, "--hostname") == 0 && arg[1])
            host = arg[1];
    }
    const char *variable = gh_login_variable(host ? host : "github.com");
    if (!variable)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", NOT_AUTHENTICATED);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "GitHub does not accept the token in %s. Set a valid one, or unset it.",
                     variable);
}

bool gh_error_set(const GhSpec *spec, const GhResult *result, bool is_json, GError **error)
{
    static const char *const login[] = { "gh auth login", "not logged into any GitHub hosts",
                                         NULL };
    static const char *const context[] = { "not a git repository", "no git remotes found",
                                           "unable to determine current repository", NULL };
    g_autofree char *errors = utf8_trim(result->error_output);
    g_autofree char *output = utf8_trim(result->output);
    const char *message = *errors != '\0' ? errors : output;
    // gh's text for this one mentions `gh auth login` too
    bool is_foreign_remote = strstr(message, "none of the git remotes configured") != NULL;
    if (is_foreign_remote && !spec->has_explicit_repo)
        return gh_error_no_repository(error);
    if (result->exit_status == GH_EXIT_AUTH || contains_any(message, login))
        return fail_login(spec, error);
    if (!spec->has_explicit_repo && contains_any(message, context))
        return gh_error_no_repository(error);
    if (*message == '\0') {
        g_autofree char *command = gh_error_command(spec);
        return fail_with(error, KEDGE_ERROR_FAILED, "GitHub CLI command failed: %s", command);
    }
    g_autofree char *full = is_json ? with_api_details(message, output) : g_strdup(message);
    g_autofree char *text = redact_text(full);
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", text);
}
