/*
 * Redaction: known values first, then a table of patterns, in an order in which no replacement
 * hides a later match.
 *
 * Patterns work on bytes and scan each run of characters once, since the text may be megabytes that
 * an outsider chose. When matching fails for any reason the whole text is masked: better no message
 * than a token.
 */
#include "base/redact.h"

#include "base/mask.h"

#include <glib.h>
#include <pthread.h>
#include <stdbool.h>

#define MIN_KNOWN_BYTES 8 // a shorter value would mask ordinary words

#define PARAMETERS                                                                                 \
    "token|access_token|refresh_token|id_token|client_secret|api_key|apikey|key|secret|password|"  \
    "passwd|sig|signature|code|jwt|X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token"

typedef struct Rule {
    const char *pattern;
    const char *replacement;
    bool is_for_output; // in redact_output(), too
} Rule;

static const Rule rules[] = {
    { "(?-i)-----BEGIN ([A-Z0-9 ]{0,64}PRIVATE KEY)-----[\\s\\S]*?(?:-----END \\1-----|\\z)",
      MASK_TEXT },
    // The user information ends at the last @ of the authority; the account git is no secret.
    { "://(?!(?-i:git)@[^/?#\\s@]*+(?!@))[^/?#\\s]*@", "://" MASK_TEXT "@" },
    { "([?&#](?:" PARAMETERS ")=)[^&#\\s\"'<>]*", "\\1" MASK_TEXT },
    // After -H there is no word border.
    { "(?:(?<![a-z0-9_])|(?<=-H))(?:proxy-)?authorization[ \\t]*[:=][^\\r\\n]*",
      "Authorization: " MASK_TEXT },
    { "\\b(bearer|token|basic)([ \\t]+)[a-z0-9._~+/=-]{16,}", "\\1\\2" MASK_TEXT },
    { "(?-i)gh[pousr]_[A-Za-z0-9_]{16,}", MASK_TEXT, .is_for_output = true },
    { "(?-i)github_pat_[A-Za-z0-9_]{22,}", MASK_TEXT, .is_for_output = true },
    { "(?-i)v1\\.[0-9a-f]{40}", MASK_TEXT },
    { "(?-i)(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}+\\.[A-Za-z0-9_-]{10,}+\\.[A-Za-z0-9_-]*",
      MASK_TEXT },
};

static GRegex *compiled[G_N_ELEMENTS(rules)]; // written once, by compile_rules()
static pthread_once_t compiled_once = PTHREAD_ONCE_INIT;

static void compile_rules(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        g_autoptr(GError) error = NULL;
        compiled[i] = g_regex_new(rules[i].pattern,
                                  G_REGEX_RAW | G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, &error);
        g_assert_no_error(error);
    }
}

static int compare_longest_first(const void *a, const void *b)
{
    size_t left = strlen(*(const char *const *)a), right = strlen(*(const char *const *)b);
    return (left < right) - (left > right);
}

/* What every part of the process knows, then what this call alone does. */
static char *mask_known_values(const char *text, const char *const *secrets)
{
    g_autofree char *masked = mask_text(text);
    if (!secrets || !*secrets)
        return g_steal_pointer(&masked);
    g_autoptr(GPtrArray) values = g_ptr_array_new();
    for (; *secrets; secrets++)
        if (strlen(*secrets) >= MIN_KNOWN_BYTES)
            g_ptr_array_add(values, (char *)*secrets);
    // a value that begins another would leave the other's end
    g_ptr_array_sort(values, compare_longest_first);
    GString *out = g_string_new(masked);
    for (guint i = 0; i < values->len; i++)
        g_string_replace(out, values->pdata[i], MASK_TEXT, 0);
    return g_string_free(out, false);
}

static char *redact(const char *text, const char *const *secrets, bool is_output)
{
    pthread_once(&compiled_once, compile_rules);
    char *masked = mask_known_values(text, secrets);
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (is_output && !rules[i].is_for_output)
            continue;
        g_autofree char *before = masked;
        masked = g_regex_replace(compiled[i], before, -1, 0, rules[i].replacement, 0, NULL);
        if (!masked)
            return g_strdup(MASK_TEXT);
    }
    return masked;
}

char *redact_text(const char *text)
{
    return redact(text, NULL, false);
}

char *redact_text_with(const char *text, const char *const *secrets)
{
    return redact(text, secrets, false);
}

char *redact_output(const char *text, const char *const *secrets)
{
    return redact(text, secrets, true);
}
