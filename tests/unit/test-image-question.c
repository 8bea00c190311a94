/*
 * Questions about images (agent-tools §3.23): which model is asked, the request, and its end.
 */
#include "base/str.h"
#include "unit.h"

#include "agent/image_question.h"
#include "base/file.h"
#include "base/worker.h"
#include "model/model_roles.h"
#include "model/model_scope.h"
#include "session/session_tree.h"
#include "sse_server.h"
#include "tool_fixture.h"

typedef struct Fixture {
    char *root;
    SseServer *server;
    HttpClient *http;
    ModelRegistry *registry;
    Settings *settings;
    UsageNotes *usages;
    Budget *budget;
} Fixture;

static void fixture_free(Fixture *self)
{
    http_client_free(self->http);
    sse_server_free(self->server);
    model_registry_free(self->registry);
    settings_unref(self->settings);
    usage_notes_free(self->usages);
    budget_free(self->budget);
    assert_true(file_remove_tree(self->root, NULL));
    g_free(self->root);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Fixture, fixture_free)

/* lab, far and dark need no key; groq needs one that is nowhere. */
static Fixture *fixture_new(const char *settings)
{
    Fixture *self = g_new0(Fixture, 1);
    g_unsetenv("GROQ_API_KEY");
    self->root = g_dir_make_tmp("kedge-vision-XXXXXX", NULL);
    self->server = sse_server_new();
    self->http = http_client_new();
    self->usages = usage_notes_new();
    self->budget = budget_new(NULL, 0, 0.005);
    g_autoptr(json_t) overrides = json_of(settings ? settings : "{}");
    self->settings = settings_new(overrides);
    g_autofree char *path = g_build_filename(self->root, "models.yml", NULL);
    g_autofree char *text = g_strdup_printf(
        "providers:\n"
        "  lab:\n"
        "    baseUrl: http://127.0.0.1:%d/v1\n"
        "    api: openai-completions\n"
        "    auth: none\n"
        "    models:\n"
        "      - {id: coder}\n"
        "      - {id: eye, input: [text, image], cost: {input: 100, output: 0, cacheRead: 0, "
        "cacheWrite: 0}}\n"
        "      - {id: eye-2, input: [text, image]}\n"
        "  far: {baseUrl: \"http://127.0.0.1:%d/v1\", api: openai-completions, auth: none, "
        "models: [{id: sees, input: [text, image]}]}\n"
        "  dark: {baseUrl: \"http://127.0.0.1:%d/v1\", api: openai-completions, auth: none, "
        "models: [{id: text}]}\n"
        "  groq: {baseUrl: \"http://127.0.0.1:%d/v1\", api: openai-completions, "
        "models: [{id: closed, input: [text, image]}]}\n",
        sse_server_port(self->server), sse_server_port(self->server), sse_server_port(self->server),
        sse_server_port(self->server));
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    g_autofree char *warning = NULL;
    self->registry = model_registry_new(path, &warning);
    if (warning)
        fail_msg("%s", warning);
    return self;
}

static const Model *model_of(const Fixture *self, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(name, "/", 2);
    const Model *model = model_registry_find(self->registry, parts[0], parts[1]);
    if (!model)
        fail_msg("no model %s", name);
    return model;
}

static bool ask(const Fixture *self, const char *active, const GArray *scope, Cancel *cancel,
                VisionAnswer *ret_answer, GError **error)
{
    const SummaryContext context = {
        .http = self->http,
        .registry = self->registry,
        .settings = self->settings,
        .model = model_of(self, active),
        .budget = self->budget,
        .usages = self->usages,
    };
    const VisionQuestion question = {
        // a whole PNG of one pixel
        "What is it?",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5Erk"
        "Jggg==",
        "image/png",
    };
    return image_question_ask(&context, scope, &question, cancel, ret_answer, error);
}

#define CONFIGURE                                                                                  \
    " does not support image input. Configure a vision-capable model for modelRoles.vision."
#define NO_KEY                                                                                     \
    "No API key available for groq/closed. Configure credentials for this provider or choose "     \
    "another vision-capable model."

/* `want` is the model that is asked, or the whole message of the error. */
static void test_which(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *roles, *scope, *active, *want, *problem;
    } cases[] = {
        { "role vision", "{'vision':'far/sees','default':'lab/eye'}", NULL, "lab/eye-2", "far/sees",
          NULL },
        { "the first that can be used", "{'vision':['groq/closed','far/sees']}", NULL, "lab/eye",
          "far/sees", NULL },
        { "it wins over the narrowed choice", "{'vision':'far/sees'}", "lab/eye", "lab/eye",
          "far/sees", NULL },
        { "role default", "{'default':'lab/eye-2'}", NULL, "lab/eye", "lab/eye-2", NULL },
        { "a default of text alone", "{'default':'dark/text'}", NULL, "lab/eye", "lab/eye", NULL },
        { "a default without a key", "{'default':'groq/closed'}", NULL, "lab/eye", "lab/eye",
          NULL },
        { "that of the conversation", NULL, NULL, "lab/eye-2", "lab/eye-2", NULL },
        { "another one of its provider", NULL, NULL, "lab/coder", "lab/eye", NULL },
        { "of those that were picked", NULL, "lab/coder,lab/eye-2", "lab/coder", "lab/eye-2",
          NULL },
        // nobody else's is asked, though there are such
        { "picked, of another provider", NULL, "lab/coder,far/sees", "lab/coder", NULL,
          "Resolved model lab/coder" CONFIGURE },
        { "no other of the provider", NULL, NULL, "dark/text", NULL,
          "Resolved model dark/text" CONFIGURE },
        { "vision of text alone", "{'vision':'lab/coder'}", NULL, "lab/eye", NULL,
          "Resolved model lab/coder" CONFIGURE },
        { "a default and a conversation of text alone", "{'default':'lab/coder'}", NULL,
          "dark/text", NULL, "Resolved model lab/coder" CONFIGURE },
        { "vision without a key", "{'vision':'groq/closed','default':'lab/eye'}", NULL, "lab/eye",
          NULL, NO_KEY },
        { "no key for the conversation's", NULL, NULL, "groq/closed", NULL, NO_KEY },
        { "vision that is nothing", "{'vision':'nobody-has','default':'lab/eye'}", NULL, "lab/eye",
          NULL,
          "Unable to resolve a model for inspect_image. modelRoles.vision: Model \"nobody-has\" "
          "not found. Use --list-models to see available models." },
    };
    g_autoptr(Fixture) self = fixture_new(NULL);
    size_t requests = 0;
    budget_free(g_steal_pointer(&self->budget));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) roles = cases[i].roles ? json_of(cases[i].roles) : NULL;
        model_roles_set(self->registry, roles);
        g_auto(GStrv) patterns = g_strsplit(cases[i].scope ? cases[i].scope : "", ",", -1);
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(GArray) scope =
            cases[i].scope
                ? model_scope_resolve(self->registry, (const char *const *)patterns, warnings)
                : NULL;
        g_auto(VisionAnswer) answer = { 0 };
        g_autoptr(GError) error = NULL;
        if (cases[i].want)
            sse_server_add_text(self->server, " a dot \n");
        bool is_answered = ask(self, cases[i].active, scope, NULL, &answer, &error);
        requests += is_answered;
        if (is_answered != (cases[i].want != NULL) || g_strcmp0(answer.model, cases[i].want) != 0 ||
            g_strcmp0(error ? error->message : NULL, cases[i].problem) != 0)
            fail_msg("%s: %s, %s", cases[i].name, answer.model, error ? error->message : "");
        assert_int_equal(sse_server_request_count(self->server), requests);
        if (is_answered)
            assert_string_equal(answer.text, "a dot");
    }
}

static void test_request(void **state G_GNUC_UNUSED)
{
    g_autoptr(Fixture) self = fixture_new(NULL);
    g_auto(VisionAnswer) answer = { 0 };
    sse_server_add_text(self->server, "a dot");
    assert_true(ask(self, "lab/eye", NULL, NULL, &answer, NULL));
    const json_t *body = sse_server_request(self->server, 0);
    assert_string_equal(json_get_text(body, "model"), "eye");
    assert_null(json_object_get(body, "tools"));
    const json_t *messages = json_get_array(body, "messages");
    assert_int_equal(json_array_size(messages), 2);
    const json_t *content = json_get_array(json_array_get(messages, 1), "content");
    assert_string_equal(json_get_text(json_array_get(content, 0), "text"), "What is it?");
    const char *url = json_get_text(json_get_path(json_array_get(content, 1), "image_url"), "url");
    assert_true(str_has_prefix(url, "data:image/png;base64,iVBOR"));

    // what it took: of the budget, and for the session
    assert_true(budget_cost(self->budget) > 0);
    Session *session = session_new(NULL, self->root);
    usage_notes_append(self->usages, session);
    g_autoptr(GPtrArray) path = session_context_path(session);
    assert_int_equal(path->len, 1);
    const json_t *data = json_get_object(path->pdata[0], "data");
    assert_string_equal(json_get_text(data, "purpose"), "inspect_image");
    assert_string_equal(json_get_text(data, "model"), "eye");
    session_free(session);
}

/* Nothing is asked that nobody may pay for. */
static void test_budget(void **state G_GNUC_UNUSED)
{
    g_autoptr(Fixture) self = fixture_new(NULL);
    g_auto(VisionAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    budget_spend(self->budget, 1);
    assert_false(ask(self, "lab/eye", NULL, NULL, &answer, &error));
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_non_null(strstr(error->message, "--max-cost"));
    assert_int_equal(sse_server_request_count(self->server), 0);
}

static void test_no_text(void **state G_GNUC_UNUSED)
{
    g_autoptr(Fixture) self = fixture_new(NULL);
    g_auto(VisionAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    sse_server_add_text(self->server, " \n ");
    assert_false(ask(self, "lab/eye", NULL, NULL, &answer, &error));
    assert_string_equal(error->message, "inspect_image model returned no text output.");
    assert_int_equal(sse_server_request_count(self->server), 1);
}

/* Errors that pass are tried again; the others are said, with who made them. */
static void test_trouble(void **state G_GNUC_UNUSED)
{
    g_autoptr(Fixture) self = fixture_new("{'retry':{'baseDelayMs':1}}");
    g_auto(VisionAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    sse_server_add_error(self->server, 503, "overloaded");
    sse_server_add_text(self->server, "a dot");
    assert_true(ask(self, "lab/eye", NULL, NULL, &answer, &error));
    assert_string_equal(answer.text, "a dot");
    vision_answer_clear(&answer);
    sse_server_add_error(self->server, 400, "no such image");
    assert_false(ask(self, "lab/eye", NULL, NULL, &answer, &error));
    assert_non_null(strstr(error->message, "lab/eye: HTTP 400: no such image"));
    assert_int_equal(sse_server_request_count(self->server), 3);
}

typedef struct Stopper {
    SseServer *server;
    Cancel *cancel;
} Stopper;

static void stop_when_asked(void *self_)
{
    const Stopper *self = self_;
    while (sse_server_request_count(self->server) == 0)
        g_usleep(1000);
    cancel_fire(self->cancel);
}

static void test_cancelled(void **state G_GNUC_UNUSED)
{
    g_autoptr(Fixture) self = fixture_new(NULL);
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_auto(VisionAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    sse_server_add_hanging(self->server, "half an ans");
    Stopper stopper = { self->server, cancel };
    Worker *worker = worker_start("stopper", stop_when_asked, &stopper);
    assert_false(ask(self, "lab/eye", NULL, cancel, &answer, &error));
    worker_join(worker);
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
}

static void test_late(void **state G_GNUC_UNUSED)
{
    g_autoptr(Fixture) self = fixture_new("{'tools':{'maxTimeout':1}}");
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    g_auto(VisionAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    sse_server_add_hanging(self->server, "half an ans");
    assert_false(ask(self, "lab/eye", NULL, cancel, &answer, &error));
    assert_true(error_is(error, KEDGE_ERROR_TIMEOUT));
    assert_string_equal(error->message,
                        "lab/eye did not answer within 1 s. Try again, or choose another "
                        "vision-capable model for modelRoles.vision.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which),   cmocka_unit_test(test_request),
        cmocka_unit_test(test_budget),  cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_trouble), cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_late),
    };
    return cmocka_run_group_tests_name("image-question", tests, NULL, NULL);
}
