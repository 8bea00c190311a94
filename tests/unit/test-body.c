/*
 * model/body.c: the bytes of earlier messages stay the same, and are made once.
 */
#include "base/str.h"
#include "model_fixture.h"

#define TURNS 5

static const ModelApi apis[] = { MODEL_API_ANTHROPIC_MESSAGES, MODEL_API_OPENAI_COMPLETIONS,
                                 MODEL_API_OPENAI_RESPONSES, MODEL_API_GOOGLE_GENERATIVE_AI };

static void add_turn(json_t *messages, const Model *model, int turn)
{
    g_autofree char *text = g_strdup_printf(
        "[{'role':'user','content':'question %d \u00e9'},"
        "{'role':'assistant','api':'%s','provider':'mock','model':'m1','content':["
        "{'type':'thinking','thinking':'hm','thinkingSignature':'AAAA'},"
        "{'type':'toolCall','id':'call_0','name':'read','arguments':{'b':%d,'a':1.5}},"
        "{'type':'toolCall','id':'call_%d','name':'read','arguments':{}}]},"
        "{'role':'toolResult','toolCallId':'call_0','content':'one'},"
        "{'role':'toolResult','toolCallId':'call_%d','content':["
        "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]}]",
        turn, model_api_name(model->api), turn, turn + 1, turn + 1);
    g_autoptr(json_t) more = json_of(text);
    json_array_extend(messages, more);
}

static char *without_markers(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, ",\"cache_control\":{\"type\":\"ephemeral\"}", -1);
    return g_strjoinv("", parts);
}

/* core-116 */
static void test_stable(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) tools =
        json_of("[{'name':'read','description':'R','parameters':{'type':'object'}}]");
    const char *const system[] = { "base", "project", NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(apis); i++) {
        g_autoptr(Model) model = test_model(apis[i]);
        model->is_reasoning = true;
        g_autoptr(json_t) messages = json_array();
        g_autoptr(BodyCache) bodies = body_cache_new();
        ProviderRequest request = { .model = model,
                                    .messages = messages,
                                    .tools = tools,
                                    .system_blocks = system,
                                    .session_id = "s",
                                    .bodies = bodies };
        g_autofree char *before = NULL;
        for (int turn = 0; turn < TURNS; turn++) {
            add_turn(messages, model, turn);
            request.thinking = turn % 2 ? THINKING_HIGH : THINKING_OFF;
            size_t size;
            g_autofree char *text = body_make(&request, &size);
            assert_int_equal(body_cache_written(bodies), json_array_size(messages));

            ProviderRequest alone = request;
            alone.bodies = NULL;
            g_autofree char *anew = body_make(&alone, &size);
            assert_string_equal(text, anew); // the cache changes nothing

            g_autofree char *plain = without_markers(text);
            char *end = strrchr(plain, ']'); // of the messages: nothing behind them has a list
            assert_non_null(end);
            if (before && !str_has_prefix(plain, before))
                fail_msg("%s: request %d\n%s\nbegins otherwise than\n%s",
                         model_api_name(model->api), turn, plain, before);
            *end = '\0';
            // where roles alternate, what the user says next is put behind these blocks
            if (g_str_has_suffix(plain, "]}"))
                end[-2] = '\0';
            g_free(before);
            before = g_steal_pointer(&plain);
        }
    }
}

static void test_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(Model) other = test_model(MODEL_API_OPENAI_COMPLETIONS);
    g_autoptr(json_t) messages = json_array();
    for (int turn = 0; turn < TURNS; turn++)
        add_turn(messages, model, turn);
    g_autoptr(BodyCache) bodies = body_cache_new();
    ProviderRequest request = { .model = model, .messages = messages, .bodies = bodies };
    size_t size;
    g_free(body_make(&request, &size));
    size_t all = json_array_size(messages);
    assert_int_equal(body_cache_written(bodies), all);

    // a message is replaced, as pruning does: it and what follows is made anew
    json_t *pruned = json_of("{'role':'toolResult','toolCallId':'call_3','content':'gone'}");
    json_array_set_new(messages, 11, pruned);
    g_autofree char *after = body_make(&request, &size);
    assert_non_null(strstr(after, "gone"));
    assert_int_equal(body_cache_written(bodies), all + all - 9);
    ProviderRequest alone = request;
    alone.bodies = NULL;
    g_autofree char *anew = body_make(&alone, &size);
    assert_string_equal(after, anew);

    // another model is sent other texts
    request.model = other;
    alone.model = other;
    g_autofree char *chat = body_make(&request, &size);
    g_autofree char *chat_anew = body_make(&alone, &size);
    assert_string_equal(chat, chat_anew);

    // a history that became shorter
    while (json_array_size(messages) > 3)
        json_array_remove(messages, json_array_size(messages) - 1);
    g_autofree char *shorter = body_make(&request, &size);
    g_autofree char *shorter_anew = body_make(&alone, &size);
    assert_string_equal(shorter, shorter_anew);
    json_array_clear(messages);
    g_autofree char *empty = body_make(&request, &size);
    assert_non_null(strstr(empty, "\"messages\":[]"));
}

// ---- any history, changed in any way ----

#define HISTORIES 150
#define CHANGES   12
#define MOST      24

/* A message of some kind: of the user, of the assistant (with thinking, signed or not, with calls
   or without, broken off), a result with or without its call. New reference. */
static json_t *random_message(GRand *dice, const Model *model)
{
    static const char *const kinds[] = {
        "{'role':'user','content':'ask %d'}",
        "{'role':'developer','content':'note %d'}",
        "{'role':'user','content':[{'type':'text','text':' '}],'n':%d}",
        "{'role':'assistant','api':'%s','provider':'mock','model':'m1','content':["
        "{'type':'thinking','thinking':'hm','thinkingSignature':'AAAA'},"
        "{'type':'toolCall','id':'call_%d','name':'read','arguments':{'a':1}}]}",
        "{'role':'assistant','api':'%s','provider':'mock','model':'m1','content':["
        "{'type':'toolCall','id':'call_%d','name':'read','arguments':{}}]}",
        "{'role':'assistant','api':'%s','provider':'mock','model':'m1','stopReason':'aborted',"
        "'content':[{'type':'toolCall','id':'call_%d','name':'read','arguments':{}}]}",
        "{'role':'assistant','api':'%s','provider':'other','model':'m2','content':["
        "{'type':'text','text':'said %d'}]}",
        "{'role':'toolResult','toolCallId':'call_%d','content':'one'}",
        "{'role':'toolResult','toolCallId':'call_%d','content':["
        "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]}",
    };
    const char *kind = kinds[g_rand_int_range(dice, 0, G_N_ELEMENTS(kinds))];
    g_auto(GStrv) around_api = g_strsplit(kind, "%s", 2);
    g_autofree char *with_api = g_strjoinv(model_api_name(model->api), around_api);
    g_auto(GStrv) around_number = g_strsplit(with_api, "%d", 2);
    g_autofree char *number = g_strdup_printf("%d", g_rand_int_range(dice, 0, 4));
    g_autofree char *text = g_strjoinv(number, around_number);
    return json_of(text);
}

static void change_history(GRand *dice, const Model *model, json_t *messages)
{
    size_t count = json_array_size(messages);
    int at = g_rand_int_range(dice, 0, (int)count + 1);
    switch (g_rand_int_range(dice, 0, 6)) {
    case 0:
        while (json_array_size(messages) > (size_t)at)
            json_array_remove(messages, json_array_size(messages) - 1);
        break;
    case 1:
        if ((size_t)at < count)
            json_array_set_new(messages, (size_t)at, random_message(dice, model));
        break;
    case 2:
        json_array_insert_new(messages, (size_t)at, random_message(dice, model));
        break;
    default:
        for (int i = g_rand_int_range(dice, 1, 5); i > 0 && json_array_size(messages) < MOST; i--)
            json_array_append_new(messages, random_message(dice, model));
    }
}

/* core-116: the cache changes nothing, whatever became of the history since the last request. */
/* images.blockImages: from one request to the next, and back. */
static void test_blocked_images(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(apis); i++) {
        g_autoptr(Model) model = test_model(apis[i]);
        g_autoptr(json_t) messages = json_array();
        g_autoptr(BodyCache) bodies = body_cache_new();
        add_turn(messages, model, 0);
        for (int round = 0; round < 3; round++) {
            bool is_blocked = round == 1;
            const ProviderRequest request = {
                .model = model, .messages = messages, .blocks_images = is_blocked, .bodies = bodies
            };
            size_t size;
            g_autofree char *text = body_make(&request, &size);
            assert_int_equal(strstr(text, PIXEL) == NULL, is_blocked);
            assert_int_equal(strstr(text, "[image removed: images.blockImages is set]") != NULL,
                             is_blocked);
        }
    }
}

static void test_any_history(void **state G_GNUC_UNUSED)
{
    g_autoptr(GRand) dice = g_rand_new_with_seed(7);
    for (int n = 0; n < rounds_of(HISTORIES * (int)G_N_ELEMENTS(apis)); n++) {
        g_autoptr(Model) model = test_model(apis[n % (int)G_N_ELEMENTS(apis)]);
        model->is_reasoning = true;
        g_autoptr(json_t) messages = json_array();
        g_autoptr(BodyCache) bodies = body_cache_new();
        ProviderRequest request = { .model = model,
                                    .messages = messages,
                                    .system_blocks = (const char *const[]) { "base", NULL },
                                    .thinking = THINKING_HIGH,
                                    .bodies = bodies };
        for (int i = 0; i < CHANGES; i++) {
            change_history(dice, model, messages);
            size_t size, size_anew;
            g_autofree char *text = body_make(&request, &size);
            ProviderRequest alone = request;
            alone.bodies = NULL;
            g_autofree char *anew = body_make(&alone, &size_anew);
            g_autofree char *history = json_to_text(messages);
            if (strcmp(text, anew) != 0)
                fail_msg("%s: history %d, change %d: %s\n%s\ninstead of\n%s",
                         model_api_name(model->api), n, i, history, text, anew);
            assert_int_equal(size, strlen(text));
            assert_int_equal(size_anew, size);
            g_autoptr(json_t) body = json_of(text);
            assert_true(json_is_object(body));
        }
    }
}

/* The roles on the wire, "user(2)" for a message of two blocks. */
static char *roles_of(const json_t *messages)
{
    GString *text = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message) {
        const json_t *content = json_object_get(message, "content");
        content = content ? content : json_object_get(message, "parts");
        g_string_append_printf(text, "%s%s(%zu)", i > 0 ? " " : "", json_get_text(message, "role"),
                               json_array_size(content));
    }
    return g_string_free(text, FALSE);
}

/* safety-R18 */
static void test_roles(void **state G_GNUC_UNUSED)
{
    static const struct {
        ModelApi api;
        const char *compat, *want;
    } cases[] = {
        { MODEL_API_ANTHROPIC_MESSAGES, "{}",
          "user(1) assistant(2) user(2) assistant(1) user(3) assistant(1) user(1)" },
        { MODEL_API_GOOGLE_GENERATIVE_AI, "{}",
          "user(1) model(2) user(2) model(1) user(1) user(2) model(1) user(1)" },
        { MODEL_API_OPENAI_COMPLETIONS, "{}",
          "assistant(0) assistant(0) user(0) user(0) assistant(0) tool(0) user(0) user(0) "
          "assistant(0)" },
        { MODEL_API_OPENAI_COMPLETIONS, "{'strictAlternation':true}",
          "user(0) assistant(0) user(0) assistant(0) tool(0) user(0) assistant(0) user(0)" },
    };
    g_autoptr(json_t) messages =
        json_of("[{'role':'toolResult','toolCallId':'z','content':'of nothing'},"
                "{'role':'assistant','content':[{'type':'text','text':'I am first'}]},"
                "{'role':'assistant','content':[{'type':'text','text':'and second'}]},"
                "{'role':'user','content':'x'},{'role':'user','content':'y'},"
                "{'role':'assistant','content':[{'type':'toolCall','id':'a','name':'read',"
                "'arguments':{}}]},{'role':'toolResult','toolCallId':'a','content':'r'},"
                "{'role':'user','content':'p'},{'role':'user','content':'q'},"
                "{'role':'assistant','content':[{'type':'text','text':'last'}]}]");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(cases[i].api);
        model->compat = json_of(cases[i].compat);
        const ProviderRequest request = { .model = model, .messages = messages };
        g_autoptr(json_t) body = body_of(&request);
        g_autofree char *got = roles_of(json_object_get(body, wire_for(model->api)->messages_key));
        if (!g_str_equal(got, cases[i].want))
            fail_msg("case %zu:\n got %s\nwant %s", i, got, cases[i].want);
    }
}

/* safety-R19 */
static void test_stub_tools(void **state G_GNUC_UNUSED)
{
    static const struct {
        ModelApi api;
        const char *tools, *choice, *want_tools, *want_choice;
    } cases[] = {
        { MODEL_API_ANTHROPIC_MESSAGES, "tools", "tool_choice",
          "[{'name':'a_b','description':'Not available any more','input_schema':{'type':'object'},"
          "'cache_control':{'type':'ephemeral'}}]",
          "{'type':'none'}" },
        { MODEL_API_GOOGLE_GENERATIVE_AI, "tools", "toolConfig",
          "[{'functionDeclarations':[{'name':'a_b','description':'Not available any more',"
          "'parametersJsonSchema':{'type':'object'}}]}]",
          "{'functionCallingConfig':{'mode':'NONE'}}" },
        { MODEL_API_OPENAI_COMPLETIONS, "tools", "tool_choice", "[]", NULL },
        { MODEL_API_OPENAI_RESPONSES, "tools", "tool_choice", "[]", NULL },
    };
    g_autoptr(json_t) messages =
        json_of("[{'role':'user','content':'x'},{'role':'assistant','content':["
                "{'type':'toolCall','id':'1','name':'a.b','arguments':{}},"
                "{'type':'toolCall','id':'2','name':'a.b','arguments':{}}]},"
                "{'role':'toolResult','toolCallId':'1','content':'r'}]");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(cases[i].api);
        const ProviderRequest request = { .model = model, .messages = messages };
        g_autoptr(json_t) body = body_of(&request);
        assert_json("tools", json_object_get(body, cases[i].tools), cases[i].want_tools);
        const json_t *choice = json_object_get(body, cases[i].choice);
        if (cases[i].want_choice)
            assert_json("choice", choice, cases[i].want_choice);
        else
            assert_null(choice);
    }
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void add_images(json_t *messages, int count, const char *data)
{
    for (int i = 0; i < count; i++) {
        g_autofree char *text = g_strdup_printf(
            "{'role':'user','content':[{'type':'image','data':'%s','mimeType':'image/png'}]}",
            data);
        json_append_take(messages, json_of(text));
    }
}

/* safety-R16: how many images are taken; the newest ones are kept. */
static void test_many_images(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(apis); i++) {
        g_autoptr(Model) model = test_model(apis[i]);
        g_autoptr(json_t) messages = json_array();
        g_autoptr(BodyCache) bodies = body_cache_new();
        add_images(messages, 105, PIXEL);
        const ProviderRequest request = { .model = model, .messages = messages, .bodies = bodies };
        size_t size;
        g_autofree char *text = body_make(&request, &size);
        bool is_anthropic = apis[i] == MODEL_API_ANTHROPIC_MESSAGES;
        const char gone[] = "[image removed: no more than 100 are taken]";
        assert_int_equal(count_of(text, PIXEL), is_anthropic ? 100 : 105);
        assert_int_equal(count_of(text, gone), is_anthropic ? 5 : 0);
        if (is_anthropic)
            assert_true(strstr(text, gone) < strstr(text, PIXEL));
        g_autofree char *again = body_make(&request, &size);
        assert_string_equal(again, text);
    }
}

/* safety-R20: the oldest images go first, then long results, and what is new stays. */
static void test_large_body(void **state G_GNUC_UNUSED)
{
    g_autofree char *filler = g_strnfill(3000, 'x');
    g_autofree char *kept = g_strnfill(2048, 'y');
    g_autofree char *padding = g_strnfill(4000, 'A');
    g_autofree char *history = g_strdup_printf(
        "[{'role':'user','content':[{'type':'image','data':'" GIF_PIXEL
        "%s','mimeType':'image/gif'}]},"
        "{'role':'assistant','content':[{'type':'toolCall','id':'1','name':'read','arguments':{}},"
        "{'type':'toolCall','id':'2','name':'read','arguments':{}},"
        "{'type':'toolCall','id':'3','name':'read','arguments':{}}]},"
        "{'role':'toolResult','toolCallId':'1','content':'%s'},"
        "{'role':'toolResult','toolCallId':'2','content':'%s. Read artifact://7 for all.'},"
        "{'role':'toolResult','toolCallId':'3','content':'%s'},"
        "{'role':'user','content':'now'}]",
        padding, kept, filler, filler);
    static const struct {
        const char *compat;
        size_t images, first, second;
    } cases[] = {
        { "{}", 1, 1, 1 },
        { "{'maxRequestBytes':12000}", 0, 1, 1 },
        { "{'maxRequestBytes':9000}", 0, 0, 1 },
        { "{'maxRequestBytes':5000}", 0, 0, 0 },
        { "{'maxRequestBytes':100}", 0, 0, 0 }, // what is left goes out: compaction has its turn
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
        g_autoptr(json_t) messages = json_of(history);
        g_autoptr(json_t) before = json_deep_copy(messages);
        g_autoptr(BodyCache) bodies = body_cache_new();
        model->compat = json_of(cases[i].compat);
        const ProviderRequest request = { .model = model, .messages = messages, .bodies = bodies };
        size_t size;
        g_autofree char *text = body_make(&request, &size);
        bool has_first = strstr(text, "artifact://7 for all") != NULL;
        size_t left = count_of(text, filler);
        if (count_of(text, GIF_PIXEL) != cases[i].images || has_first != cases[i].first ||
            left != cases[i].first + cases[i].second || !strstr(text, kept))
            fail_msg("%s: %zu bytes: %s", cases[i].compat, size, text);
        if (!has_first)
            assert_non_null(
                strstr(text, "[Output removed to fit the request: 3028 bytes, artifact://7]"));
        assert_true(json_equal(messages, before));
        // what went stays away, and what is new comes behind the same bytes
        json_t *more = json_of("{'role':'user','content':'more'}");
        json_array_append_new(messages, more);
        g_autofree char *next = body_make(&request, &size);
        char *end = strrchr(text, ']');
        assert_memory_equal(next, text, (size_t)(end - text));
    }
}

static void assert_repairs(const char *name, const BodyCache *bodies, const char *rules,
                           const char *entries)
{
    g_autoptr(json_t) ids = json_of("['e0','e1','e2','e3','e4','e5','e6']");
    g_autoptr(RepairNotes) notes = body_cache_repairs(bodies);
    g_autoptr(json_t) got_rules = repair_notes_rules(notes);
    g_autoptr(json_t) got_entries = repair_notes_entries(notes, ids);
    assert_json(name, got_rules, rules);
    assert_json(name, got_entries, entries);
}

/* safety-8.3: what a request needed is known also of the messages that were serialised before, and
   forgotten with them. A conversation as it should be needs nothing on any wire. */
static void test_notes(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) tools = json_of("[{'name':'read','description':'','parameters':{}}]");
    for (size_t i = 0; i < G_N_ELEMENTS(apis); i++) {
        g_autoptr(Model) model = test_model(apis[i]);
        g_autoptr(json_t) messages = json_array();
        g_autoptr(BodyCache) bodies = body_cache_new();
        const ProviderRequest request = {
            .model = model, .messages = messages, .tools = tools, .bodies = bodies
        };
        size_t size;
        g_autofree char *call = g_strdup_printf(
            "{'role':'assistant','api':'%s','provider':'mock','model':'m1','content':["
            "{'type':'toolCall','id':'a','name':'read','arguments':{}}]}",
            model_api_name(apis[i]));
        json_append_take(messages, json_of("{'role':'user','content':'x'}"));
        json_append_take(messages, json_of(call));
        g_free(body_make(&request, &size)); // nothing came back yet
        assert_repairs("a call alone", bodies, "{'R11':1}", "[{'id':'e1','rules':{'R11':1}}]");
        json_append_take(messages, json_of("{'role':'toolResult','toolCallId':'a','content':'y'}"));
        g_free(body_make(&request, &size));
        assert_repairs("its result", bodies, "{}", "[]");

        json_append_take(messages, json_of("7"));
        json_append_take(messages, json_of("{'role':'user','content':['',{'type':'x'}]}"));
        g_free(body_make(&request, &size));
        g_free(body_make(&request, &size));
        assert_repairs("odd ones", bodies, "{'R01':1,'R03':2,'R04':1}",
                       "[{'id':'e3','rules':{'R01':1}},{'id':'e4','rules':{'R03':2,'R04':1}}]");
        while (json_array_size(messages) > 3)
            json_array_remove(messages, 3);
        g_free(body_make(&request, &size));
        assert_repairs("without them", bodies, "{}", "[]");
    }
}

/* safety-R19 and safety-R21: named tools, and a result under another name, which Gemini is sent. */
static void test_notes_of_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        ModelApi api;
        const char *rules, *entries;
    } cases[] = {
        { MODEL_API_GOOGLE_GENERATIVE_AI, "{'R19':1,'R21':1}", "[{'id':'e2','rules':{'R21':1}}]" },
        { MODEL_API_ANTHROPIC_MESSAGES, "{'R19':1}", "[]" },
        { MODEL_API_OPENAI_COMPLETIONS, "{}", "[]" },
    };
    g_autoptr(json_t) messages =
        json_of("[{'role':'user','content':'x'},{'role':'assistant','content':["
                "{'type':'toolCall','id':'123456789','name':'read','arguments':{}}]},"
                "{'role':'toolResult','toolCallId':'123456789','toolName':'write','content':'r'},"
                "{'role':'user','content':'y'}]");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(cases[i].api);
        g_autoptr(BodyCache) bodies = body_cache_new();
        const ProviderRequest request = { .model = model, .messages = messages, .bodies = bodies };
        size_t size;
        g_free(body_make(&request, &size));
        assert_repairs("names", bodies, cases[i].rules, cases[i].entries);
    }
}

/* A long list of them is cut. */
static void test_many_notes(void **state G_GNUC_UNUSED)
{
    g_autoptr(RepairNotes) notes = repair_notes_new();
    g_autoptr(json_t) ids = json_array();
    for (size_t i = 0; i < 2 * REPAIR_LISTED_MAX; i++) {
        json_append_take(ids, json_text("e"));
        repair_notes_add(notes, REPAIR_EMPTY, i);
        repair_notes_add(notes, REPAIR_EMPTY, i);
    }
    repair_notes_add(notes, REPAIR_ROLES, REPAIR_OF_REQUEST);
    g_autoptr(json_t) entries = repair_notes_entries(notes, ids);
    g_autoptr(json_t) rules = repair_notes_rules(notes);
    assert_int_equal(json_array_size(entries), REPAIR_LISTED_MAX);
    assert_json("all are counted", rules, "{'R04':800,'R18':1}");
    assert_non_null(repair_rule_text("R18"));
    assert_non_null(repair_rule_text("R21"));
    assert_non_null(repair_rule_text("R22"));
    assert_null(repair_rule_text("R25"));
    assert_null(repair_rule_text("R99"));
    repair_notes_rewind(notes, 0);
    g_autoptr(json_t) none = repair_notes_rules(notes);
    assert_json("none", none, "{}");
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stable),         cmocka_unit_test(test_changes),
        cmocka_unit_test(test_blocked_images), cmocka_unit_test(test_any_history),
        cmocka_unit_test(test_roles),          cmocka_unit_test(test_stub_tools),
        cmocka_unit_test(test_many_images),    cmocka_unit_test(test_large_body),
        cmocka_unit_test(test_notes),          cmocka_unit_test(test_notes_of_names),
        cmocka_unit_test(test_many_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
