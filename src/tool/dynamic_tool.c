/*
 * Definitions made while the program runs (dynamic_tool.h).
 */
#include "tool/dynamic_tool.h"

#include "base/json_schema.h"
#include "base/utf8.h"

#define MAX_NAME_BYTES       64
#define MAX_SHOWN_NAME_CHARS 100

struct DynamicTool {
    int ref_count; // atomic
    ToolDef def;   // its texts and its schema are ours
    GDestroyNotify destroy;
};

static bool is_name(const char *name)
{
    size_t length = 0;
    for (; name[length]; length++)
        if (!g_ascii_isalnum(name[length]) && name[length] != '_' && name[length] != '-')
            return false;
    return length > 0 && length <= MAX_NAME_BYTES;
}

static bool check(const ToolDef *def, GError **error)
{
    if (!def->name || !is_name(def->name)) {
        g_autofree char *shown = utf8_ellipsize(def->name ? def->name : "", MAX_SHOWN_NAME_CHARS);
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "tool name \"%s\": 1 to 64 letters, digits, _ and - are allowed", shown);
    }
    const char *said = def->description ? def->description : def->summary;
    if (!said || utf8_is_blank(said))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "tool \"%s\" has no description: say what it does", def->name);
    if (json_schema_is_of_object(def->schema, error))
        return true;
    g_prefix_error(error, "tool \"%s\": ", def->name);
    return false;
}

bool dynamic_tool_new(const ToolDef *def, GDestroyNotify destroy, DynamicTool **ret_tool,
                      GError **error)
{
    g_assert(!def->fields && def->run);
    if (!check(def, error))
        return false;
    DynamicTool *self = g_new0(DynamicTool, 1);
    self->ref_count = 1;
    self->destroy = destroy;
    self->def = *def;
    self->def.name = g_strdup(def->name);
    self->def.label = g_strdup(def->label ? def->label : def->name);
    self->def.summary = g_strdup(def->summary ? def->summary : def->description);
    self->def.description = g_strdup(def->description);
    self->def.schema = json_deep_copy(def->schema);
    *ret_tool = self;
    return true;
}

DynamicTool *dynamic_tool_ref(DynamicTool *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void dynamic_tool_unref(DynamicTool *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    if (self->destroy)
        self->destroy(self->def.user_data);
    g_free((char *)self->def.name);
    g_free((char *)self->def.label);
    g_free((char *)self->def.summary);
    g_free((char *)self->def.description);
    json_decref((json_t *)self->def.schema);
    g_free(self);
}

const ToolDef *dynamic_tool_def(const DynamicTool *self)
{
    return &self->def;
}
