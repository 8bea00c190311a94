/* See body_fit.h. */
#include "model/body_fit.h"

#include "model/image_repair.h"
#include "model/message.h"

#include <stdint.h>
#include <string.h>

#define TO_FIT           "to fit the request"
#define LONG_RESULT      2048 // bytes; shorter ones are not worth a gap
#define ARTIFACT_ADDRESS "artifact://"

// what servers take of images, and of everything (safety §8.1, R16, R20)
#define ANTHROPIC_IMAGES     100
#define ANTHROPIC_MANY       "no more than " G_STRINGIFY(ANTHROPIC_IMAGES) " are taken"
#define FEW_IMAGES           20 // more must be smaller
#define SMALL_SIDE           2000
#define ANTHROPIC_BODY_BYTES (32 * 1000 * 1000)
#define GEMINI_BODY_BYTES    (20 * 1000 * 1000)
#define BODY_BYTES           (50 * 1000 * 1000)

struct BodyFit {
    GHashTable *forms; // message → what stands for it
    GHashTable *freed; // those of them that gave way for the size of the request; borrowed
    GHashTable *known; // messages whose images are small enough; references of their own
    LeftOut left_out;
};

BodyFit *body_fit_new(void)
{
    BodyFit *self = g_new0(BodyFit, 1);
    self->forms = g_hash_table_new_full(g_direct_hash, g_direct_equal, json_free, json_free);
    self->freed = g_hash_table_new(g_direct_hash, g_direct_equal);
    self->known = g_hash_table_new_full(g_direct_hash, g_direct_equal, json_free, NULL);
    return self;
}

void body_fit_free(BodyFit *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->freed);
    g_hash_table_unref(self->forms);
    g_hash_table_unref(self->known);
    g_free(self);
}

/* Borrowed. */
static json_t *form_of(const BodyFit *self, json_t *message)
{
    json_t *form = g_hash_table_lookup(self->forms, message);
    return form ? form : message;
}

/* Takes the reference `form`. */
static void set_form(BodyFit *self, json_t *message, json_t *form)
{
    g_hash_table_replace(self->forms, json_incref(message), form);
}

RepairRule body_fit_rule(const BodyFit *self, const json_t *message)
{
    return g_hash_table_contains(self->freed, message) ? REPAIR_SIZE : REPAIR_IMAGE;
}

json_t *body_fit_apply(const BodyFit *self, const json_t *messages)
{
    if (g_hash_table_size(self->forms) == 0)
        return json_incref((json_t *)messages);
    json_t *out = json_array();
    json_each (messages, i, message)
        json_array_append(out, form_of(self, message));
    return out;
}

static bool is_image(const json_t *block)
{
    return g_strcmp0(json_get_text(block, "type"), "image") == 0;
}

static json_t *with_content(const json_t *message, json_t *content)
{
    json_t *copy = json_copy((json_t *)message);
    json_set_take(copy, "content", content);
    return copy;
}

typedef struct Wish { // what is still to go
    size_t images, bytes;
    const char *reason;
} Wish;

static size_t body_fit_less(size_t from, size_t by)
{
    return by < from ? from - by : 0;
}

LeftOut body_fit_left_out(const BodyFit *self)
{
    return self->left_out;
}

/* The oldest images of one message. False: it has none. */
static bool drop_from(BodyFit *self, json_t *message, Wish *wish)
{
    const json_t *form = form_of(self, message);
    const json_t *blocks = json_get_array(form, "content");
    g_autoptr(json_t) content = json_array();
    bool is_changed = false;
    json_each (blocks, i, block) {
        if (!is_image(block) || (wish->images == 0 && wish->bytes == 0)) {
            json_array_append(content, block);
            continue;
        }
        const char *data = json_get_text(block, "data");
        wish->images = body_fit_less(wish->images, 1);
        wish->bytes = body_fit_less(wish->bytes, data ? strlen(data) : 0);
        self->left_out.images += g_str_equal(wish->reason, TO_FIT);
        json_append_take(content, image_removed(wish->reason));
        is_changed = true;
    }
    if (is_changed)
        set_form(self, message, with_content(form, g_steal_pointer(&content)));
    if (is_changed && g_str_equal(wish->reason, TO_FIT))
        g_hash_table_add(self->freed, message);
    return is_changed;
}

static bool drop_images(BodyFit *self, const json_t *messages, size_t from, size_t to, Wish *wish)
{
    bool is_changed = false;
    for (size_t i = from; i < to && (wish->images > 0 || wish->bytes > 0); i++)
        is_changed = drop_from(self, json_array_get(messages, i), wish) || is_changed;
    return is_changed;
}

/* Each looks at `messages` as the conversation has them. False: there was nothing to do. */
static bool body_fit_drop_images(BodyFit *self, const json_t *messages, size_t count,
                                 const char *reason)
{
    Wish wish = { .images = count, .reason = reason };
    return drop_images(self, messages, 0, json_array_size(messages), &wish);
}

/* "artifact://7" where the text names one; caller frees, NULL: it does not. */
static char *find_artifact(const char *text)
{
    const char *at = g_strrstr(text, ARTIFACT_ADDRESS);
    size_t digits = at ? strspn(at + strlen(ARTIFACT_ADDRESS), "0123456789") : 0;
    return digits > 0 ? g_strndup(at, strlen(ARTIFACT_ADDRESS) + digits) : NULL;
}

static bool shorten_result(BodyFit *self, json_t *message, Wish *wish)
{
    const json_t *form = form_of(self, message);
    if (g_strcmp0(json_get_text(form, "role"), "toolResult") != 0)
        return false;
    g_autofree char *text = message_text(form);
    size_t size = strlen(text);
    if (size <= LONG_RESULT)
        return false;
    g_autofree char *artifact = find_artifact(text);
    g_autofree char *gap = g_strdup_printf("[Output removed " TO_FIT ": %zu bytes%s%s]", size,
                                           artifact ? ", " : "", artifact ? artifact : "");
    json_t *content = json_array();
    json_append_take(content, message_text_block(gap));
    set_form(self, message, with_content(form, content));
    g_hash_table_add(self->freed, message);
    self->left_out.results++;
    wish->bytes = body_fit_less(wish->bytes, size - strlen(gap));
    return true;
}

static bool has_image(const json_t *message)
{
    json_each (json_get_array(message, "content"), i, block) {
        if (is_image(block))
            return true;
    }
    return false;
}

/* The newest message with images, where it is of what is worked on now; else their number. */
static size_t newest_images(const json_t *messages)
{
    for (size_t i = json_array_size(messages); i > 0; i--) {
        const json_t *message = json_array_get(messages, i - 1);
        if (has_image(message))
            return i - 1;
        if (g_strcmp0(json_get_text(message, "role"), "user") == 0)
            break;
    }
    return json_array_size(messages);
}

/* The size that a request is made when it is over its limit: some more room, or every answer would
   cost the server's cache. */
static size_t goal_of(size_t limit)
{
    return limit / 10 * 9;
}

bool body_fit_make_room(BodyFit *self, const json_t *messages, size_t size, size_t limit,
                        size_t *ret_missing)
{
    size_t goal = goal_of(limit);
    Wish wish = { .bytes = body_fit_less(size, goal), .reason = TO_FIT };
    size_t newest = newest_images(messages);
    bool is_changed = drop_images(self, messages, 0, newest, &wish);
    json_each (messages, i, message) {
        if (wish.bytes == 0)
            break;
        is_changed = shorten_result(self, message, &wish) || is_changed;
    }
    // what the person has just shown goes last, and not for more room than is needed
    wish.bytes = body_fit_less(wish.bytes, limit - goal);
    is_changed =
        drop_images(self, messages, newest, json_array_size(messages), &wish) || is_changed;
    *ret_missing = wish.bytes;
    return is_changed;
}

static bool scale_in(BodyFit *self, json_t *message, const ImageLimits *limits)
{
    const json_t *form = form_of(self, message);
    g_autoptr(json_t) content = json_array();
    bool is_changed = false;
    json_each (json_get_array(form, "content"), i, block) {
        json_t *fit = is_image(block) ? image_repair(block, limits) : json_incref(block);
        is_changed = is_changed || fit != block;
        json_append_take(content, fit);
    }
    if (is_changed)
        set_form(self, message, with_content(form, g_steal_pointer(&content)));
    g_hash_table_add(self->known, json_incref(message));
    return is_changed;
}

/* Images with a longer side become smaller, or text. */
static bool body_fit_scale_images(BodyFit *self, const json_t *messages, unsigned side)
{
    const ImageLimits limits = { SIZE_MAX, side };
    bool is_changed = false;
    json_each (messages, i, message) {
        if (!g_hash_table_contains(self->known, message))
            is_changed = scale_in(self, message, &limits) || is_changed;
    }
    return is_changed;
}

static size_t body_limit(const Model *model)
{
    static const size_t limits[] = { [MODEL_API_ANTHROPIC_MESSAGES] = ANTHROPIC_BODY_BYTES,
                                     [MODEL_API_GOOGLE_GENERATIVE_AI] = GEMINI_BODY_BYTES };
    ModelApi api = model_api_wire(model->api);
    int64_t wanted = json_get_int(model->compat, "maxRequestBytes", 0);
    size_t usual = api < G_N_ELEMENTS(limits) && limits[api] > 0 ? limits[api] : BODY_BYTES;
    return wanted > 0 ? (size_t)wanted : usual;
}

bool body_fit_make_smaller(BodyFit *self, const Model *model, const json_t *messages, size_t images,
                           size_t size)
{
    size_t limit = body_limit(model);
    bool is_anthropic = model_api_wire(model->api) == MODEL_API_ANTHROPIC_MESSAGES;
    if (is_anthropic && images > ANTHROPIC_IMAGES)
        return body_fit_drop_images(self, messages, images - ANTHROPIC_IMAGES, ANTHROPIC_MANY);
    if (images > FEW_IMAGES && body_fit_scale_images(self, messages, SMALL_SIDE))
        return true;
    size_t missing = 0;
    return size > limit && body_fit_make_room(self, messages, size, limit, &missing);
}
