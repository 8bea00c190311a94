/*
 * What the keys of a task's frontmatter mean, with the defaults of the configuration (task.h).
 */
#include "wm/task/task.h"

#include "wm/task/triggers.h"

#include <math.h>
#include <string.h>

#define DEFAULT_MINUTES 45
#define USD_PER_CREDIT  0.01

// A text, trimmed; "" when it is none.
static char *trimmed(const json_t *value)
{
    return g_strstrip(g_strdup(json_is_string(value) ? json_string_value(value) : ""));
}

// A whole number, however it is written; 0 for anything else.
static int64_t whole(const json_t *value)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    double number = json_is_real(value) ? json_real_value(value) : 0;
    return number > 0 && number < 1e9 && floor(number) == number ? (int64_t)number : 0;
}

char *wm_task_engine(const WmTask *self, const WmConfig *config)
{
    const json_t *engine = json_object_get(self->front, "engine");
    g_autofree char *id = trimmed(json_is_object(engine) ? json_object_get(engine, "id") : engine);
    g_autofree char *fallback = g_strstrip(g_strdup(config->engine));
    return g_ascii_strdown(*id ? id : fallback, -1);
}

char *wm_task_model(const WmTask *self, const WmConfig *config)
{
    const json_t *engine = json_get_object(self->front, "engine");
    g_autofree char *model = trimmed(json_object_get(engine, "model"));
    return g_strdup(*model ? model : config->model);
}

int64_t wm_task_max_turns(const WmTask *self, const WmConfig *config)
{
    const json_t *engine = json_get_object(self->front, "engine");
    int64_t turns = whole(json_object_get(self->front, "max-turns"));
    if (turns <= 0)
        turns = whole(json_object_get(engine, "max-turns"));
    return turns > 0 ? turns : config->max_turns;
}

int64_t wm_task_timeout_minutes(const WmTask *self)
{
    int64_t minutes = whole(json_object_get(self->front, "timeout-minutes"));
    return minutes <= 0 ? DEFAULT_MINUTES : MIN(minutes, WM_MAX_MINUTES);
}

char *wm_task_tools(const WmTask *self)
{
    const json_t *tools = json_object_get(self->front, "tools");
    if (!tools)
        return NULL;
    return json_is_string(tools) ? trimmed(tools) : json_to_canonical(tools);
}

double wm_task_cost_usd(const WmTask *self, const WmConfig *config)
{
    int64_t credits = whole(json_object_get(self->front, "max-ai-credits"));
    return credits > 0 ? (double)credits * USD_PER_CREDIT : config->cost_usd;
}

bool wm_task_reaction(const WmTask *self, const char **ret_reaction, GError **error)
{
    static const char *const known[] = { "+1",     "-1",     "laugh", "confused", "heart",
                                         "hooray", "rocket", "eyes",  NULL };
    const json_t *value = json_object_get(json_get_object(self->on, WM_GATES), "reaction");
    g_autofree char *text = trimmed(value);
    if (value && !*text)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "on.reaction must be a non-empty string");
    const char *reaction = NULL;
    for (const char *const *name = known; *name; name++)
        if (strcmp(*name, text) == 0)
            reaction = *name;
    if (value && !reaction && strcmp(text, "none") != 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "on.reaction \"%s\" is not a valid GitHub reaction (use +1, -1, laugh, "
                         "confused, heart, hooray, rocket, eyes)",
                         text);
    *ret_reaction = reaction;
    return true;
}

const char *wm_task_description(const WmTask *self)
{
    const char *text = json_get_text(self->front, "description");
    return text ? text : "";
}

const char *wm_task_source(const WmTask *self)
{
    const char *text = json_get_text(self->front, "source");
    return text && *text ? text : NULL;
}

const json_t *wm_task_safe_outputs(const WmTask *self)
{
    const json_t *value = json_object_get(self->front, "safe-outputs");
    return value ? value : json_object_get(self->front, "safe_outputs");
}
