/*
 * Every wire format against a server that cuts its answer, at each byte: what comes out is an error
 * that is worth another try, or the whole message; never a call that is taken for whole and is not.
 */
#include "model_fixture.h"

#include "http_server.h"

#define HTTP_STEP 5 // bytes between the cuts of a real connection, which are slower

#define EV(text) "data: " text "\n\n"

// Written with ' for ", and ~ for one inside a string.
// clang-format off
static const char anthropic_stream[] =
    EV("{'type':'message_start','message':{'id':'m','usage':{'input_tokens':9}}}")
    EV("{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':''}}")
    EV("{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'hm'}}")
    EV("{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta','signature':'c2k='}}")
    EV("{'type':'content_block_stop','index':0}")
    EV("{'type':'content_block_start','index':1,'content_block':{'type':'text','text':''}}")
    EV("{'type':'content_block_delta','index':1,'delta':{'type':'text_delta','text':'so é'}}")
    EV("{'type':'content_block_stop','index':1}")
    EV("{'type':'content_block_start','index':2,'content_block':{'type':'tool_use','id':'a','name':'bash','input':{}}}")
    EV("{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':'{~command~:~rm -r'}}")
    EV("{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':' out~,~n~:12'}}")
    EV("{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':'34}'}}")
    EV("{'type':'content_block_stop','index':2}")
    EV("{'type':'content_block_start','index':3,'content_block':{'type':'tool_use','id':'b','name':'bash','input':{}}}")
    EV("{'type':'content_block_delta','index':3,'delta':{'type':'input_json_delta','partial_json':'{~command~:~true~}'}}")
    EV("{'type':'content_block_stop','index':3}")
    EV("{'type':'message_delta','delta':{'stop_reason':'tool_use'},'usage':{'output_tokens':7}}")
    EV("{'type':'message_stop'}");

static const char chat_stream[] =
    EV("{'id':'c','choices':[{'index':0,'delta':{'reasoning_content':'hm'},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'content':'so é'},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'id':'a','function':{'name':'bash','arguments':''}}]},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'function':{'arguments':'{~command~:~rm -r'}}]},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'function':{'arguments':' out~,~n~:12'}}]},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':1,'id':'b','function':{'name':'bash','arguments':'{~command~'}}]},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':0,'function':{'arguments':'34}'}}]},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{'tool_calls':[{'index':1,'function':{'arguments':':~true~}'}}]},'finish_reason':null}]}")
    EV("{'id':'c','choices':[{'index':0,'delta':{},'finish_reason':'tool_calls'}]}")
    EV("{'id':'c','choices':[],'usage':{'prompt_tokens':9,'completion_tokens':7}}")
    EV("[DONE]");

static const char responses_stream[] =
    EV("{'type':'response.created','response':{'id':'r'}}")
    EV("{'type':'response.output_item.added','output_index':0,'item':{'type':'reasoning','id':'rs_1','summary':[]}}")
    EV("{'type':'response.reasoning_summary_text.delta','output_index':0,'delta':'hm'}")
    EV("{'type':'response.output_item.done','output_index':0,'item':{'type':'reasoning','id':'rs_1','summary':[],'encrypted_content':'E'}}")
    EV("{'type':'response.output_item.added','output_index':1,'item':{'type':'message','id':'msg_1','role':'assistant'}}")
    EV("{'type':'response.output_text.delta','output_index':1,'delta':'so é'}")
    EV("{'type':'response.output_item.done','output_index':1,'item':{'type':'message','id':'msg_1','role':'assistant'}}")
    EV("{'type':'response.output_item.added','output_index':2,'item':{'type':'function_call','id':'fc_1','call_id':'a','name':'bash','arguments':''}}")
    EV("{'type':'response.function_call_arguments.delta','output_index':2,'delta':'{~command~:~rm -r'}")
    EV("{'type':'response.function_call_arguments.delta','output_index':2,'delta':' out~,~n~:12'}")
    EV("{'type':'response.function_call_arguments.delta','output_index':2,'delta':'34}'}")
    EV("{'type':'response.function_call_arguments.done','output_index':2,'arguments':'{~command~:~rm -r out~,~n~:1234}'}")
    EV("{'type':'response.output_item.done','output_index':2,'item':{'type':'function_call','id':'fc_1','call_id':'a','name':'bash','arguments':'{~command~:~rm -r out~,~n~:1234}'}}")
    EV("{'type':'response.output_item.added','output_index':3,'item':{'type':'function_call','id':'fc_2','call_id':'b','name':'bash','arguments':''}}")
    EV("{'type':'response.function_call_arguments.delta','output_index':3,'delta':'{~command~:~true~}'}")
    EV("{'type':'response.output_item.done','output_index':3,'item':{'type':'function_call','id':'fc_2','call_id':'b','name':'bash','arguments':'{~command~:~true~}'}}")
    EV("{'type':'response.completed','response':{'id':'r','status':'completed','usage':{'input_tokens':9,'output_tokens':7}}}");

static const char gemini_stream[] =
    EV("{'candidates':[{'content':{'role':'model','parts':[{'text':'hm','thought':true}]}}],'responseId':'g'}")
    EV("{'candidates':[{'content':{'role':'model','parts':[{'text':'so é'}]}}],'responseId':'g'}")
    EV("{'candidates':[{'content':{'role':'model','parts':[{'functionCall':{'id':'a','name':'bash','args':{'command':'rm -r out','n':1234}},'thoughtSignature':'c2k='}]}}],'responseId':'g'}")
    EV("{'candidates':[{'content':{'role':'model','parts':[{'functionCall':{'id':'b','name':'bash','args':{'command':'true'}}}]}}],'responseId':'g'}")
    EV("{'candidates':[{'content':{'role':'model','parts':[{'text':''}]},'finishReason':'STOP'}],'responseId':'g'}");

// clang-format on

static const struct {
    const char *name, *stream;
    ModelApi api;
} wires[] = {
    { "anthropic", anthropic_stream, MODEL_API_ANTHROPIC_MESSAGES },
    { "chat", chat_stream, MODEL_API_OPENAI_COMPLETIONS },
    { "responses", responses_stream, MODEL_API_OPENAI_RESPONSES },
    { "gemini", gemini_stream, MODEL_API_GOOGLE_GENERATIVE_AI },
};

static char *stream_bytes(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "~", -1);
    g_autofree char *joined = g_strjoinv("\\\"", parts);
    return g_strdelimit(g_steal_pointer(&joined), "'", '"');
}

/* The answer ends after `size` bytes, without a word that it was cut. */
static json_t *decode_prefix(const Model *model, const char *bytes, size_t size)
{
    const WireFormat *wire = wire_for(model->api);
    g_autoptr(ModelStream) stream = model_stream_new(model, NULL, NULL);
    void *decoder = wire->decoder_new(stream);
    g_autoptr(SseParser) parser = sse_parser_new(wire->on_event, decoder);
    // of its own size, so that a sanitizer sees a byte too many
    g_autofree char *prefix = g_memdup2(bytes, size);
    g_autoptr(GError) error = NULL;
    const char *reason = NULL;
    bool is_ok = sse_parser_push(parser, prefix, size, &error) &&
                 sse_parser_finish(parser, &error) && wire->finish(decoder, &reason, &error);
    wire->decoder_free(decoder);
    return is_ok ? model_stream_finish(stream, reason)
                 : model_stream_fail(stream, false, error->message);
}

static const json_t *find_call(const json_t *message, const char *id)
{
    size_t i;
    json_t *block;
    json_array_foreach (json_get_array(message, "content"), i, block) {
        if (g_strcmp0(json_get_text(block, "id"), id) == 0)
            return block;
    }
    return NULL;
}

/* A call is as in the whole answer, or says that it is not. */
static void check_calls(const char *where, const json_t *message, const json_t *whole)
{
    size_t i;
    json_t *block;
    json_array_foreach (json_get_array(message, "content"), i, block) {
        if (!wire_block_is(block, "toolCall") || json_get_bool(block, "incomplete", false))
            continue;
        const json_t *wanted = find_call(whole, json_get_text(block, "id"));
        g_autofree char *text = json_to_text(block);
        if (!wanted ||
            !json_equal(json_object_get(block, "arguments"), json_object_get(wanted, "arguments")))
            fail_msg("%s: taken for whole: %s", where, text);
    }
}

/* True when it is the whole message. */
static bool check(const char *where, const json_t *message, const json_t *whole)
{
    const char *reason = message_stop_reason(message), *problem = message_error(message);
    check_calls(where, message, whole);
    if (strcmp(reason, "error") == 0) {
        if (!problem || !provider_error_is_retryable(problem))
            fail_msg("%s: an error that is not tried again: %s", where, problem);
        return false;
    }
    g_autofree char *text = json_to_text(message);
    if (strcmp(reason, "toolUse") != 0 || problem ||
        !json_equal(json_object_get(message, "content"), json_object_get(whole, "content")))
        fail_msg("%s: neither an error nor whole: %s", where, text);
    return true;
}

static void test_cut_at_every_byte(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(wires); i++) {
        g_autoptr(Model) model = test_model(wires[i].api);
        g_autofree char *bytes = stream_bytes(wires[i].stream);
        size_t size = strlen(bytes), whole_ones = 0;
        g_autoptr(json_t) whole = decode_prefix(model, bytes, size);
        g_autofree char *text = json_to_text(whole);
        if (json_array_size(json_get_array(whole, "content")) != 4 ||
            strcmp(message_stop_reason(whole), "toolUse") != 0)
            fail_msg("%s: the whole answer is %s", wires[i].name, text);
        for (size_t n = 0; n <= size; n++) {
            g_autoptr(json_t) message = decode_prefix(model, bytes, n);
            g_autofree char *where = g_strdup_printf("%s, byte %zu", wires[i].name, n);
            whole_ones += check(where, message, whole);
        }
        assert_in_range(whole_ones, 1, size / 4); // the last events alone may be missing
    }
}

typedef struct Cut {
    const char *bytes;
    size_t size;
    bool is_clean; // the end of the connection is the answer's end
} Cut;

static bool serve_cut(TestServer *server, int fd, const char *request G_GNUC_UNUSED,
                      unsigned number G_GNUC_UNUSED)
{
    const Cut *cut = server->data;
    test_send_text(fd, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n");
    test_send_text(fd,
                   cut->is_clean ? "Connection: close\r\n\r\n" : "Content-Length: 1000000\r\n\r\n");
    test_send(fd, cut->bytes, cut->size);
    return false;
}

static json_t *ask_server(const Model *wire_model, Cut *cut)
{
    g_autoptr(HttpClient) http = http_client_new();
    TestServer *server = test_server_start(serve_cut, cut);
    g_autoptr(Model) model = test_model(wire_model->api);
    g_free(model->base_url);
    model->base_url = test_server_url(server, "");
    g_autoptr(json_t) messages = json_of("[{'role':'user','content':'hi'}]");
    const ProviderRequest request = { .model = model, .messages = messages };
    json_t *message = provider_stream(http, &request, NULL, NULL, NULL);
    test_server_stop(server);
    return message;
}

static void test_cut_connection(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(wires); i++) {
        g_autoptr(Model) model = test_model(wires[i / 2].api);
        g_autofree char *bytes = stream_bytes(wires[i / 2].stream);
        size_t size = strlen(bytes);
        g_autoptr(json_t) whole = decode_prefix(model, bytes, size);
        for (size_t n = 0; n < size; n += HTTP_STEP) {
            Cut cut = { bytes, n, i % 2 == 0 };
            g_autoptr(json_t) message = ask_server(model, &cut);
            g_autofree char *where = g_strdup_printf("%s, %s after %zu bytes", wires[i / 2].name,
                                                     cut.is_clean ? "ended" : "cut", n);
            check(where, message, whole);
        }
    }
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_cut_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
