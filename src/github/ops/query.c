/*
 * Composing search queries. Inner spacing and quotes are the caller's and stay.
 */
#include "github/ops/query.h"

#include "base/utf8.h"
#include "github/safe/gh_call_context.h"

static char *join_words(const char *const *words, size_t count)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < count; i++) {
        g_autofree char *word = utf8_trim(words[i] != NULL ? words[i] : "");
        if (*word != '\0')
            g_string_append_printf(out, "%s%s", out->len > 0 ? " " : "", word);
    }
    return g_string_free(out, false);
}

char *query_display(const char *query, const char *qualifier)
{
    const char *const words[] = { query, qualifier };
    return join_words(words, G_N_ELEMENTS(words));
}

char *query_api(const char *display, const char *slug, const char *type)
{
    g_autofree char *repo = slug != NULL ? g_strconcat("repo:", slug, NULL) : NULL;
    const char *const words[] = { display, repo, type };
    return join_words(words, G_N_ELEMENTS(words));
}

bool query_has_scope(const char *display)
{
    return g_regex_match_simple("(^|\\s)-?(repo|org|user|owner):\\S", display, G_REGEX_CASELESS, 0);
}

bool query_scope(ToolCall *call, const char *repo, const char *display, char **ret_scope,
                 GError **error)
{
    *ret_scope = NULL;
    if (repo) {
        *ret_scope = g_strdup(repo);
        return true;
    }
    if (query_has_scope(display))
        return true;

    g_autoptr(GError) failure = NULL;
    g_autofree char *found = NULL;
    if (!gh_call_here_name(call, &found, &failure)) {
        if (!error_is(failure, KEDGE_ERROR_CANCELLED))
            return true;
        return pass_error(error, &failure);
    }
    *ret_scope = g_steal_pointer(&found);
    return true;
}
