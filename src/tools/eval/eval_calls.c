/*
 * Calls of tools by the code of a cell (eval_calls.h).
 */
#include "tools/eval/eval_calls.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/worker.h"
#include "tool/tool_set.h"

#include <stdatomic.h>
#include <sys/eventfd.h>

typedef struct Nested {
    EvalCalls *owner;
    char *id;      // the kernel's
    char *call_id; // ours
    char *name;
    json_t *arguments;
    const ToolDef *tool;
    ToolResult result;
    atomic_bool is_done;
} Nested;

struct EvalCalls {
    ToolCall *call;
    EvalLanguage language;
    Cancel *cancel; // of the nested calls; a child of the call's
    int wake_fd;    // -1 where none could be had
    unsigned count;
    GQueue waiting; // of Nested
    Nested *running;
    Worker *worker; // of `running`; NULL: none is needed
    GPtrArray *refused;
};

static void nested_free(void *data)
{
    Nested *self = data;
    if (!self)
        return;
    tool_result_clear(&self->result);
    json_decref(self->arguments);
    g_free(self->call_id);
    g_free(self->name);
    g_free(self->id);
    g_free(self);
}

EvalCalls *eval_calls_new(ToolCall *call, EvalLanguage language)
{
    EvalCalls *self = g_new0(EvalCalls, 1);
    self->call = call;
    self->language = language;
    self->cancel = cancel_new(call ? tool_call_cancel(call) : NULL);
    self->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    g_queue_init(&self->waiting);
    return self;
}

void eval_calls_free(EvalCalls *self)
{
    if (!self)
        return;
    eval_calls_stop(self, NULL);
    fd_close(self->wake_fd);
    g_clear_pointer(&self->refused, g_ptr_array_unref);
    cancel_unref(self->cancel);
    g_free(self);
}

int eval_calls_fd(const EvalCalls *self)
{
    return self->wake_fd;
}

static void fail_call(Nested *self, char *text)
{
    self->result.is_error = true;
    tool_result_add_text(&self->result, text);
    g_free(text);
}

static void eval_calls_work(void *data)
{
    Nested *self = data;
    EvalCalls *owner = self->owner;
    tool_call_nested(owner->call, self->tool, self->call_id, self->arguments, owner->cancel,
                     &self->result);
    atomic_store(&self->is_done, true);
    if (owner->wake_fd >= 0)
        eventfd_write(owner->wake_fd, 1);
}

/* False: it cannot be called, and the result says so. */
static bool find_tool(EvalCalls *self, Nested *nested)
{
    const ToolSet *tools = tool_call_tools(self->call);
    nested->tool = tools ? tool_set_find(tools, nested->name) : NULL;
    if (nested->tool == tool_call_tool(self->call)) {
        fail_call(nested, g_strdup("eval cannot be called by the code that it runs"));
        return false;
    }
    if (!nested->tool)
        fail_call(nested,
                  g_strdup_printf("Unknown tool from %s runtime: %s",
                                  self->language == EVAL_PYTHON ? "py" : "js", nested->name));
    return nested->tool != NULL;
}

static void start_next(EvalCalls *self)
{
    if (self->running)
        return;
    self->running = g_queue_pop_head(&self->waiting);
    if (!self->running)
        return;
    if (find_tool(self, self->running)) {
        self->worker = worker_start("eval-call", eval_calls_work, self->running);
        if (!self->worker)
            eval_calls_work(self->running);
        return;
    }
    atomic_store(&self->running->is_done, true);
    if (self->wake_fd >= 0)
        eventfd_write(self->wake_fd, 1);
}

char *eval_calls_refusal(const char *id, const char *why)
{
    if (!id)
        return NULL;
    g_autoptr(json_t) reply = json_object();
    json_set_text(reply, "type", "tool-reply");
    json_add(reply, "id:%s ok:%i error:%s", id, false, why);
    g_autofree char *line = json_to_text(reply);
    return g_strconcat(line, "\n", NULL);
}

char *eval_calls_add(EvalCalls *self, const json_t *frame)
{
    const char *id = json_get_text(frame, "id");
    const char *name = json_get_text(frame, "name");
    if (!id || !name)
        return NULL;
    if (!self->call)
        return eval_calls_refusal(id, "tools are not at hand in code that a person runs");
    if (g_queue_get_length(&self->waiting) >= LIMIT_EVAL_CALLS)
        return eval_calls_refusal(
            id, "too many calls of tools wait already: wait for some of them first");
    if (self->count >= LIMIT_EVAL_ALL_CALLS)
        return eval_calls_refusal(id, "a cell can call tools " G_STRINGIFY(
                                          LIMIT_EVAL_ALL_CALLS) " times: go on in another cell");
    Nested *nested = g_new0(Nested, 1);
    nested->owner = self;
    nested->id = g_strdup(id);
    nested->name = g_strdup(name);
    nested->call_id = g_strdup_printf("%s/%u", tool_call_id(self->call), ++self->count);
    json_t *arguments = json_get_object(frame, "args");
    nested->arguments = arguments ? json_incref(arguments) : json_object();
    g_queue_push_tail(&self->waiting, nested);
    start_next(self);
    return NULL;
}

static json_t *images_of(const ToolResult *result)
{
    json_t *images = json_array();
    json_each (result->content, i, block) {
        if (g_strcmp0(json_get_text(block, "type"), "image") != 0)
            continue;
        json_append_take(images, json_make("mimeType:%s data:%s", json_get_text(block, "mimeType"),
                                           json_get_text(block, "data")));
    }
    return images;
}

/* Its text; with details or images an object. */
static json_t *value_of(const ToolResult *result)
{
    g_autofree char *text = tool_result_text(result);
    g_autoptr(json_t) images = images_of(result);
    if (!result->details && json_array_size(images) == 0)
        return json_text(text);
    json_t *value = json_make("text:%s details:%p", text, json_incref(result->details));
    if (json_array_size(images) > 0)
        json_set_take(value, "images", json_incref(images));
    return value;
}

static char *reply_to(const Nested *nested)
{
    g_autoptr(json_t) reply = json_object();
    json_set_text(reply, "type", "tool-reply");
    json_add(reply, "id:%s ok:%i", nested->id, !nested->result.is_error);
    if (nested->result.is_error) {
        g_autofree char *text = tool_result_text(&nested->result);
        json_set_text(reply, "error", text);
    } else {
        json_set_take(reply, "value", value_of(&nested->result));
    }
    g_autofree char *line = json_to_text(reply);
    return g_strconcat(line, "\n", NULL);
}

char *eval_calls_take_reply(EvalCalls *self)
{
    eventfd_t news = 0;
    if (self->wake_fd >= 0)
        (void)eventfd_read(self->wake_fd, &news); // empty is fine
    if (!self->running || !atomic_load(&self->running->is_done))
        return NULL;
    worker_join(g_steal_pointer(&self->worker));
    if (self->running->result.refused && !self->refused)
        self->refused = g_ptr_array_ref(self->running->result.refused);
    char *reply = reply_to(self->running);
    g_clear_pointer(&self->running, nested_free);
    start_next(self);
    return reply;
}

GPtrArray *eval_calls_refused(const EvalCalls *self)
{
    return self->refused;
}

static void nested_refuse(const Nested *nested, GString *replies)
{
    g_autofree char *line = eval_calls_refusal(nested->id, "the cell has ended");
    if (replies)
        g_string_append(replies, line);
}

void eval_calls_stop(EvalCalls *self, GString *replies)
{
    if (self->running) {
        cancel_fire(self->cancel);
        worker_join(g_steal_pointer(&self->worker));
        nested_refuse(self->running, replies);
        g_clear_pointer(&self->running, nested_free);
    }
    Nested *nested = NULL;
    while ((nested = g_queue_pop_head(&self->waiting))) {
        nested_refuse(nested, replies);
        nested_free(nested);
    }
}
