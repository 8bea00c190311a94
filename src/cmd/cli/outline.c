/* See outline.h. */
#include "cmd/cli/outline.h"

static const FieldDef help_option[] = {
    { "help", FIELD_BOOLEAN, .short_flag = 'h', .help = "Explain this" },
    { 0 },
};

static const FieldDef version_option[] = {
    { "version", FIELD_BOOLEAN, .short_flag = 'v', .help = "Print the version" },
    { 0 },
};

static void free_child(void *child)
{
    outline_free(child);
}

static Outline *make(char *path, const char *name, const char *summary)
{
    Outline *self = g_new0(Outline, 1);
    self->path = path;
    self->name = g_strdup(name);
    self->summary = summary;
    self->fields = g_ptr_array_new();
    self->words = g_ptr_array_new();
    self->children = g_ptr_array_new_with_free_func(free_child);
    return self;
}

void outline_free(Outline *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->name);
    g_ptr_array_unref(self->fields);
    g_ptr_array_unref(self->words);
    g_ptr_array_unref(self->children);
    g_free(self);
}

static bool has_field(const Outline *self, const char *name)
{
    for (unsigned i = 0; i < self->fields->len; i++)
        if (strcmp(((const FieldDef *)self->fields->pdata[i])->name, name) == 0)
            return true;
    return false;
}

void outline_add_fields(Outline *self, const FieldDef *fields, const char *const *except)
{
    for (const FieldDef *field = fields; field && field->name; field++)
        if (!field->is_hidden && !has_field(self, field->name) &&
            !(except && g_strv_contains(except, field->name)))
            g_ptr_array_add(self->fields, (void *)field);
}

Outline *outline_add(Outline *self, const char *name, const char *summary)
{
    char *path = *self->path ? g_strdup_printf("%s %s", self->path, name) : g_strdup(name);
    Outline *child = make(path, name, summary);
    outline_add_fields(child, help_option, NULL);
    g_ptr_array_add(self->children, child);
    return child;
}

Outline *outline_find(const Outline *self, const char *name)
{
    for (unsigned i = 0; i < self->children->len; i++) {
        Outline *child = self->children->pdata[i];
        if (strcmp(child->name, name) == 0)
            return child;
    }
    return NULL;
}

static void add_command(const CommandEnv *env, Outline *parent, const Command *command)
{
    const char *space = strrchr(command->name, ' ');
    Outline *self = outline_add(parent, space ? space + 1 : command->name, command->summary);
    self->usage = command->usage;
    self->help = command->help;
    outline_add_fields(self, command->options, NULL);
    for (const Command *const *each = command->subcommands; each && *each; each++)
        add_command(env, self, *each);
    if (command->outline)
        command->outline(env, self);
}

static int compare_names(const void *a, const void *b)
{
    const Outline *const *left = a, *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

Outline *outline_new(const CommandEnv *env)
{
    const Command *launch = cmd_find(env, "launch");
    Outline *self = make(g_strdup(""), "kedge", launch->summary);
    outline_add_fields(self, launch->options, NULL);
    outline_add_fields(self, help_option, NULL);
    outline_add_fields(self, version_option, NULL);
    for (const Command *const *command = env->commands; *command; command++)
        if (!(*command)->is_hidden)
            add_command(env, self, *command);
    g_ptr_array_sort(self->children, compare_names);
    return self;
}

static void flatten(const Outline *self, GPtrArray *all)
{
    g_ptr_array_add(all, (void *)self);
    for (unsigned i = 0; i < self->children->len; i++)
        flatten(self->children->pdata[i], all);
}

GPtrArray *outline_flatten(const Outline *self)
{
    GPtrArray *all = g_ptr_array_new();
    flatten(self, all);
    return all;
}
