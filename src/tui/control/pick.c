/*
 * Pickers of models, messages, prompts, themes, keys of the keyboard and commands (pick.h).
 */
#include "tui/control/pick.h"

#include "base/str.h"
#include "base/timefmt.h"
#include "session/prompt_history.h"
#include "tui/control/background_save.h"
#include "tui/control/pick_list.h"

enum { MAX_PROMPTS = 1000 };

// ---- models ----

static void add_fact(GString *detail, const char *fact)
{
    g_string_append_printf(detail, "%s%s", detail->len > 0 ? " · " : "", fact);
}

/* "200k · $3/$15 · thinking · images": its context, dollars of a million tokens in and out. */
static char *model_detail(const json_t *model)
{
    const json_t *cost = json_get_object(model, "cost");
    GString *detail = g_string_new(NULL);
    int64_t window = json_get_int(model, "contextWindow", 0);
    if (window > 0) {
        g_autofree char *size = window >= 1000000
                                    ? g_strdup_printf("%.3gM", (double)window / 1000000)
                                    : g_strdup_printf("%lldk", (long long)window / 1000);
        add_fact(detail, size);
    }
    if (cost) {
        g_autofree char *price =
            g_strdup_printf("$%g/$%g", json_number_value(json_object_get(cost, "input")),
                            json_number_value(json_object_get(cost, "output")));
        add_fact(detail, price);
    }
    if (json_get_bool(model, "reasoning", false))
        add_fact(detail, "thinking");
    json_each (json_get_array(model, "input"), i, input) {
        if (g_strcmp0(json_string_value(input), "image") == 0)
            add_fact(detail, "images");
    }
    return g_string_free(detail, false);
}

static GPtrArray *model_items(Tui *tui)
{
    g_autoptr(json_t) models = agent_session_available_models(tui->run->session);
    const json_t *current = json_get_object(tui_snapshot(tui), "model");
    GPtrArray *items = pick_items_new();
    json_each (models, i, model) {
        const char *provider = json_get_text(model, "provider"), *id = json_get_text(model, "id");
        g_autofree char *name = g_strdup_printf("%s/%s", provider, id);
        g_autofree char *detail = model_detail(model);
        bool is_current = g_strcmp0(json_get_text(current, "provider"), provider) == 0 &&
                          g_strcmp0(json_get_text(current, "id"), id) == 0;
        pick_items_add(items, name, detail, name, is_current);
    }
    return items;
}

static bool use_model(Tui *tui, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", 2);
    g_autoptr(GError) error = NULL;
    if (!agent_session_set_model(tui->run->session, parts[0], parts[1], &error)) {
        tui_error(tui, "%s", error->message);
        return false;
    }
    tui_stale(tui);
    return true;
}

static void choose_for_session(Tui *tui, const char *name)
{
    if (use_model(tui, name))
        tui_say(tui, "The model is %s from the next turn on.", name);
}

/* And new sessions begin with it. */
static void choose_for_good(Tui *tui, const char *name)
{
    static const char *const parts[] = { "modelRoles", "default", NULL };
    g_autoptr(json_t) value = json_text(name);
    const SettingChange change = { parts, value };
    if (!use_model(tui, name))
        return;
    g_autofree char *what = g_strdup_printf("the model is %s now, but could not be kept", name);
    g_autofree char *told =
        g_strdup_printf("The model is %s from the next turn on, and in new sessions.", name);
    later_save(tui, &change, what, told);
}

void pick_model(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Model",
        .hint = "Enter takes it, for new sessions, too (alt+p: for this one), Esc leaves",
        .empty = "There is no model with a key: /login PROVIDER",
        .chosen = choose_for_good,
    };
    pick_list_open(tui, model_items(tui), 0, &spec);
}

void pick_model_for_session(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Model of this session",
        .hint = "Enter takes it, Esc leaves, typing looks for one",
        .empty = "There is no model with a key: /login PROVIDER",
        .chosen = choose_for_session,
    };
    pick_list_open(tui, model_items(tui), 0, &spec);
}

// ---- messages to go on from ----

static void choose_branch(Tui *tui, const char *entry_id)
{
    g_autoptr(GError) error = NULL;
    if (!agent_session_branch(tui->run->session, entry_id, "slash:branch", &error))
        tui_error(tui, "%s", error->message);
}

void pick_branch(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Go on from before a message, in a new session",
        .hint = "Enter takes it, Esc leaves",
        .empty = "There is no message yet.",
        .keeps_order = true,
        .chosen = choose_branch,
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) points = agent_session_branch_points(tui->run->session, &error);
    GPtrArray *items = pick_items_new();
    json_each (points, i, point)
        pick_items_add(items, json_get_text(point, "text"), NULL, json_get_text(point, "entryId"),
                       false);
    if (error)
        tui_hint(tui, error->message);
    pick_list_open(tui, items, items->len > 0 ? items->len - 1 : 0, &spec);
}

// ---- prompts of before ----

static void choose_prompt(Tui *tui, const char *prompt)
{
    editor_insert(tui->input->editor, prompt);
}

/* On a worker. */
static GPtrArray *prompt_items(void *agent_dir, Cancel *cancel G_GNUC_UNUSED,
                               GError **error G_GNUC_UNUSED)
{
    g_autoptr(json_t) prompts = prompt_history_recent(agent_dir, MAX_PROMPTS);
    GPtrArray *items = pick_items_new();
    json_each (prompts, i, prompt) {
        gint64 age = time_now_ms() - json_get_int(prompt, "created", 0) * 1000;
        g_autofree char *when = time_age_text(age);
        pick_items_add(items, json_get_text(prompt, "prompt"), *when ? when : "just now",
                       json_get_text(prompt, "prompt"), false);
    }
    return items;
}

void pick_prompt(Tui *tui)
{
    static const PickSpec spec = {
        .title = "What was asked before",
        .hint = "Enter puts it into the editor, Esc leaves",
        .empty = "Nothing was asked yet.",
        .keeps_order = true,
        .chosen = choose_prompt,
    };
    pick_list_open_later(tui, &spec, prompt_items, g_strdup(tui->slash.place.agent_dir), g_free);
}

// ---- themes ----

static void show_theme(Tui *tui, const char *name)
{
    g_autoptr(GError) error = NULL;
    if (!tui_set_theme(tui, name, &error))
        tui_hint(tui, error->message);
}

static void restore_theme(Tui *tui)
{
    tui_update_look(tui);
}

static void choose_theme(Tui *tui, const char *name)
{
    const char *const parts[] = { "theme", tui->look->caps.is_light ? "light" : "dark", NULL };
    g_autoptr(json_t) value = json_text(name);
    const SettingChange change = { parts, value };
    tui_change_setting(tui, &change);
    later_save(tui, &change, "the theme could not be kept", NULL);
}

void pick_theme(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Theme",
        .hint = "Enter takes it, Esc goes back",
        .empty = "There is no theme.",
        .keeps_order = true,
        .chosen = choose_theme,
        .cancelled = restore_theme,
        .moved = show_theme,
    };
    g_autofree char *dir = g_build_filename(tui->slash.place.agent_dir, "themes", NULL);
    const char *key = tui->look->caps.is_light ? "theme.light" : "theme.dark";
    g_auto(GStrv) names = theme_names(dir);
    GPtrArray *items = pick_items_new();
    for (char **name = names; *name; name++)
        pick_items_add(items, *name, NULL, *name,
                       g_strcmp0(*name, settings_get_text(tui->look->settings, key)) == 0);
    pick_list_open(tui, items, 0, &spec);
}

// ---- keys of the keyboard ----

/* Those of the program can be had by name; what a key does in a list is only shown. */
static void run_action(Tui *tui, const char *id)
{
    g_autofree char *text = g_strconcat("#", id, NULL);
    if (str_has_prefix(id, "app."))
        editor_insert(tui->input->editor, text);
}

void pick_key_help(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Keys",
        .hint = "Esc leaves, typing looks for one",
        .empty = "",
        .chosen = run_action,
    };
    GPtrArray *items = pick_items_new();
    for (int action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
        g_autofree char *keys = keymap_keys(tui->input->keymap, action);
        if (*keys)
            pick_items_add(items, keys, action_help(action), action_id(action), false);
    }
    pick_list_open(tui, items, 0, &spec);
}

// ---- what a command has looked up ----

static void run_found(Tui *tui, const char *line)
{
    g_autoptr(GError) error = NULL;
    if (*line && !slash_run(&tui->slash, line, &error) && error) // "": nothing is to be done
        tui_error(tui, "%s", error->message);
}

void pick_found(Tui *tui, const json_t *list)
{
    static const PickSpec spec = {
        .title = "",
        .hint = "Enter opens, Esc leaves, typing looks for one",
        .empty = "",
        .keeps_order = true,
        .is_tall = true,
        .chosen = run_found,
    };
    GPtrArray *items = pick_items_new();
    json_each (json_get_array(list, "items"), i, item)
        pick_items_add(items, json_get_text(item, "text"), json_get_text(item, "detail"),
                       json_get_text(item, "meant"), false);
    pick_list_set_title(pick_list_open(tui, items, 0, &spec), json_get_text(list, "title"));
}

// ---- commands ----

static void write_command(Tui *tui, const char *text)
{
    editor_insert(tui->input->editor, text);
}

void pick_command(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Commands",
        .hint = "Enter writes it, Esc leaves, typing looks for one; ? shows the keys",
        .empty = "",
        .is_tall = true,
        .chosen = write_command,
    };
    static const struct {
        const char *text, *help, *meant;
    } others[] = {
        { "!COMMAND", "runs a shell command and shows it to the model", "!" },
        { "!!COMMAND", "runs it and keeps it from the model", "!!" },
        { "$CODE", "runs Python and shows it to the model; $$CODE keeps it from the model", "$" },
        { "@FILE", "names a file of this directory", "@" },
        { "#ACTION", "does what a key does", "#" },
    };
    GPtrArray *items = pick_items_new();
    const SessionCommand *command = NULL;
    for (size_t i = 0;; i++) {
        g_autofree char *usage = slash_usage_line(&tui->slash, i, &command);
        if (!usage)
            break;
        g_autofree char *meant =
            g_strconcat("/", command->slash, command->argument ? " " : "", NULL);
        pick_items_add(items, usage, command->summary, meant, false);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        pick_items_add(items, others[i].text, others[i].help, others[i].meant, false);
    pick_list_open(tui, items, 0, &spec);
}
