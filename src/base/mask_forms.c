/* See mask_forms.h. */
#include "base/mask_forms.h"

#include "base/lock.h"
#include "base/secrets.h"

#define NODE(self, index) (&g_array_index((self)->nodes, MaskNode, (index)))

static uint32_t find_child(const MaskForms *self, uint32_t node, uint8_t byte)
{
    if (node == 0)
        return self->first[byte];
    uint32_t child = NODE(self, node)->child;
    while (child != 0 && NODE(self, child)->byte != byte)
        child = NODE(self, child)->sibling;
    return child;
}

static uint32_t add_child(MaskForms *self, uint32_t parent, uint8_t byte)
{
    uint32_t index = self->nodes->len;
    const MaskNode node = {
        .byte = byte,
        .depth = NODE(self, parent)->depth + 1,
        .sibling = NODE(self, parent)->child,
    };
    g_array_append_val(self->nodes, node);
    NODE(self, parent)->child = index;
    if (parent == 0)
        self->first[byte] = index;
    return index;
}

static void add_form(MaskForms *self, const char *form, size_t size, bool is_base64)
{
    uint32_t node = 0;
    for (size_t i = 0; i < size; i++) {
        uint32_t next = find_child(self, node, (uint8_t)form[i]);
        node = next != 0 ? next : add_child(self, node, (uint8_t)form[i]);
    }
    NODE(self, node)->match = (uint32_t)size;
    NODE(self, node)->is_base64 = is_base64;
}

/* What of the encoding does not depend on the bytes around the value, for each place that the value
   can begin at in a group of three. */
static void add_base64(MaskForms *self, const char *value, size_t size)
{
    for (size_t before = 0; before < 3; before++) {
        g_autofree unsigned char *bytes = g_malloc0(before + size);
        memcpy(bytes + before, value, size);
        g_autofree char *text = g_base64_encode(bytes, before + size);
        size_t first = (8 * before + 5) / 6, end = 8 * (before + size) / 6;
        add_form(self, text + first, end - first, true);
        if (strpbrk(text, "+/")) {
            g_strdelimit(text, "+", '-');
            g_strdelimit(text, "/", '_');
            add_form(self, text + first, end - first, true);
        }
        explicit_bzero(text, strlen(text));
        explicit_bzero(bytes, before + size);
    }
}

static void add_hex(MaskForms *self, const char *value, size_t size)
{
    g_autoptr(GString) lower = g_string_sized_new(2 * size);
    for (size_t i = 0; i < size; i++)
        g_string_append_printf(lower, "%02x", (uint8_t)value[i]);
    add_form(self, lower->str, lower->len, false);
    g_string_ascii_up(lower);
    add_form(self, lower->str, lower->len, false);
    explicit_bzero(lower->str, lower->len);
}

static void add_url(MaskForms *self, const char *value)
{
    g_autofree char *text = g_uri_escape_bytes((const guint8 *)value, strlen(value), NULL);
    add_form(self, text, strlen(text), false);
    for (char *at = text; (at = strchr(at, '%')); at += 3) {
        at[1] = g_ascii_tolower(at[1]);
        at[2] = g_ascii_tolower(at[2]);
    }
    add_form(self, text, strlen(text), false);
    explicit_bzero(text, strlen(text));
}

static void add_json(MaskForms *self, const char *value)
{
    for (int escapes_slash = 0; escapes_slash < 2; escapes_slash++) {
        g_autoptr(GString) text = g_string_new(NULL);
        for (const char *p = value; *p != '\0'; p++) {
            if (*p == '"' || *p == '\\' || (*p == '/' && escapes_slash))
                g_string_append_c(text, '\\');
            if (*p == '\t')
                g_string_append(text, "\\t");
            else
                g_string_append_c(text, *p);
        }
        add_form(self, text->str, text->len, false);
        explicit_bzero(text->str, text->len);
    }
}

/* Breadth first: the end of a node is known before those of its children. */
static void link_ends(MaskForms *self)
{
    g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    uint32_t root = 0;
    g_array_append_val(queue, root);
    for (unsigned at = 0; at < queue->len; at++) {
        uint32_t node = g_array_index(queue, uint32_t, at);
        for (uint32_t child = NODE(self, node)->child; child != 0;
             child = NODE(self, child)->sibling) {
            MaskNode *this = NODE(self, child);
            this->fail = node == 0 ? 0 : mask_forms_next(self, NODE(self, node)->fail, this->byte);
            const MaskNode *end = NODE(self, this->fail);
            if (this->match == 0 && end->match > 0) {
                this->match = end->match;
                this->is_base64 = end->is_base64;
            }
            g_array_append_val(queue, child);
        }
    }
}

uint32_t mask_forms_next(const MaskForms *self, uint32_t node, uint8_t byte)
{
    for (;;) {
        uint32_t child = find_child(self, node, byte);
        if (child != 0 || node == 0)
            return child;
        node = NODE(self, node)->fail;
    }
}

static MaskForms *mask_forms_make(unsigned known_count)
{
    MaskForms *self = g_new0(MaskForms, 1);
    self->ref_count = 1;
    self->known_count = known_count;
    self->nodes = g_array_new(FALSE, TRUE, sizeof(MaskNode));
    g_array_set_size(self->nodes, 1);
    for (unsigned i = 0; i < known_count; i++) {
        const char *value = secrets_known(i);
        size_t size = strlen(value);
        add_base64(self, value, size);
        add_hex(self, value, size);
        add_url(self, value);
        add_json(self, value);
        add_form(self, value, size, false);
    }
    link_ends(self);
    return self;
}

/* The nodes spell the values. */
static void mask_forms_wipe(MaskForms *self)
{
    explicit_bzero(self->nodes->data, self->nodes->len * sizeof(MaskNode));
    g_array_set_size(self->nodes, 0);
}

void mask_forms_unref(MaskForms *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    mask_forms_wipe(self);
    g_array_free(self->nodes, TRUE);
    g_free(self);
}

MaskForms *mask_forms_get(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static MaskForms *current; // made again when a value came in

    unsigned known_count = secrets_count_known();
    if (known_count == 0)
        return NULL;
    HOLD_LOCK(&lock);
    if (!current || current->known_count < known_count) {
        mask_forms_unref(current);
        current = mask_forms_make(known_count);
    }
    MaskForms *forms = current;
    g_atomic_int_inc(&forms->ref_count);
    return forms;
}
