/*
 * The prompts of before (recall.h): those of this session as they were sent, then those that were
 * read from the history, the newest first.
 */
#include "tui/edit/recall.h"

#include "base/utf8.h"
#include "session/prompt_history.h"
#include "tui/edit/loop_work.h"

enum { PROMPTS_MAX = 100 }; // of each kind

typedef struct Addition {
    char *prompt, *cwd;
} Addition;

struct Recall {
    Loop *loop;
    char *agent_dir;
    LoopFunc on_ready;
    void *user_data;
    LoopWork *reading, *writing;
    json_t *read;      // of the worker
    GPtrArray *stored; // of char *, the newest first; NULL: not read yet
    GPtrArray *own;    // of char *, the newest last
    Addition *current; // is being written
    GQueue additions;  // of Addition, that wait for it
    int index;         // of the prompt that is shown; -1: the person's own text
    char *draft;       // which comes back
};

Recall *recall_new(Loop *loop, const char *agent_dir, LoopFunc on_ready, void *user_data)
{
    Recall *self = g_new0(Recall, 1);
    self->loop = loop;
    self->agent_dir = g_strdup(agent_dir);
    self->on_ready = on_ready;
    self->user_data = user_data;
    self->own = g_ptr_array_new_with_free_func(g_free);
    g_queue_init(&self->additions);
    self->index = -1;
    return self;
}

static void addition_free(void *addition_)
{
    Addition *addition = addition_;
    g_free(addition->prompt);
    g_free(addition->cwd);
    g_free(addition);
}

static void write_addition(void *self_, Cancel *cancel G_GNUC_UNUSED)
{
    const Recall *self = self_;
    prompt_history_add(self->agent_dir, self->current->prompt, self->current->cwd);
}

void recall_free(Recall *self)
{
    if (!self)
        return;
    loop_work_free(self->reading);
    json_decref(self->read);
    loop_work_free(self->writing); // it does not look at its token
    g_clear_pointer(&self->current, addition_free);
    while ((self->current = g_queue_pop_head(&self->additions))) {
        write_addition(self, NULL);
        addition_free(self->current);
    }
    g_clear_pointer(&self->stored, g_ptr_array_unref);
    g_ptr_array_unref(self->own);
    g_free(self->draft);
    g_free(self->agent_dir);
    g_free(self);
}

// ---- what was stored ----

static void read_stored(void *self_, Cancel *cancel G_GNUC_UNUSED)
{
    Recall *self = self_;
    self->read = prompt_history_recent(self->agent_dir, PROMPTS_MAX);
}

static bool is_own(const Recall *self, const char *prompt)
{
    return g_ptr_array_find_with_equal_func(self->own, prompt, g_str_equal, NULL);
}

static void take_stored(Recall *self)
{
    self->stored = g_ptr_array_new_with_free_func(g_free);
    json_each (self->read, i, row) {
        const char *prompt = json_get_text(row, "prompt");
        if (prompt && !is_own(self, prompt))
            g_ptr_array_add(self->stored, g_strdup(prompt));
    }
    json_decref(g_steal_pointer(&self->read));
}

static void end_reading(void *self_)
{
    Recall *self = self_;
    loop_work_free(g_steal_pointer(&self->reading));
    take_stored(self);
    self->on_ready(self->user_data);
}

/* False: it is being read. */
static bool ensure_stored(Recall *self)
{
    if (self->stored)
        return true;
    if (!self->reading) {
        self->reading = loop_work_start(self->loop, "kedge-recall", read_stored, end_reading, self);
        if (!self->reading) { // no thread: then here
            read_stored(self, NULL);
            take_stored(self);
        }
    }
    return self->stored != NULL;
}

// ---- up and down ----

static int recall_count(const Recall *self)
{
    return (int)(self->own->len + self->stored->len);
}

static const char *prompt_at(const Recall *self, int index)
{
    int own = (int)self->own->len;
    return index < own ? self->own->pdata[own - 1 - index] : self->stored->pdata[index - own];
}

const char *recall_previous(Recall *self, const char *text)
{
    if (!ensure_stored(self))
        return NULL;
    int index = self->index + 1;
    while (index < recall_count(self) && g_str_equal(prompt_at(self, index), text))
        index++; // it would look as if nothing had happened
    if (index >= recall_count(self))
        return NULL;
    if (self->index < 0) {
        g_free(self->draft);
        self->draft = g_strdup(text);
    }
    self->index = index;
    return prompt_at(self, index);
}

const char *recall_next(Recall *self, const char *text)
{
    if (self->index < 0)
        return NULL;
    do
        self->index--;
    while (self->index >= 0 && g_str_equal(prompt_at(self, self->index), text));
    return self->index < 0 ? self->draft : prompt_at(self, self->index);
}

void recall_leave(Recall *self)
{
    self->index = -1;
}

// ---- what is sent ----

static void write_next(Recall *self);

static void end_writing(void *self_)
{
    Recall *self = self_;
    loop_work_free(g_steal_pointer(&self->writing));
    g_clear_pointer(&self->current, addition_free);
    write_next(self);
}

/* One after the other, so that they stay in order. */
static void write_next(Recall *self)
{
    while (!self->writing && (self->current = g_queue_pop_head(&self->additions))) {
        self->writing =
            loop_work_start(self->loop, "kedge-history", write_addition, end_writing, self);
        if (self->writing)
            return;
        write_addition(self, NULL); // no thread: then here
        g_clear_pointer(&self->current, addition_free);
    }
}

void recall_add(Recall *self, const char *prompt, const char *cwd, bool is_private)
{
    recall_leave(self);
    if (utf8_is_blank(prompt))
        return;
    const char *last = self->own->len > 0 ? self->own->pdata[self->own->len - 1] : NULL;
    if (g_strcmp0(last, prompt) != 0)
        g_ptr_array_add(self->own, g_strdup(prompt));
    if (self->own->len > PROMPTS_MAX)
        g_ptr_array_remove_index(self->own, 0);
    if (is_private)
        return;
    Addition *addition = g_new0(Addition, 1);
    addition->prompt = g_strdup(prompt);
    addition->cwd = g_strdup(cwd);
    g_queue_push_tail(&self->additions, addition);
    if (!self->writing)
        write_next(self);
}
