/*
 * Fuzz target: a task file as a stranger may have written it. What is read as a task has triggers
 * in normal form (objects of known keys, lists of trimmed texts), crons that may be written into a
 * workflow, numbers within their bounds; events are matched against it without a surprise; and
 * splitting and parsing agree on where its body is.
 */
#include "wm/task/schedule.h"
#include "wm/task/triggers.h"
#include "wm/trigger/match.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void check_list(const json_t *list)
{
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item) {
        const char *text = json_string_value(item);
        g_assert(text && *text && !g_ascii_isspace(*text));
        g_assert(!g_ascii_isspace(text[strlen(text) - 1]));
    }
}

static void check_triggers(const json_t *on)
{
    const char *key, *name;
    json_t *options, *value;
    json_object_foreach ((json_t *)on, key, options) {
        g_assert(json_is_object(options));
        if (strcmp(key, WM_GATES) == 0)
            continue;
        json_object_foreach (options, name, value) {
            g_assert(json_is_array(value) || json_is_boolean(value));
            check_list(value);
        }
    }
}

static void check_values(const WmTask *task, const WmConfig *config)
{
    g_autofree char *engine = wm_task_engine(task, config), *model = wm_task_model(task, config);
    g_autofree char *tools G_GNUC_UNUSED = wm_task_tools(task);
    g_assert(engine && model && wm_task_max_turns(task, config) > 0);
    int64_t minutes = wm_task_timeout_minutes(task);
    g_assert(minutes >= 1 && minutes <= 480);
    const char *reaction;
    g_autoptr(GError) error = NULL;
    g_assert(wm_task_reaction(task, &reaction, &error) == (error == NULL));
    bool matches_any;
    g_autoptr(GPtrArray) crons = wm_task_crons(task, NULL, &matches_any);
    for (guint i = 0; i < crons->len; i++)
        g_assert(wm_schedule_is_cron(crons->pdata[i]));
}

static void check_events(const WmTask *task)
{
    static const char *const names[] = {
        "issues",   "issue_comment", "pull_request_target",        "push",
        "schedule", "discussion",    "pull_request_review_comment"
    };
    static const char payload[] =
        "{\"action\":\"labeled\",\"label\":{\"name\":\"bug\"},\"ref\":\"refs/heads/a/b\","
        "\"comment\":{\"body\":\"/x\"},\"pull_request\":{\"base\":{\"ref\":\"main\"}}}";
    WmEvent event = { 0 };
    g_assert(json_parse_text(payload, &event.payload, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *reason = NULL;
        event.name = (char *)names[i];
        wm_match(task, &event, "0 1 * * *", &reason);
        g_assert(reason);
    }
    json_decref(event.payload);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static char engine[] = "claude", empty[] = "";
    const WmConfig config = { .engine = engine, .model = empty, .max_turns = 100 };
    g_autoptr(GPtrArray) warnings = wm_notes_new();
    g_autoptr(WmTask) task = NULL;
    g_autofree char *yaml = NULL, *body = NULL;
    bool is_split = wm_task_split((const char *)data, size, &yaml, &body, NULL);
    if (!wm_task_parse((const char *)data, size, ".wm/tasks/x.md", warnings, &task, NULL))
        return 0;
    g_assert(is_split && strcmp(task->body, body) == 0);
    g_assert(json_is_object(task->front) && json_is_object(task->on));
    check_triggers(task->on);
    check_values(task, &config);
    check_events(task);
    return 0;
}
