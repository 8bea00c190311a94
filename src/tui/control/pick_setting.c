/*
 * The menu of settings (agent-core §7.9), made of the table of settings: all of them, or one group
 * at a time, values saved at once, those of the interface seen at once.
 */
#include "tui/control/pick.h"

#include "tool/settings_path.h"
#include "tool/settings_project.h"
#include "tool/settings_reference.h"
#include "tool/settings_value.h"
#include "tui/control/background_save.h"
#include "tui/control/pick_ask.h"
#include "tui/control/pick_list.h"
#include "tui/control/tui_own.h"

// ---- saving ----

/* The interface takes it up now; what a conversation goes by it reads itself, before its next piece
   of work, but for what guards the person, which stays until the next start. */
static void tui_apply(Tui *tui, const SettingPath *path, json_t *value)
{
    const SettingKey *key = path->key;
    const SettingChange change = { (const char *const *)path->parts, value };
    tui_change_setting(tui, &change);
    if (setting_is_guard(key->scope) && strcmp(setting_group(key->key), "Interface") != 0)
        tui_say(tui, "%s is kept; it counts from the next start on.", key->key);
}

static void tui_save(Tui *tui, const char *name, json_t *value)
{
    g_auto(SettingPath) path = { 0 };
    g_autoptr(GError) error = NULL;
    if (!setting_path_parse(name, &path, &error)) {
        tui_error(tui, "%s", error->message);
        return;
    }
    const SettingChange change = { (const char *const *)path.parts, value };
    g_autofree char *what = g_strdup_printf("%s counts now, but could not be kept", name);
    tui_apply(tui, &path, value);
    later_save(tui, &change, what, NULL);
}

static void open_menu(Tui *tui, const char *name);

// ---- values ----

static char *value_text(const Settings *settings, const SettingKey *key)
{
    const char *text = NULL;
    switch (key->type) {
    case SETTING_BOOLEAN:
        return g_strdup(settings_get_bool(settings, key->key) ? "true" : "false");
    case SETTING_NUMBER:
        return g_strdup_printf("%g", settings_get_number(settings, key->key));
    case SETTING_STRING:
    case SETTING_ENUM:
        text = settings_get_text(settings, key->key);
        return g_strdup(text ? text : "");
    case SETTING_ARRAY:
    case SETTING_RECORD:
        break;
    }
    return setting_value_text(settings_get_json(settings, key->key));
}

static void take_text(Tui *tui, const char *name, const char *text)
{
    const SettingKey *key = setting_key_find(name);
    g_autoptr(json_t) value = NULL;
    g_autoptr(GError) error = NULL;
    if (text && !setting_value_parse(key, text, &value, &error))
        tui_error(tui, "%s: %s", name, error->message);
    else if (text)
        tui_save(tui, name, value);
    open_menu(tui, name);
}

static void tui_change(Tui *tui, const char *name)
{
    const SettingKey *key = setting_key_find(name);
    g_autofree char *title = g_strdup_printf("%s: %s", name, key->help);
    g_autofree char *text = value_text(tui->look->settings, key);
    switch (key->type) {
    case SETTING_BOOLEAN: {
        g_autoptr(json_t) value = json_boolean(!settings_get_bool(tui->look->settings, name));
        tui_save(tui, name, value);
        open_menu(tui, name);
        break;
    }
    case SETTING_ENUM:
        pick_ask_option(tui, title, key->values, name, take_text);
        break;
    case SETTING_NUMBER:
    case SETTING_STRING:
        pick_ask_text(tui, title, text, name, take_text);
        break;
    case SETTING_ARRAY:
    case SETTING_RECORD:
        tui_say(tui, "%s is a list or a map: `kedge config edit` opens the file.", name);
        break;
    }
}

// ---- the list ----

/* *ret_place: where `name` stands, when it is of this group. */
static void add_items(const Tui *tui, const char *group, const char *name, GPtrArray *items,
                      size_t *ret_place)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    for (size_t i = 0; i < count; i++) {
        if (g_strcmp0(setting_group(keys[i].key), group) != 0)
            continue;
        g_autofree char *value = value_text(tui->look->settings, &keys[i]);
        g_autofree char *text = g_strdup_printf("%s = %s", keys[i].key, value);
        if (g_strcmp0(keys[i].key, name) == 0)
            *ret_place = items->len;
        pick_items_add(items, text, keys[i].help, keys[i].key, false);
    }
}

static PanelResult on_key(PickList *list, const PickItem *item G_GNUC_UNUSED,
                          KeyPress key G_GNUC_UNUSED, Action action)
{
    Tui *tui = pick_list_tui(list);
    if (action != ACTION_LIST_TAB)
        return PANEL_UNUSED;
    panels_own(tui)->setting_group++;
    pick_setting(tui);
    return PANEL_DONE;
}

/* Standing on the setting `name`; NULL: on the first one. */
static void open_menu(Tui *tui, const char *name)
{
    const char *const *groups = setting_groups();
    size_t shown = tui->panels->setting_group, place = 0; // 0: all of them
    if (shown > 0 && !groups[shown - 1])
        shown = panels_own(tui)->setting_group = 0;
    g_autofree char *title =
        shown > 0 ? g_strdup_printf("Settings: %s", groups[shown - 1]) : g_strdup("Settings");
    const PickSpec spec = {
        .title = title,
        .hint = "Enter changes, Tab shows one group, Esc leaves, typing looks for one",
        .empty = "There is no such setting.",
        .is_tall = true,
        .chosen = tui_change,
        .key = on_key,
    };
    GPtrArray *items = pick_items_new();
    for (size_t i = 0; groups[i]; i++) {
        if (shown == 0 || shown - 1 == i)
            add_items(tui, groups[i], name, items, &place);
    }
    pick_list_open(tui, items, place, &spec);
}

void pick_setting(Tui *tui)
{
    open_menu(tui, NULL);
}
