/*
 * The conversation's first rows and last words (opening.h).
 */
#include "tui/control/opening.h"

#include "base/file.h"
#include "base/timefmt.h"
#include "model/message.h"
#include "model/registry.h"
#include "session/session_index.h"
#include "tui/control/layout.h"
#include "tui/control/tui_own.h"
#include "tui/edit/loop_work.h"
#include "tui/text/clean.h"
#include "tui/view/welcome.h"

enum { RECENT_SESSIONS = 3, MOVED_ROWS = 40, PLACE_CELLS = 40, READ_MESSAGES = 400 };

// ---- the welcome ----

struct Recent { // the sessions of before, which take their time: the index may have to be made
    Tui *tui;
    LoopWork *work;
    json_t *sessions; // new array; NULL: none. The worker's, until it is over
    bool is_over;
};

/* On a worker: the newest of this directory, for a person who wants to go on. */
static void find_recent(void *self_, Cancel *cancel)
{
    Recent *self = self_;
    const SessionPlace *place = &self->tui->options->conversation->place;
    g_autoptr(SessionIndex) index = NULL;
    if (session_index_open(place->agent_dir, place->session_dir, NULL, NULL, cancel, &index, NULL))
        session_index_list(index, place->session_dir ? NULL : place->cwd, RECENT_SESSIONS,
                           &self->sessions, NULL);
}

static void make_welcome(Tui *self)
{
    const Model *model = self->options->conversation->model;
    const ModelRegistry *registry = agent_session_registry(self->run->session);
    bool has_key =
        model_registry_is_available(registry, model, self->options->conversation->is_model_named);
    g_autofree char *hint = has_key ? NULL : model_registry_key_hint(model);
    WelcomeFacts facts = {
        .version = KEDGE_VERSION,
        .provider = model->provider,
        .model = model->id,
        .key_hint = hint,
        .sessions =
            self->run->recent && self->run->recent->is_over ? self->run->recent->sessions : NULL,
        .now_ms = time_now_ms(),
    };
    // above the cursor, so it is as narrow as all that stands there
    int width = MIN(LIVE_WIDTH, terminal_size(self->look->terminal).columns - 1);
    g_ptr_array_set_size(self->run->welcome, 0);
    g_ptr_array_set_size(self->run->short_welcome, 0);
    welcome_rows(&facts, self->look->theme, width, self->run->welcome);
    facts.is_short = true;
    welcome_rows(&facts, self->look->theme, width, self->run->short_welcome);
}

void opening_lay_out(Tui *self)
{
    if (self->run->welcome)
        make_welcome(self);
}

void opening_end_welcome(Tui *self)
{
    run_own(self)->is_welcome_over = true;
}

void opening_drop_welcome(Tui *self)
{
    g_clear_pointer(&run_own(self)->welcome, g_ptr_array_unref);
}

static void on_recent(void *self_)
{
    Recent *self = self_;
    self->is_over = true;
    if (!self->sessions)
        return;
    opening_lay_out(self->tui);
    frame_request(self->tui->look->frames, FRAME_STREAM);
}

/* Its rows are made with the first frame, which has a width. */
static void tui_welcome(Tui *self)
{
    run_own(self)->welcome = rows_new();
    run_own(self)->short_welcome = rows_new();
    run_own(self)->recent = g_new0(Recent, 1);
    self->run->recent->tui = self;
    self->run->recent->work =
        loop_work_start(self->loop, "recent", find_recent, on_recent, self->run->recent);
}

void opening_end(Tui *self)
{
    if (!self->run->recent)
        return;
    loop_work_free(self->run->recent->work);
    json_decref(self->run->recent->sessions);
    g_clear_pointer(&run_own(self)->recent, g_free);
}

// ---- messages of before ----

/* "now at: what it was asked last". False: that is one of those before. */
static bool say_place(Tui *self, const json_t *messages, size_t before)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        const json_t *message = json_array_get(messages, i - 1);
        if (strcmp(message_role(message), "user") != 0)
            continue;
        g_autofree char *text = message_text(message);
        g_autofree char *words = clean_line(text, PLACE_CELLS);
        g_autofree char *place = g_strdup_printf("now at: %s", words);
        transcript_rule(self->run->transcript, place);
        return true;
    }
    if (before == 0)
        transcript_rule(self->run->transcript, "now at: the beginning");
    return before == 0;
}

void opening_replay(Tui *self, bool is_moved)
{
    double rows = settings_get_number(self->look->settings, "tui.resumeRows");
    int max_rows = is_moved ? MOVED_ROWS : (int)CLAMP(rows, 10, 100000);
    for (size_t count = READ_MESSAGES, before = 1; before > 0; count *= 4) {
        g_autoptr(json_t) messages =
            agent_session_newest_messages(self->run->session, count, &before);
        if (is_moved && !say_place(self, messages, before))
            continue;
        is_moved = false;
        if (transcript_replay(self->run->transcript, messages, before, max_rows))
            break;
    }
    frame_request(self->look->frames, FRAME_NOW);
}

// ---- opening ----

void opening_open(Tui *self, EventFunc on_event, GPtrArray *warnings)
{
    AgentSessionOptions options = *self->options->conversation;
    options.loop = self->loop;
    options.cancel = self->cancel;
    options.can_ask = options.can_choose = true;
    options.choose = NULL;
    g_autoptr(GString) context = g_string_new(NULL);
    options.context_note = context;
    run_own(self)->session = agent_session_new(&options, warnings);
    self->slash.context_files = g_strdup(context->str);
    const SubscriberSpec subscriber = { DETAIL_SCREEN, true, on_event, self };
    agent_session_subscribe(self->run->session, &subscriber);
    self->slash.session = self->run->session;
    size_t before = 0;
    g_autoptr(json_t) newest = agent_session_newest_messages(self->run->session, 1, &before);
    if (json_array_size(newest) > 0)
        opening_replay(self, false);
    else if (!self->picks_session && !settings_get_bool(self->look->settings, "startup.quiet"))
        tui_welcome(self);
}

// ---- leaving ----

char *opening_goodbye(Tui *self)
{
    g_autoptr(GError) error = NULL;
    if (self->picks_session)
        return g_strdup(NO_SESSION_PICKED);
    if (agent_session_is_idle(self->run->session) &&
        !agent_session_flush(self->run->session, &error))
        return g_strdup_printf("the session could not be saved: %s", error->message);
    g_autoptr(json_t) state = agent_session_state(self->run->session);
    const char *path = json_get_text(state, "sessionFile");
    const char *dir = self->slash.place.session_dir;
    if (!path || !file_exists(path))
        return NULL;
    return g_strdup_printf("Resume with: kedge%s%s --resume %s", dir ? " --session-dir " : "",
                           dir ? dir : "", json_get_text(state, "sessionId"));
}
