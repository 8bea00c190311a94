/*
 * The tables of --list-models (agent-core §1.8).
 */
#include "model/select_private.h"

#include "base/utf8.h"
#include "base/visible.h"

#define TAG_CHARS  30  // of a role, as a person calls it
#define CELL_CHARS 200 // of a name that a server has chosen

enum { COLUMN_MAX = 8 };

typedef struct Table {
    size_t column_count;
    GPtrArray *rows; // of NULL-terminated char **
} Table;

/* Takes ownership of the row, whose cells become what a terminal may show. */
static void table_add(Table *self, char **row)
{
    for (char **cell = row; *cell; cell++) {
        g_autoptr(GString) shown = g_string_new(NULL);
        g_autofree char *given = *cell, *cut = utf8_ellipsize(given, CELL_CHARS);
        visible_append(shown, cut);
        *cell = g_strdup(shown->str);
    }
    g_ptr_array_add(self->rows, row);
}

static Table table_new(const char *const *titles)
{
    Table self = { g_strv_length((char **)titles),
                   g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev) };
    g_ptr_array_add(self.rows, g_strdupv((char **)titles));
    return self;
}

static void table_clear(Table *self)
{
    g_ptr_array_unref(self->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Table, table_clear)

static void append_table(GString *text, const Table *table)
{
    size_t widths[COLUMN_MAX] = { 0 };
    for (guint r = 0; r < table->rows->len; r++) {
        char *const *row = g_ptr_array_index(table->rows, r);
        for (size_t i = 0; row[i]; i++)
            widths[i] = MAX(widths[i], strlen(row[i]));
    }
    for (guint r = 0; r < table->rows->len; r++) {
        char *const *row = g_ptr_array_index(table->rows, r);
        for (size_t i = 0; row[i + 1]; i++)
            g_string_append_printf(text, "%-*s  ", (int)widths[i], row[i]);
        g_string_append_printf(text, "%s\n", row[table->column_count - 1]);
    }
}

/* 200000 → 200K, 1048576 → 1.0M, 131072 → 131.1K */
static char *format_tokens(int64_t count)
{
    if (count < 1000)
        return g_strdup_printf("%d", (int)count);
    bool is_mega = count >= 1000 * 1000;
    double unit = is_mega ? 1e6 : 1e3;
    bool is_whole = count % (int64_t)unit == 0;
    return g_strdup_printf("%.*f%c", is_whole ? 0 : 1, (double)count / unit, is_mega ? 'M' : 'K');
}

static char *successor_cell(const Model *model)
{
    if (!model->is_deprecated)
        return g_strdup("no");
    return model->successor ? g_strconcat("for ", model->successor, NULL) : g_strdup("yes");
}

/* The roles that the model is chosen for: [{"id":"smol","name":"Quick","color":"green"}], the last
   two as the tags say. New reference. */
static json_t *roles_of(const Model *model, const ModelListOptions *options)
{
    g_autofree char *own = g_strconcat(model->provider, "/", model->id, NULL);
    json_t *roles = json_array();
    json_each_member (options->roles, role, name) {
        if (g_strcmp0(json_string_value(name), own) != 0)
            continue;
        const json_t *tag = json_get_object(options->tags, role);
        json_t *object = json_pack("{s:s}", "id", role);
        json_add(object, "name:%s color:%s", json_get_text(tag, "name"),
                 json_get_text(tag, "color"));
        json_append_take(roles, object);
    }
    return roles;
}

static char *roles_cell(const Model *model, const ModelListOptions *options)
{
    g_autoptr(json_t) roles = roles_of(model, options);
    g_autoptr(GString) text = g_string_new(NULL);
    json_each (roles, i, role) {
        const char *name = json_get_text(role, "name");
        g_autofree char *cut = utf8_ellipsize(name ? name : json_get_text(role, "id"), TAG_CHARS);
        g_string_append(text, i > 0 ? ", " : "");
        visible_append(text, cut);
    }
    return g_strdup(text->str);
}

static bool has_roles(const GPtrArray *models, const ModelListOptions *options)
{
    for (guint i = 0; i < models->len; i++) {
        g_autoptr(json_t) roles = roles_of(g_ptr_array_index(models, i), options);
        if (json_array_size(roles) > 0)
            return true;
    }
    return false;
}

static char **model_row(const Model *model, const ModelListOptions *options, bool has_roles)
{
    char **row = g_new0(char *, COLUMN_MAX + 1);
    row[0] = g_strdup(model->provider);
    row[1] = g_strdup(model->id);
    row[2] = format_tokens(model->context_window);
    row[3] = format_tokens(model->max_tokens);
    row[4] = g_strdup(model->is_reasoning ? "yes" : "no");
    row[5] = g_strdup(model->accepts_images ? "yes" : "no");
    size_t next = 6;
    if (options->has_deprecated)
        row[next++] = successor_cell(model);
    if (has_roles)
        row[next] = roles_cell(model, options);
    return row;
}

static int compare_models(gconstpointer a_, gconstpointer b_)
{
    const Model *a = *(const Model *const *)a_;
    const Model *b = *(const Model *const *)b_;
    int order = strcmp(a->provider, b->provider);
    return order != 0 ? order : strcmp(a->id, b->id);
}

/* Every word of the pattern must match. */
static bool is_wanted(const Model *model, const char *pattern)
{
    if (!pattern)
        return true;
    g_autofree char *text = g_strconcat(model->provider, " ", model->id, NULL);
    g_auto(GStrv) words = g_strsplit_set(pattern, " \t", -1);
    for (char **word = words; *word; word++) {
        if (!registry_is_fuzzy_match(text, *word))
            return false;
    }
    return true;
}

/* What can be used now and is asked for, sorted. */
static GPtrArray *listed_models(const ModelRegistry *self, const ModelListOptions *options,
                                bool *ret_is_any_usable)
{
    GPtrArray *models = g_ptr_array_new();
    const GPtrArray *all = registry_models(self, NULL);
    *ret_is_any_usable = false;
    for (guint i = 0; i < all->len; i++) {
        Model *model = g_ptr_array_index(all, i);
        if (!model_registry_is_available(self, model, false))
            continue;
        *ret_is_any_usable = true;
        if ((options->has_deprecated || !model->is_deprecated) &&
            is_wanted(model, options->pattern))
            g_ptr_array_add(models, model);
    }
    g_ptr_array_sort(models, compare_models);
    return models;
}

// ---- what several providers have ----

typedef struct Canonical {
    char *id;
    const Model *chosen; // what the id alone means
    GString *others;     // "provider/id, …"
    bool has_other_provider;
} Canonical;

static void canonical_free(gpointer self_)
{
    Canonical *self = self_;
    g_free(self->id);
    g_string_free(self->others, TRUE);
    g_free(self);
}

static void append_name(GString *text, const Model *model)
{
    g_string_append_printf(text, "%s%s/%s", text->len > 0 ? ", " : "", model->provider, model->id);
}

static void add_to_canonical(const ModelRegistry *self, Canonical *group, const Model *model)
{
    group->has_other_provider |= strcmp(group->chosen->provider, model->provider) != 0;
    const Model *other = model;
    if (select_is_better(self, model, group->chosen)) {
        other = group->chosen;
        group->chosen = model;
    }
    append_name(group->others, other);
}

/* Of Canonical, sorted like `models`. */
static GPtrArray *canonical_models(const ModelRegistry *self, const GPtrArray *models)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(canonical_free);
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        g_autofree char *id = select_canonical_id(model);
        Canonical *group = g_hash_table_lookup(by_id, id);
        if (group) {
            add_to_canonical(self, group, model);
            continue;
        }
        group = g_new0(Canonical, 1);
        group->id = g_steal_pointer(&id);
        group->chosen = model;
        group->others = g_string_new(NULL);
        g_hash_table_insert(by_id, group->id, group);
        g_ptr_array_add(groups, group);
    }
    return groups;
}

static void append_canonical(GString *text, const ModelRegistry *self, const GPtrArray *models)
{
    static const char *const titles[] = { "canonical", "chosen", "also", NULL };
    g_autoptr(GPtrArray) groups = canonical_models(self, models);
    g_auto(Table) table = table_new(titles);
    for (guint i = 0; i < groups->len; i++) {
        const Canonical *group = g_ptr_array_index(groups, i);
        if (!group->has_other_provider)
            continue;
        char **row = g_new0(char *, G_N_ELEMENTS(titles));
        row[0] = g_strdup(group->id);
        row[1] = g_strconcat(group->chosen->provider, "/", group->chosen->id, NULL);
        row[2] = g_strdup(group->others->str);
        table_add(&table, row);
    }
    if (table.rows->len == 1)
        return;
    g_string_append(text, "Canonical models\n");
    append_table(text, &table);
    g_string_append_c(text, '\n');
}

// ---- the answers ----

char *model_registry_list_text(const ModelRegistry *self, const ModelListOptions *options)
{
    const char *titles[COLUMN_MAX + 1] = { "provider", "model",    "context",
                                           "max-out",  "thinking", "images" };
    size_t next = 6;
    bool is_any_usable = false;
    g_autoptr(GPtrArray) models = listed_models(self, options, &is_any_usable);
    if (!is_any_usable) {
        g_autofree char *nothing = model_registry_no_key_text();
        return g_strconcat(nothing, "\n", NULL);
    }
    if (models->len == 0)
        return g_strdup_printf("No models matching \"%s\"\n",
                               options->pattern ? options->pattern : "");

    GString *text = g_string_new(NULL);
    append_canonical(text, self, models);
    bool shows_roles = has_roles(models, options);
    if (options->has_deprecated)
        titles[next++] = "deprecated";
    if (shows_roles)
        titles[next] = "roles";
    g_auto(Table) table = table_new(titles);
    for (guint i = 0; i < models->len; i++)
        table_add(&table, model_row(g_ptr_array_index(models, i), options, shows_roles));
    append_table(text, &table);
    return g_string_free(text, FALSE);
}

json_t *model_registry_list_json(const ModelRegistry *self, const ModelListOptions *options)
{
    bool is_any_usable = false;
    g_autoptr(GPtrArray) models = listed_models(self, options, &is_any_usable);
    json_t *list = json_array();
    for (guint i = 0; i < models->len; i++) {
        const Model *model = g_ptr_array_index(models, i);
        g_autofree char *canonical = select_canonical_id(model);
        json_t *object = model_to_json(model);
        json_set_text(object, "canonical", canonical);
        json_t *levels = json_array();
        for (int level = THINKING_MINIMAL; level <= THINKING_XHIGH; level++) {
            if (model_clamp_thinking(model, (ThinkingLevel)level) == (ThinkingLevel)level)
                json_append_take(levels, json_text(thinking_level_name((ThinkingLevel)level)));
        }
        json_set_take(object, "thinkingLevels", levels);
        g_autoptr(json_t) roles = roles_of(model, options);
        if (json_array_size(roles) > 0)
            json_object_set(object, "roles", roles);
        json_append_take(list, object);
    }
    return list;
}
