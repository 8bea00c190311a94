/*
 * Descriptions of the states of a diagram.
 */
#include "agenttools/mermaid/mmd_state.h"

typedef struct Texts {
    unsigned count;
    bool is_composite;
    const char *second; // place of the second description; NULL: none yet
} Texts;

void mmd_state_texts_init(StateTexts *self)
{
    *self = (StateTexts) {
        .by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
}

void mmd_state_texts_clear(StateTexts *self)
{
    g_hash_table_unref(self->by_name);
    g_free(self->problem_name);
    *self = (StateTexts) { 0 };
}

static Texts *find_or_add(StateTexts *self, char *name)
{
    Texts *texts = g_hash_table_lookup(self->by_name, name);
    if (texts == NULL) {
        texts = g_new0(Texts, 1);
        g_hash_table_insert(self->by_name, g_strdup(name), texts);
    }
    return texts;
}

static void look(StateTexts *self, const Texts *texts, const char *name)
{
    if (!texts->is_composite || texts->second == NULL || self->problem_name != NULL)
        return;
    self->problem_at = texts->second;
    self->problem_name = g_strdup(name);
}

void mmd_state_see_text(StateTexts *self, const MmdToken *token, const char *at)
{
    g_autofree char *name = g_strndup(token->start, (size_t)(token->stop - token->start));
    Texts *texts = find_or_add(self, name);
    if (++texts->count == 2)
        texts->second = at;
    look(self, texts, name);
}

void mmd_state_see_composite(StateTexts *self, const MmdToken *token)
{
    g_autofree char *name = g_strndup(token->start, (size_t)(token->stop - token->start));
    Texts *texts = find_or_add(self, name);
    texts->is_composite = true;
    look(self, texts, name);
}
