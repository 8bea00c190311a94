/*
 * What all parts of a question ask of its state (dialog_private.h).
 */
#include "base/mask.h"
#include "base/visible.h"
#include "tui/text/clean.h"
#include "tui/view/dialog_private.h"

bool dialog_is_active(const Dialog *self)
{
    return self->is_entered || (!self->is_left && self->spec.is_editor_empty(self->spec.user_data));
}

size_t dialog_option_count(const Dialog *self)
{
    return json_array_size(json_get_array(self->question, "options"));
}

const char *dialog_option(const Dialog *self, size_t index)
{
    const char *text =
        json_string_value(json_array_get(json_get_array(self->question, "options"), index));
    return text ? text : "";
}

const char *dialog_allowance(const Dialog *self)
{
    return json_get_text(self->question, "allowance");
}

char *dialog_clean(const char *text, int tab_width)
{
    g_autofree char *masked = mask_text(text ? text : "");
    g_autofree char *visible = visible_lines(masked);
    return clean_text(visible, tab_width);
}
