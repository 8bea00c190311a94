/*
 * The names of tasks in a Makefile and a justfile, as far as they can be seen without running
 * anything (recipe_lines.h). What is not understood is passed over: the worst is a name that its
 * program then does not know.
 */
#include "tools/recipe/recipe_lines.h"

#include "base/limits.h"

#include <string.h>

#define BLANKS " \t\r"
#define WORD   "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

/* The next line, with those that a backslash joins to it; false at the end. */
static bool next_line(const char **text, GString *line)
{
    g_string_truncate(line, 0);
    if (**text == '\0')
        return false;
    for (bool is_on = true; is_on && **text != '\0';) {
        size_t size = strcspn(*text, "\n");
        is_on = size > 0 && (*text)[size - 1] == '\\';
        g_string_append_len(line, *text, (gssize)(size - is_on));
        if (is_on)
            g_string_append_c(line, ' ');
        *text += size + ((*text)[size] != '\0');
    }
    return true;
}

// ---- make ----

typedef struct Make {
    GPtrArray *targets; // of char *, in the order of the file
    GHashTable *seen;   // the same
    GHashTable *phony;  // of char *
    unsigned defines;   // `define … endef` around a line
    bool has_more;      // targets that only make finds
} Make;

static bool is_word(const char *text, size_t size, const char *words)
{
    for (const char *at = words; *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (length == size && strncmp(at, text, size) == 0)
            return true;
        at += length + (at[length] != '\0');
    }
    return false;
}

/* A line that is no rule. */
static bool is_directive(Make *self, const char *line)
{
    size_t size = strcspn(line, BLANKS "(:=");
    if (is_word(line, size, "include -include sinclude load -load") || *line == '$') {
        self->has_more = true;
        return true;
    }
    if (is_word(line, size, "define"))
        self->defines++;
    bool is_other = line[size] != ':' &&
                    is_word(line, size,
                            "define override export unexport private undefine vpath ifdef ifndef "
                            "ifeq ifneq else endif");
    return is_other;
}

/* The colon of a rule; NULL: the line is something else, an assignment for one. */
static const char *rule_colon(const char *line)
{
    int depth = 0;
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == '$' && (at[1] == '(' || at[1] == '{')) {
            depth++;
            at++;
        } else if (depth > 0 && (*at == '(' || *at == '{')) {
            depth++;
        } else if (depth > 0 && (*at == ')' || *at == '}')) {
            depth--;
        } else if (depth == 0 && (*at == '=' || *at == ';')) {
            return NULL;
        } else if (depth == 0 && *at == ':') {
            return at[strspn(at, ":")] == '=' ? NULL : at;
        }
    }
    return NULL;
}

/* `a: CFLAGS += -g` sets a variable, and is no rule for `a`. */
static bool is_variable(const char *behind)
{
    behind += strspn(behind, BLANKS);
    size_t size = strspn(behind, WORD ".-");
    const char *at = behind + size;
    at += strspn(at, BLANKS);
    at += strspn(at, ":+?!");
    return size > 0 && *at == '=';
}

static void add_target(Make *self, const char *name)
{
    if (strchr(name, '%'))
        self->has_more = true;
    else if (*name != '.' && recipe_is_name(name, strlen(name)) &&
             self->targets->len < LIMIT_RECIPE_TASKS &&
             g_hash_table_add(self->seen, g_strdup(name)))
        g_ptr_array_add(self->targets, g_strdup(name));
}

static void read_rule(Make *self, const char *line, const char *colon)
{
    const char *behind = colon + strspn(colon, ":");
    if (is_variable(behind))
        return;
    g_autofree char *head = g_strndup(line, (size_t)(colon - line));
    if (strchr(head, '$')) { // some of it is not what it says
        self->has_more = true;
        return;
    }
    g_auto(GStrv) targets = g_strsplit_set(head, BLANKS, -1);
    for (char **target = targets; *target; target++) {
        if (**target != '\0' && strcmp(*target, "&") != 0)
            add_target(self, *target);
    }
    if (!g_strv_contains((const char *const *)targets, ".PHONY"))
        return;
    g_autofree char *tail = g_strndup(behind, strcspn(behind, ";"));
    g_auto(GStrv) names = g_strsplit_set(tail, BLANKS, -1);
    for (char **name = names; *name; name++)
        g_hash_table_add(self->phony, g_strdup(*name));
}

static void read_make_line(Make *self, char *line)
{
    if (*line == '\t')
        return;
    for (char *at = strchr(line, '#'); at; at = strchr(at + 1, '#')) {
        if (at > line && at[-1] == '\\')
            continue;
        *at = '\0';
        break;
    }
    const char *text = g_strstrip(line);
    if (self->defines > 0) {
        size_t size = strcspn(text, BLANKS);
        self->defines += is_word(text, size, "define");
        self->defines -= is_word(text, size, "endef");
        return;
    }
    if (is_directive(self, text))
        return;
    const char *colon = rule_colon(text);
    if (colon)
        read_rule(self, text, colon);
}

static void add_targets(const Make *self, bool wants_phony, RecipeRunner *runner)
{
    for (guint i = 0; i < self->targets->len; i++) {
        const char *name = self->targets->pdata[i];
        if (g_hash_table_contains(self->phony, name) == wants_phony)
            recipe_add_name(runner, name);
    }
}

void recipe_parse_make(const char *text, RecipeRunner *runner)
{
    Make self = {
        .targets = g_ptr_array_new_with_free_func(g_free),
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .phony = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    g_autoptr(GString) line = g_string_new(NULL);
    while (next_line(&text, line))
        read_make_line(&self, line->str);
    add_targets(&self, true, runner);
    runner->main_tasks = runner->tasks->len;
    add_targets(&self, false, runner);
    runner->has_more = runner->has_more || self.has_more || self.targets->len >= LIMIT_RECIPE_TASKS;
    g_ptr_array_unref(self.targets);
    g_hash_table_unref(self.seen);
    g_hash_table_unref(self.phony);
}

// ---- just ----

/* The colon behind a recipe's name and parameters, whose defaults may be quoted; NULL: none, or
   that of an assignment. */
static const char *recipe_colon(const char *line)
{
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == '#')
            return NULL;
        if (strchr("'\"`", *at)) {
            at = strchr(at + 1, *at);
            if (!at)
                return NULL;
        } else if (*at == ':') {
            return at[1] == '=' ? NULL : at;
        }
    }
    return NULL;
}

void recipe_parse_just(const char *text, RecipeRunner *runner)
{
    g_autoptr(GString) line = g_string_new(NULL);
    bool is_private = false;
    bool is_on = true;
    while (is_on && next_line(&text, line)) {
        const char *at = line->str;
        if (*at == '[') { // attributes of the recipe below
            is_private = is_private || strstr(at, "private");
            continue;
        }
        if (*at == '\0' || *at == '#' || g_ascii_isspace(*at))
            continue;
        at += *at == '@';
        size_t size = strspn(at, WORD "-");
        bool is_name = g_ascii_isalpha(*at) && strchr(BLANKS ":", at[size]);
        bool is_recipe = is_name && recipe_colon(at + size) && !is_private;
        g_autofree char *name = g_strndup(at, size);
        if (is_recipe)
            is_on = recipe_add_name(runner, name);
        is_private = false;
    }
}
