/*
 * Targets and temporary ids of items (item_target.h).
 */
#include "wm/apply/item_target.h"

#include "base/str.h"
#include "base/utf8.h"
#include "wm/apply/item_fields.h"

#define MIN_ID_BYTES 3
#define MAX_ID_BYTES 32

static bool is_word(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

static size_t word_size(const char *text)
{
    size_t size = 0;
    while (is_word(text[size]))
        size++;
    return size;
}

static bool is_temporary_id(const char *text, size_t size)
{
    if (size < MIN_ID_BYTES || size > MAX_ID_BYTES || !g_ascii_isalpha(text[0]))
        return false;
    size_t letters = 0;
    while (letters < size && g_ascii_isalpha(text[letters]))
        letters++;
    return letters < size && word_size(text) >= size;
}

char *wm_temporary_id(const char *text)
{
    size_t size = strlen(text);
    return is_temporary_id(text, size) ? g_ascii_strdown(text, (gssize)size) : NULL;
}

bool wm_item_set_temporary_id(const WmItemScope *scope, const json_t *raw, WmItem *item,
                              GError **error)
{
    const char *given = json_get_text(raw, "temporary_id");
    if (str_is_empty(given) || !wm_kind_has_temporary_id(item->kind))
        return true;
    g_autofree char *trimmed = utf8_trim(given);
    g_autofree char *id = wm_temporary_id(trimmed[0] == '#' ? trimmed + 1 : trimmed);
    if (!id)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "temporary_id \"%s\" needs 3 to 32 letters, digits and _, a letter first, "
                         "with a digit or _",
                         trimmed);
    if (json_object_get(scope->made, id))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "temporary_id \"%s\" is that of an earlier item", id);
    json_set_text(item->fields, "temporary_id", id);
    return true;
}

/* The number at `#id`, and the size of that in the text; 0: nothing to replace. */
static int64_t number_at(const json_t *made, const char *text, const char *at, size_t *ret_size)
{
    size_t size = word_size(at + 1);
    bool begins_word = at == text || (!is_word(at[-1]) && at[-1] != '/' && at[-1] != '&');
    if (!begins_word || !is_temporary_id(at + 1, size))
        return 0;
    g_autofree char *id = g_ascii_strdown(at + 1, (gssize)size);
    *ret_size = size + 1;
    return json_get_int(made, id, 0);
}

static char *with_numbers(const json_t *made, const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *at = text; *at;) {
        size_t size = 0;
        int64_t number = *at == '#' ? number_at(made, text, at, &size) : 0;
        if (number > 0)
            g_string_append_printf(out, "#%" G_GINT64_FORMAT, number);
        else
            g_string_append_c(out, *at);
        at += number > 0 ? size : 1;
    }
    return g_string_free(out, FALSE);
}

void wm_item_link_ids(const WmItemScope *scope, json_t *fields)
{
    static const char *const names[] = { "title", "body", "comment" };
    if (json_object_size(scope->made) == 0)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *text = json_get_text(fields, names[i]);
        if (!text)
            continue;
        g_autofree char *linked = with_numbers(scope->made, text);
        json_set_text(fields, names[i], linked);
    }
}

// in the order in which they count; NULL-terminated
static const char *const conversation_names[] = {
    "target", "issue_number", "pull_request_number", "item_number", NULL,
};
static const char *const issue_names[] = { "target", "issue_number", "item_number", NULL };
static const char *const pull_names[] = {
    "target", "pull_request_number", "issue_number", "item_number", NULL,
};

static const char *const *target_names(WmKind kind)
{
    if (wm_kind_is_of_pull_request(kind))
        return pull_names;
    return kind == WM_UPDATE_ISSUE || kind == WM_CLOSE_ISSUE ? issue_names : conversation_names;
}

/* What the item itself names: sets `number`, or `target_id` of its fields. */
static bool read_target(const WmItemScope *scope, const json_t *raw, WmItem *item, GError **error)
{
    json_set_int(item->fields, "target", 0);
    for (const char *const *name = target_names(item->kind); *name; name++) {
        const char *given = json_get_text(raw, *name);
        g_autofree char *trimmed = utf8_trim(given ? given : "");
        const char *word = trimmed[0] == '#' ? trimmed + 1 : trimmed;
        g_autofree char *id = wm_temporary_id(word);
        int64_t number = wm_item_integer(raw, *name);
        if (given && g_ascii_isdigit(word[0]) && !str_parse_int(word, &number))
            number = 0;
        bool is_nothing = word[0] == '\0' || strspn(word, "0") == strlen(word);
        if (id && !json_object_get(scope->made, id))
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "no earlier item has the temporary id \"%s\"", id);
        if (given && !id && number <= 0 && !is_nothing)
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "%s \"%s\" is neither a number nor a temporary id", *name, trimmed);
        if (id) {
            json_set_text(item->fields, "target", id);
            item->target_id = json_get_text(item->fields, "target");
            item->number = json_get_int(scope->made, id, 0);
            return true;
        }
        if (number > 0) {
            json_set_int(item->fields, "target", number);
            item->number = number;
            return true;
        }
    }
    return true;
}

static bool fail_without_number(WmKind kind, GError **error)
{
    static const char *const of_pull = "no PR number or GITHUB_REPOSITORY";
    const char *text = of_pull;
    if (kind == WM_ADD_COMMENT)
        text = "no issue or PR number (set --target or run with issue/PR context)";
    else if (kind == WM_ADD_LABELS || kind == WM_REMOVE_LABELS)
        text = "no issue/PR number or repository";
    else if (kind == WM_UPDATE_ISSUE || kind == WM_CLOSE_ISSUE)
        text = "no issue number or GITHUB_REPOSITORY";
    else if (kind == WM_UPDATE_PULL_REQUEST)
        text = "no PR/issue number or GITHUB_REPOSITORY";
    else if (kind == WM_PUSH_TO_PULL_REQUEST_BRANCH)
        text = "no PR number (set --target or WM_PR_NUMBER)";
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", text);
}

static bool fail_not_allowed(const WmItem *item, const char *allowed, GError **error)
{
    g_autofree char *target = item->target_id ? g_strdup(item->target_id)
                                              : g_strdup_printf("%" G_GINT64_FORMAT, item->number);
    return fail_with(error, KEDGE_ERROR_DENIED, "target %s not allowed by policy (target: %s)",
                     target, allowed);
}

/* The triggering number, that for pull requests first where that fits the kind. */
static int64_t triggering_number(const WmItemScope *scope, WmKind kind)
{
    bool has_pull_first = kind == WM_ADD_COMMENT || wm_kind_is_of_pull_request(kind);
    int64_t first = has_pull_first ? scope->pull : scope->issue;
    int64_t second = has_pull_first ? scope->issue : scope->pull;
    return first > 0 ? first : second;
}

bool wm_target_is_free(const WmHandler *handler)
{
    const json_t *option = json_object_get(handler->options, "target");
    return !option || json_is_null(option) || g_strcmp0(json_string_value(option), "*") == 0;
}

/* The option `target` (D15); what it is not understood as is `triggering`. */
static bool apply_policy(const WmItemScope *scope, WmItem *item, GError **error)
{
    const WmHandler *handler = &scope->policy->handlers[item->kind];
    const json_t *option = json_object_get(handler->options, "target");
    int64_t triggering = triggering_number(scope, item->kind);
    bool has_target = item->number > 0 || item->target_id;
    if (wm_target_is_free(handler)) {
        if (!has_target)
            item->number = triggering;
        return true;
    }
    int64_t fixed = json_integer_value(option);
    if (json_is_string(option) && !str_parse_int(json_string_value(option), &fixed))
        fixed = 0;
    if (fixed > 0) {
        g_autofree char *allowed = g_strdup_printf("%" G_GINT64_FORMAT, fixed);
        if (has_target && (item->target_id || item->number != fixed))
            return fail_not_allowed(item, allowed, error);
        item->number = fixed;
        return true;
    }
    if (triggering <= 0)
        return fail_without_number(item->kind, error);
    bool is_triggering = item->number == scope->issue || item->number == scope->pull;
    if (has_target && (item->target_id || !is_triggering))
        return fail_not_allowed(item, "triggering", error);
    if (!has_target)
        item->number = triggering;
    return true;
}

bool wm_item_set_target(const WmItemScope *scope, const json_t *raw, WmItem *item, GError **error)
{
    if (!read_target(scope, raw, item, error) || !apply_policy(scope, item, error))
        return false;
    bool needs_repo = item->kind != WM_ADD_COMMENT && item->kind != WM_PUSH_TO_PULL_REQUEST_BRANCH;
    bool has_number = item->number > 0 || item->target_id;
    if (!has_number || (needs_repo && !scope->repo))
        return fail_without_number(item->kind, error);
    return true;
}
