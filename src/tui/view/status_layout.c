/*
 * What the status line shows (status.h): presets, or the settings of a person's own.
 */
#include "tui/view/status_private.h"

typedef struct Preset {
    const char *name, *left, *right; // segments
} Preset;

static const Preset presets[] = {
    { "default", "logo vim model mode path git pr context_pct cost", "session_name" },
    { "minimal", "vim path git", "session_name mode context_pct" },
    { "compact", "vim model mode git pr", "session_name cost context_pct" },
    { "full", "logo vim hostname model mode path git pr subagents",
      "session_name token_in token_out token_rate cache_read cost context_pct time_spent time" },
    { "nerd", "logo vim hostname model mode path git pr session subagents",
      "token_in token_out token_rate cache_read cache_write cost context_pct context_total "
      "time_spent time" },
    { "ascii", "vim hostname model mode path git pr",
      "session_name token_total token_rate cost context_pct time" },
};

static const struct {
    const char *name, *left, *right; // NULL: the theme's
} separators[] = {
    { "powerline-thin", NULL, NULL },
    { "powerline", "\ue0b0", "\ue0b2" },
    { "slash", "/", "/" },
    { "pipe", "|", "|" },
    { "block", "▌", "▐" },
    { "none", "", "" },
    { "ascii", ">", "<" },
};

size_t status_segment_number(const char *name)
{
    for (size_t i = 0; status_segment_name(i); i++) {
        if (g_str_equal(status_segment_name(i), name))
            return i;
    }
    return SIZE_MAX;
}

/* False: there is no such segment. */
static bool side_take(StatusSide *self, const char *name)
{
    size_t number = name ? status_segment_number(name) : SIZE_MAX;
    if (number == SIZE_MAX)
        return false;
    self->segments[self->count++] = (uint8_t)number;
    return true;
}

static void take_names(const char *names, StatusSide *side)
{
    g_auto(GStrv) each = g_strsplit(names, " ", MAX_SEGMENTS);
    for (size_t i = 0; each[i]; i++) {
        bool is_known = side_take(side, each[i]);
        g_assert(is_known);
    }
}

static void warn(GPtrArray *warnings, const char *key, const char *what)
{
    g_autoptr(GString) known = g_string_new(status_segment_name(0));
    for (size_t i = 1; status_segment_name(i); i++)
        g_string_append_printf(known, ", %s", status_segment_name(i));
    if (warnings)
        g_ptr_array_add(warnings,
                        g_strdup_printf("setting %s: %s; segments are %s", key, what, known->str));
}

/* The segments of one's own setting. */
static void take_setting(const Settings *settings, const char *key, StatusSide *side,
                         GPtrArray *warnings)
{
    json_each (settings_get_json(settings, key), i, each) {
        if (side->count == MAX_SEGMENTS) {
            g_autofree char *what =
                g_strdup_printf("more than %d segments, the rest is left out", MAX_SEGMENTS);
            warn(warnings, key, what);
            return;
        }
        if (side_take(side, json_string_value(each)))
            continue;
        g_autofree char *shown = json_to_text(each);
        g_autofree char *what = g_strdup_printf("there is no segment %s", shown);
        warn(warnings, key, what);
    }
}

static void take_separator(StatusLayout *self, const Settings *settings, bool is_ascii)
{
    const char *key = "statusLine.separator", *name = settings_get_text(settings, key);
    if (is_ascii && settings_origin(settings, key) == SETTING_FROM_DEFAULT)
        name = "ascii";
    for (size_t i = 0; i < G_N_ELEMENTS(separators); i++) {
        if (g_strcmp0(name, separators[i].name) != 0)
            continue;
        self->left.mark = separators[i].left;
        self->right.mark = separators[i].right;
    }
}

StatusLayout *status_layout_new(const Settings *settings, GPtrArray *warnings)
{
    StatusLayout *self = g_new0(StatusLayout, 1);
    const char *name = settings_get_text(settings, "statusLine.preset");
    take_separator(self, settings, g_strcmp0(name, "ascii") == 0);
    if (g_strcmp0(name, "custom") == 0) {
        take_setting(settings, "statusLine.leftSegments", &self->left, warnings);
        take_setting(settings, "statusLine.rightSegments", &self->right, warnings);
        return self;
    }
    const Preset *preset = &presets[0];
    for (size_t i = 0; i < G_N_ELEMENTS(presets); i++) {
        if (g_strcmp0(presets[i].name, name) == 0)
            preset = &presets[i];
    }
    take_names(preset->left, &self->left);
    take_names(preset->right, &self->right);
    return self;
}

void status_layout_free(StatusLayout *self)
{
    g_free(self);
}

static bool side_has(const StatusSide *side, size_t number)
{
    return side->count > 0 && memchr(side->segments, (int)number, side->count) != NULL;
}

bool status_layout_has(const StatusLayout *self, const char *segment)
{
    size_t number = status_segment_number(segment);
    return number != SIZE_MAX && (side_has(&self->left, number) || side_has(&self->right, number));
}
