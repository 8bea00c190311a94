/*
 * The agent under test (agent_fixture.h).
 */
#include "base/str.h"
#include "unit.h"

#include "agent_fixture.h"

#include "base/file.h"
#include "base/timefmt.h"
#include "model/message.h"
#include "tool/pending_action.h"

#include <pthread.h>

typedef struct TextArgs {
    const char *text;
    int64_t count;
} TextArgs;

static const FieldDef text_fields[] = {
    { "text", FIELD_STRING, offsetof(TextArgs, text), .is_required = true, .help = "Text" },
    { "count", FIELD_INTEGER, offsetof(TextArgs, count), .help = "How often" },
    { 0 },
};
static const FieldDef no_fields[] = { { 0 } };

// Tools have no user data; one test runs at a time.
static AgentFixture *current;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pair_count;

static void note(const char *text)
{
    pthread_mutex_lock(&lock);
    g_string_append_printf(current->runs, "%s%s", current->runs->len ? " " : "", text);
    pthread_mutex_unlock(&lock);
}

static bool echo_run(ToolCall *call G_GNUC_UNUSED, const void *args_, ToolResult *result,
                     GError **error G_GNUC_UNUSED)
{
    const TextArgs *args = args_;
    g_autofree char *line = g_strdup_printf("%s/%d", args->text, (int)args->count);
    note(line);
    tool_result_add_text(result, line);
    if (args->count == ECHO_OF_GITHUB)
        tool_result_set_github(result, &(GithubMark) { "github.com", "o/r", GITHUB_PULL, 9 });
    return true;
}

/* Proves that two calls run at once: each waits for the other. */
static bool pair_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                     GError **error)
{
    pthread_mutex_lock(&lock);
    pair_count++;
    pthread_mutex_unlock(&lock);
    gint64 deadline = time_monotonic_ms() + 10000;
    for (bool is_met = false; !is_met;) {
        pthread_mutex_lock(&lock);
        is_met = pair_count >= 2;
        pthread_mutex_unlock(&lock);
        if (time_monotonic_ms() > deadline)
            return fail_with(error, KEDGE_ERROR_TIMEOUT, "nobody came");
        if (!is_met && !cancel_sleep(tool_call_cancel(call), 2, error))
            return false;
    }
    note("pair");
    tool_result_add_text(result, "met");
    return true;
}

static bool alone_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const TextArgs *args = args_;
    g_autofree char *before = g_strdup_printf("<%s", args->text);
    g_autofree char *after = g_strdup_printf("%s>", args->text);
    note(before);
    if (!cancel_sleep(tool_call_cancel(call), 20, error))
        return false;
    note(after);
    tool_result_add_text(result, args->text);
    return true;
}

static bool steer_run(ToolCall *call G_GNUC_UNUSED, const void *args_, ToolResult *result,
                      GError **error G_GNUC_UNUSED)
{
    const TextArgs *args = args_;
    for (int64_t i = 0; i < MAX(args->count, 1); i++) {
        g_autofree char *text = args->count > 1 ? g_strdup_printf("%s%d", args->text, (int)i + 1)
                                                : g_strdup(args->text);
        agent_fixture_push(current->steering, text);
    }
    note("steer");
    tool_result_add_text(result, "steered");
    return true;
}

static bool hang_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                     GError **error)
{
    note("hang");
    if (!cancel_sleep(tool_call_cancel(call), 20000, error))
        return false;
    tool_result_add_text(result, "never");
    return true;
}

static bool firm_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                     GError **error)
{
    note("firm");
    if (!cancel_sleep(tool_call_cancel(call), 200, error))
        return false;
    tool_result_add_text(result, "done");
    return true;
}

static bool noisy_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                      GError **error G_GNUC_UNUSED)
{
    g_autoptr(json_t) details = json_object();
    json_set_int(details, "line", 1);
    tool_call_update(call, "one", details);
    tool_call_update(call, "one two", NULL);
    tool_result_add_text(result, "one two three");
    json_set_text(tool_result_details(result), "kind", "noise");
    return true;
}

static bool chatty_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                       GError **error G_GNUC_UNUSED)
{
    while (!g_atomic_int_get(&current->is_quiet)) {
        tool_call_update(call, "on and on", NULL);
        g_atomic_int_inc(&current->chatter);
    }
    tool_result_add_text(result, "quiet");
    return true;
}

static bool fire_run(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                     ToolResult *result, GError **error G_GNUC_UNUSED)
{
    cancel_fire(current->cancel);
    tool_result_add_text(result, "fired");
    return true;
}

static bool stage_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                      GError **error G_GNUC_UNUSED)
{
    PendingAction *action = g_new0(PendingAction, 1);
    action->label = g_strdup("staged");
    pending_action_set(tool_call_context(call), action);
    tool_result_add_text(result, "staged");
    return true;
}

static bool resolve_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                        GError **error G_GNUC_UNUSED)
{
    pending_action_free(pending_action_take(tool_call_context(call)));
    tool_result_add_text(result, "resolved");
    return true;
}

#define TOOL(tool_name, tool_flags, tool_fields, size)                                             \
    static const ToolDef tool_##tool_name = { .name = #tool_name,                                  \
                                              .label = #tool_name,                                 \
                                              .summary = "Test tool",                              \
                                              .effect = EFFECT_READ,                               \
                                              .flags = tool_flags,                                 \
                                              .fields = tool_fields,                               \
                                              .args_size = size,                                   \
                                              .run = tool_name##_run }
TOOL(echo, 0, text_fields, sizeof(TextArgs));
TOOL(pair, 0, no_fields, 0);
TOOL(alone, TOOL_EXCLUSIVE, text_fields, sizeof(TextArgs));
TOOL(steer, TOOL_EXCLUSIVE, text_fields, sizeof(TextArgs));
TOOL(hang, 0, no_fields, 0);
TOOL(firm, TOOL_NON_ABORTABLE, no_fields, 0);
TOOL(noisy, 0, no_fields, 0);
TOOL(chatty, 0, no_fields, 0);
TOOL(fire, TOOL_EXCLUSIVE, no_fields, 0);
TOOL(stage, TOOL_EXCLUSIVE, no_fields, 0);
TOOL(resolve, TOOL_EXCLUSIVE, no_fields, 0);

/* Somebody has to be asked. */
static const ToolDef tool_risky = { .name = "risky",
                                    .label = "Risky",
                                    .summary = "Test tool",
                                    .effect = EFFECT_DESTRUCTIVE,
                                    .fields = text_fields,
                                    .args_size = sizeof(TextArgs),
                                    .run = echo_run };

static const ToolDef *const tool_table[] = { &tool_echo,   &tool_pair,  &tool_alone, &tool_steer,
                                             &tool_hang,   &tool_firm,  &tool_noisy, &tool_fire,
                                             &tool_chatty, &tool_risky, &tool_stage, &tool_resolve,
                                             NULL };

static const ToolDoor door = { .kind = DOOR_AGENT };

static void on_event(json_t *event, void *user_data)
{
    AgentFixture *self = user_data;
    json_array_append(self->events, event);
}

static void make_registry(AgentFixture *self)
{
    g_autofree char *path = g_build_filename(self->root, "models.yml", NULL);
    g_autofree char *text =
        g_strdup_printf("providers:\n"
                        "  lab:\n"
                        "    baseUrl: http://127.0.0.1:%d/v1\n"
                        "    api: openai-completions\n"
                        "    auth: none\n"
                        "    models:\n"
                        "      - id: coder\n"
                        "        cost: {input: 100, output: 0, cacheRead: 0, cacheWrite: 0}\n"
                        "      - id: writer\n"
                        "      - {id: eye, input: [text, image]}\n"
                        "      - id: tiny\n"
                        "        contextWindow: 10000\n",
                        sse_server_port(self->server));
    g_autofree char *warning = NULL;
    if (!file_write_atomic(path, text, strlen(text), 0600, NULL))
        g_error("cannot write %s", path);
    self->registry = model_registry_new(path, &warning);
    ModelChoice choice = { 0 };
    if (warning || !model_registry_select(self->registry, "lab/coder", NULL, &choice, NULL))
        g_error("no model: %s", warning);
    self->setup.model = choice.model;
}

AgentFixture *agent_fixture_new(const char *settings_text)
{
    AgentFixture *self = g_new0(AgentFixture, 1);
    self->root = g_dir_make_tmp("kedge-agent-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "sessions", NULL);
    g_setenv("KEDGE_AGENT_DIR", self->root, TRUE);
    self->server = sse_server_new();
    self->http = http_client_new();
    self->cancel = cancel_new(NULL);
    self->events = json_array();
    self->runs = g_string_new(NULL);
    make_registry(self);

    g_autoptr(json_t) overrides = NULL;
    if (settings_text && !json_parse_text(settings_text, &overrides, NULL))
        g_error("bad settings: %s", settings_text);
    g_autoptr(Settings) settings = settings_new(overrides);
    self->context = tool_context_new(self->root, settings, NULL);
    self->session = session_new(self->dir, self->root);
    self->options.session = self->session;
    self->options.context = self->context;
    self->options.door = &door;
    self->options.means.http = self->http;
    self->options.means.registry = self->registry;
    self->tools = tool_set_new(tool_table);
    self->setup.tools = self->tools;
    self->setup.has_intent_tracing = settings_get_bool(settings, "tools.intentTracing");
    self->setup.thinking = THINKING_OFF;
    self->steering = message_queue_new(settings_get_text(settings, "steeringMode"));
    self->follow_ups = message_queue_new(settings_get_text(settings, "followUpMode"));
    self->options.steering = self->steering;
    self->options.follow_ups = self->follow_ups;
    self->options.events = (AgentEvents) { .func = on_event, .user_data = self };
    current = self;
    pair_count = 0;
    return self;
}

bool agent_fixture_has_run(AgentFixture *self, const char *text)
{
    pthread_mutex_lock(&lock);
    bool has_run = strstr(self->runs->str, text) != NULL;
    pthread_mutex_unlock(&lock);
    return has_run;
}

/* However an answer ended, it has every field that the family's readers count on (agent-core §4.2).
 */
static void check_answers(const AgentFixture *self)
{
    const json_t *event;
    for (size_t i = 0; (event = agent_fixture_event(self, "message_end", i)); i++) {
        json_t *message = json_get_object(event, "message");
        if (!g_str_equal(json_get_text(message, "role"), "assistant"))
            continue;
        const char *s = NULL;
        json_t *content = NULL;
        json_int_t n = 0;
        double cost = 0;
        json_error_t problem;
        if (json_unpack_ex(
                message, &problem, 0,
                "{s:o s:s s:s s:s s:s s:I s:{s:I s:I s:I s:I s:I s:{s:F s:F s:F s:F s:F}}}",
                "content", &content, "api", &s, "provider", &s, "model", &s, "stopReason", &s,
                "timestamp", &n, "usage", "input", &n, "output", &n, "cacheRead", &n, "cacheWrite",
                &n, "totalTokens", &n, "cost", "input", &cost, "output", &cost, "cacheRead", &cost,
                "cacheWrite", &cost, "total", &cost) != 0)
            fail_msg("an answer that ended as %s: %s", message_stop_reason(message), problem.text);
    }
}

void agent_fixture_free(AgentFixture *self)
{
    check_answers(self);
    agent_free(self->agent);
    setup_slot_free(self->options.setup);
    budget_free(self->options.means.budget);
    run_controls_free(self->options.controls);
    message_queue_free(self->steering);
    message_queue_free(self->follow_ups);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
    session_free(self->session);
    tool_context_free(self->context);
    tool_set_unref(self->tools);
    http_client_free(self->http);
    model_registry_free(self->registry);
    sse_server_free(self->server);
    cancel_unref(self->cancel);
    json_decref(self->events);
    g_string_free(self->runs, TRUE);
    file_remove_tree(self->root, NULL);
    g_free(self->dir);
    g_free(self->root);
    g_free(self);
    current = NULL;
}

void agent_fixture_make_agent(AgentFixture *self)
{
    self->options.setup = setup_slot_new(turn_setup_new(&self->setup));
    self->options.means.budget = budget_new(NULL, self->max_turns, self->max_cost);
    self->options.controls = run_controls_new(tool_context_settings(self->context));
    self->agent = agent_new(&self->options);
}

void agent_fixture_push(MessageQueue *queue, const char *text)
{
    g_autoptr(json_t) message = message_user(text);
    if (!message_queue_push(queue, message, NULL))
        g_error("the queue is full");
}

bool agent_fixture_prompt(AgentFixture *self, const char *text)
{
    if (!self->agent)
        agent_fixture_make_agent(self);
    g_autoptr(json_t) message = message_user(text);
    agent_outcome_clear(&self->outcome);
    g_clear_error(&self->error);
    return agent_prompt(self->agent, message, self->cancel, &self->outcome, &self->error);
}

char *agent_fixture_events(const AgentFixture *self)
{
    GString *out = g_string_new(NULL);
    size_t i;
    json_t *event;
    json_array_foreach (self->events, i, event) {
        const char *type = json_get_text(event, "type");
        if (g_str_equal(type, "message_update"))
            continue;
        g_string_append_printf(out, "%s%s", out->len ? " " : "", type);
        const char *role = json_get_text(json_get_object(event, "message"), "role");
        if (str_has_prefix(type, "message_"))
            g_string_append_printf(out, ":%s", role);
    }
    return g_string_free(out, FALSE);
}

const json_t *agent_fixture_event(const AgentFixture *self, const char *type, size_t index)
{
    size_t i;
    json_t *event;
    json_array_foreach (self->events, i, event) {
        if (g_str_equal(json_get_text(event, "type"), type) && index-- == 0)
            return event;
    }
    return NULL;
}

char *agent_fixture_results(const AgentFixture *self)
{
    GString *out = g_string_new(NULL);
    const json_t *event;
    for (size_t i = 0; (event = agent_fixture_event(self, "tool_execution_end", i)); i++) {
        g_autofree char *text = message_text(json_get_object(event, "result"));
        bool is_error = json_get_bool(event, "isError", false);
        g_string_append_printf(out, "%s%s%s:%s", out->len ? " " : "",
                               json_get_text(event, "toolCallId"), is_error ? "!" : "", text);
    }
    return g_string_free(out, FALSE);
}
