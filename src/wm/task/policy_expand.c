/*
 * Title prefixes with expressions (policy_expand.h). Nothing else of a policy is expanded: a list
 * of what is allowed must not be made of what a stranger wrote.
 */
#include "wm/task/policy_expand.h"

#include "base/utf8.h"
#include "wm/task/expression.h"

static const char *const prefix_options[] = { "title-prefix", "required-title-prefix" };

/* On one line, with the blank at its end if there is one. New reference; NULL: as it was. */
static json_t *expanded(const char *text, const WmScope *scope)
{
    g_autofree char *whole = NULL;
    if (!wm_expressions_expand(text, scope, true, &whole, NULL))
        return NULL;
    g_strdelimit(whole, "\r\n\t", ' ');
    g_strchug(whole);
    if (utf8_length(whole) <= WM_MAX_PREFIX_CHARS)
        return json_text(whole);
    g_autofree char *cut = utf8_ellipsize(whole, WM_MAX_PREFIX_CHARS);
    g_autofree char *spaced = g_strconcat(cut, g_str_has_suffix(whole, " ") ? " " : "", NULL);
    return json_text(spaced);
}

void wm_policy_expand(WmPolicy *self, const char *task_name, const WmEvent *event)
{
    g_auto(WmSanitized) sanitized = { 0 };
    wm_event_sanitize(event, &sanitized);
    const WmScope scope = { .task_name = task_name, .event = event, .sanitized = &sanitized };
    for (WmKind kind = 0; kind < WM_KINDS; kind++) {
        const WmHandler *handler = &self->handlers[kind];
        json_t *options = json_object_get(self->options, wm_kind_table[kind].handler);
        for (size_t i = 0; options && i < G_N_ELEMENTS(prefix_options); i++) {
            const char *text = wm_handler_text(handler, prefix_options[i]);
            if (text && strstr(text, "${{"))
                json_set_take(options, prefix_options[i], expanded(text, &scope));
        }
    }
}
