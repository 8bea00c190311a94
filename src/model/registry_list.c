/*
 * The table of --list-models (agent-core §1.8).
 */
#include "model/registry_private.h"

enum { COLUMN_COUNT = 6 };

typedef struct Row {
    char *cells[COLUMN_COUNT];
} Row;

static void row_free(Row *self)
{
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        g_free(self->cells[i]);
    g_free(self);
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

static Row *row_new(const Model *model)
{
    Row *self = g_new0(Row, 1);
    self->cells[0] = g_strdup(model->provider);
    self->cells[1] = g_strdup(model->id);
    self->cells[2] = format_tokens(model->context_window);
    self->cells[3] = format_tokens(model->max_tokens);
    self->cells[4] = g_strdup(model->is_reasoning ? "yes" : "no");
    self->cells[5] = g_strdup(model->accepts_images ? "yes" : "no");
    return self;
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

static char *format_rows(const GPtrArray *rows)
{
    size_t widths[COLUMN_COUNT] = { 0 };
    for (guint r = 0; r < rows->len; r++) {
        const Row *row = g_ptr_array_index(rows, r);
        for (size_t i = 0; i < COLUMN_COUNT; i++)
            widths[i] = MAX(widths[i], strlen(row->cells[i]));
    }
    GString *text = g_string_new(NULL);
    for (guint r = 0; r < rows->len; r++) {
        const Row *row = g_ptr_array_index(rows, r);
        for (size_t i = 0; i + 1 < COLUMN_COUNT; i++)
            g_string_append_printf(text, "%-*s  ", (int)widths[i], row->cells[i]);
        g_string_append_printf(text, "%s\n", row->cells[COLUMN_COUNT - 1]);
    }
    return g_string_free(text, FALSE);
}

char *model_registry_list_text(const ModelRegistry *self, const char *pattern)
{
    static const char *const titles[COLUMN_COUNT] = { "provider", "model",    "context",
                                                      "max-out",  "thinking", "images" };
    g_autoptr(GPtrArray) models = g_ptr_array_new();
    bool is_any_usable = false;
    const GPtrArray *all = registry_models(self, NULL);
    for (guint i = 0; i < all->len; i++) {
        Model *model = g_ptr_array_index(all, i);
        if (!model_registry_is_available(self, model, false))
            continue;
        is_any_usable = true;
        if (is_wanted(model, pattern))
            g_ptr_array_add(models, model);
    }
    if (!is_any_usable)
        return g_strdup("No models available. Set API keys in environment variables.\n");
    if (models->len == 0)
        return g_strdup_printf("No models matching \"%s\"\n", pattern);
    g_ptr_array_sort(models, compare_models);

    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
    Row *head = g_new0(Row, 1);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        head->cells[i] = g_strdup(titles[i]);
    g_ptr_array_add(rows, head);
    for (guint i = 0; i < models->len; i++)
        g_ptr_array_add(rows, row_new(g_ptr_array_index(models, i)));
    return format_rows(rows);
}
