/* See server_facts.h. */
#include "agent/server_facts.h"

#include "model/provider.h"
#include "session/session_tree.h"

#define CUSTOM_TYPE  "kedge.server"
#define LEAST_BYTES  ((size_t)16 * 1024)  // no conversation has room in less
#define LIKELY_BYTES ((size_t)900 * 1000) // what many proxies take as they are installed
#define SERVERS_MAX  100                  // that are taken from one session

typedef struct Fact {
    char *target;
    size_t max_bytes;   // 0: not known
    size_t taken_bytes; // of the largest request that was answered
    bool alternates;
    bool is_noted;   // the session has it
    Model model;     // with it; what it points to is that of `of`, but for `compat`
    const Model *of; // NULL: it is to be made
} Fact;

struct ServerFacts {
    GPtrArray *facts; // of Fact
};

static void fact_free(void *self_)
{
    Fact *self = self_;
    json_decref(self->model.compat);
    g_free(self->target);
    g_free(self);
}

ServerFacts *server_facts_new(void)
{
    ServerFacts *self = g_new0(ServerFacts, 1);
    self->facts = g_ptr_array_new_with_free_func(fact_free);
    return self;
}

void server_facts_free(ServerFacts *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->facts);
    g_free(self);
}

/* The model and where it is, without what an address may have of keys. Caller frees. */
static char *target_of(const Model *model)
{
    g_autoptr(GUri) uri =
        g_uri_parse(model->base_url ? model->base_url : "", G_URI_FLAGS_NONE, NULL);
    const char *host = uri ? g_uri_get_host(uri) : NULL;
    return g_strdup_printf("%s/%s %s:%d", model->provider, model->id, host ? host : "",
                           uri ? g_uri_get_port(uri) : -1);
}

static Fact *find_target(const ServerFacts *self, const char *target)
{
    for (guint i = 0; i < self->facts->len; i++) {
        Fact *fact = self->facts->pdata[i];
        if (g_str_equal(fact->target, target))
            return fact;
    }
    return NULL;
}

static Fact *find_model(const ServerFacts *self, const Model *model)
{
    g_autofree char *target = target_of(model);
    return find_target(self, target);
}

static Fact *add_target(ServerFacts *self, const char *target)
{
    Fact *fact = g_new0(Fact, 1);
    fact->target = g_strdup(target);
    g_ptr_array_add(self->facts, fact);
    return fact;
}

static Fact *fact_of(ServerFacts *self, const Model *model)
{
    g_autofree char *target = target_of(model);
    Fact *known = find_target(self, target);
    return known ? known : add_target(self, target);
}

static void fact_changed(Fact *self)
{
    self->is_noted = false;
    self->of = NULL;
}

static void make_model(Fact *self, const Model *model)
{
    json_decref(self->model.compat);
    self->model = *model;
    self->model.compat = model->compat ? json_deep_copy(model->compat) : json_object();
    json_t *compat = self->model.compat;
    int64_t wanted = json_get_int(compat, "maxRequestBytes", 0);
    if (self->max_bytes > 0 && (wanted <= 0 || (int64_t)self->max_bytes < wanted))
        json_set_int(compat, "maxRequestBytes", (gint64)self->max_bytes);
    if (self->alternates) {
        json_set_bool(compat, "strictAlternation", true);
        json_set_bool(compat, "requiresAssistantAfterToolResult", true); // results do not count
    }
    self->of = model;
}

const Model *server_facts_model(ServerFacts *self, const Model *model)
{
    Fact *fact = find_model(self, model);
    if (!fact || (fact->max_bytes == 0 && !fact->alternates))
        return model;
    if (fact->of != model)
        make_model(fact, model);
    return &fact->model;
}

size_t server_facts_max_bytes(const ServerFacts *self, const Model *model)
{
    const Fact *fact = find_model(self, model);
    return fact ? fact->max_bytes : 0;
}

// ---- what is learnt ----

size_t server_facts_refused(ServerFacts *self, const Model *model, size_t bytes, size_t taken,
                            const char *problem)
{
    Fact *fact = fact_of(self, model);
    fact->taken_bytes = MAX(fact->taken_bytes, taken);
    size_t named = provider_error_byte_limit(problem);
    bool is_again = fact->max_bytes > 0 && bytes <= fact->max_bytes; // the guess was too high
    size_t guess = is_again ? MIN(bytes / 8, LIKELY_BYTES) : bytes / 4 * 3;
    if (fact->max_bytes > 0) // what could not be made so small says nothing of a higher one
        guess = MIN(guess, fact->max_bytes);
    if (fact->taken_bytes >= bytes) // another server answers there now
        fact->taken_bytes = 0;
    bool is_named = named >= LEAST_BYTES && named < bytes && named >= fact->taken_bytes;
    fact->max_bytes = is_named ? named : MAX(guess, fact->taken_bytes);
    if (fact->max_bytes < LEAST_BYTES)
        fact->max_bytes = 0;
    fact_changed(fact);
    return fact->max_bytes;
}

bool server_facts_set_alternating(ServerFacts *self, const Model *model)
{
    Fact *fact = fact_of(self, model);
    if (fact->alternates)
        return false;
    fact->alternates = true;
    fact_changed(fact);
    return true;
}

void server_facts_clear_alternating(ServerFacts *self, const Model *model)
{
    Fact *fact = fact_of(self, model);
    fact->alternates = false;
    fact_changed(fact);
}

// ---- what the session keeps ----

static void note_fact(const Fact *self, Session *session)
{
    json_t *data = json_make("target:%s maxRequestBytes:%zu? strictAlternation:%i?", self->target,
                             self->max_bytes, self->alternates);
    session_append_fields(session, "custom", json_make("customType:%s data:%p", CUSTOM_TYPE, data));
}

bool server_facts_answered(ServerFacts *self, const Model *model, size_t bytes, Session *session)
{
    Fact *fact = fact_of(self, model);
    fact->taken_bytes = MAX(fact->taken_bytes, bytes);
    if (fact->is_noted || (fact->max_bytes == 0 && !fact->alternates))
        return false;
    note_fact(fact, session);
    fact->is_noted = true;
    return true;
}

void server_facts_note(const ServerFacts *self, Session *session)
{
    for (guint i = 0; i < self->facts->len; i++) {
        const Fact *fact = self->facts->pdata[i];
        if (fact->is_noted)
            note_fact(fact, session);
    }
}

void server_facts_load(ServerFacts *self, const GPtrArray *path)
{
    for (guint i = path->len; i > 0 && self->facts->len < SERVERS_MAX; i--) {
        const json_t *entry = path->pdata[i - 1];
        const json_t *data = json_get_object(entry, "data");
        const char *target = json_get_text(data, "target");
        if (g_strcmp0(json_get_text(entry, "type"), "custom") != 0 ||
            g_strcmp0(json_get_text(entry, "customType"), CUSTOM_TYPE) != 0 || !target ||
            find_target(self, target))
            continue;
        Fact *fact = add_target(self, target);
        int64_t bytes = json_get_int(data, "maxRequestBytes", 0);
        fact->max_bytes = bytes >= (int64_t)LEAST_BYTES ? (size_t)bytes : 0;
        fact->alternates = json_get_bool(data, "strictAlternation", false);
        fact->is_noted = true;
    }
}
