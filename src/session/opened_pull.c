/* See opened_pull.h. */
#include "session/opened_pull.h"

#include "base/str.h"

#define MAX_NUMBER INT32_MAX

void pull_ref_clear(PullRef *self)
{
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
}

/* What is behind the number must be nothing. */
static bool parse_number(const char *text, int64_t *ret_number)
{
    gint64 number = 0;
    char *end = NULL;
    if (!g_ascii_isdigit(*text))
        return false;
    number = g_ascii_strtoll(text, &end, 10);
    if (*end != '\0' || number <= 0 || number > MAX_NUMBER)
        return false;
    *ret_number = number;
    return true;
}

static bool is_name(const char *text)
{
    static const char letters[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.";
    return *text != '\0' && strspn(text, letters) == strlen(text);
}

static bool parse_url(const char *text, PullRef *ret_ref)
{
    int64_t number = 0;
    if (!str_has_prefix(text, "https://"))
        return false;
    g_auto(GStrv) parts = g_strsplit(text + strlen("https://"), "/", 6);
    if (g_strv_length(parts) != 5 || *parts[0] == '\0' || !is_name(parts[1]) ||
        !is_name(parts[2]) || !g_str_equal(parts[3], "pull") || !parse_number(parts[4], &number))
        return false;
    *ret_ref = (PullRef) {
        .host = g_ascii_strdown(parts[0], -1),
        .repo = g_strconcat(parts[1], "/", parts[2], NULL),
        .number = number,
    };
    return true;
}

bool pull_ref_parse(const char *text, PullRef *ret_ref)
{
    if (parse_url(text, ret_ref))
        return true;
    const char *hash = strchr(text, '#');
    int64_t number = 0;
    if (!parse_number(hash ? hash + 1 : text, &number))
        return false;
    g_autofree char *repo = hash ? g_strndup(text, (gsize)(hash - text)) : g_strdup("");
    g_auto(GStrv) parts = g_strsplit(repo, "/", 3);
    bool has_repo = *repo != '\0';
    if (has_repo && (g_strv_length(parts) != 2 || !is_name(parts[0]) || !is_name(parts[1])))
        return false;
    *ret_ref = (PullRef) {
        .repo = has_repo ? g_steal_pointer(&repo) : NULL,
        .number = number,
    };
    return true;
}

// ---- commands ----

typedef struct Word { // borrowed
    const char *at;
    size_t size;
} Word;

typedef struct Walk { // through the words of a command; flags may be between, no other command
    bool has_gh;
    Word last, second_last; // with nothing but blanks behind them
} Walk;

static bool is_word(const Word *word, const char *text)
{
    return word->size == strlen(text) && memcmp(word->at, text, word->size) == 0;
}

static bool is_word_char(char c)
{
    return g_ascii_isalnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Of a terminated text: pr_create or pr-create, as a word. */
static bool is_pr_create(const char *text)
{
    return (str_has_prefix(text, "pr_create") || str_has_prefix(text, "pr-create")) &&
           !is_word_char(text[strlen("pr_create")]);
}

/* True: with this word the command opens one. */
static bool takes_word(Walk *self, const Word *word)
{
    bool is_gh = self->has_gh && is_word(&self->last, "pr") &&
                 (is_word(word, "create") || is_word(word, "new"));
    bool is_kedge = is_word(&self->second_last, "kedge") && is_word(&self->last, "github") &&
                    is_pr_create(word->at);
    self->has_gh = self->has_gh || is_word(word, "gh");
    self->second_last = self->last;
    self->last = *word;
    return is_gh || is_kedge;
}

bool opened_pull_is_command(const char *command)
{
    static const Word none = { "", 0 };
    const char *end = command + strnlen(command, PULL_COMMAND_MAX_BYTES);
    Walk walk = { false, none, none };
    for (const char *at = command; at < end;) {
        Word word = { at, 0 };
        while (at < end && is_word_char(*at))
            at++;
        word.size = (size_t)(at - word.at);
        if (word.size > 0) {
            if (takes_word(&walk, &word))
                return true;
            continue;
        }
        if (strchr(";&|\n", *at))
            walk.has_gh = false;
        if (*at == '\n' || !g_ascii_isspace(*at))
            walk.last = walk.second_last = none;
        at++;
    }
    return false;
}

bool opened_pull_is_call(const json_t *call)
{
    const char *name = json_get_text(call, "name");
    const json_t *arguments = json_get_object(call, "arguments");
    if (g_strcmp0(name, "github") == 0)
        return g_strcmp0(json_get_text(arguments, "op"), "pr_create") == 0;
    if (g_strcmp0(name, "bash") == 0) {
        const char *command = json_get_text(arguments, "command");
        return command && opened_pull_is_command(command);
    }
    if (g_strcmp0(name, "gh") != 0)
        return false;
    const char *before = "";
    json_each (json_get_array(arguments, "args"), i, word) {
        const char *text = json_string_value(word) ? json_string_value(word) : "";
        if (g_str_equal(before, "pr") && (g_str_equal(text, "create") || g_str_equal(text, "new")))
            return true;
        before = text;
    }
    return false;
}

bool opened_pull_in_text(const char *text, PullRef *ret_ref)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        g_autofree char *trimmed = g_strstrip(g_strndup(line, strcspn(line, "\n")));
        const char *url = str_has_prefix(trimmed, "URL: ") ? trimmed + strlen("URL: ") : trimmed;
        if (parse_url(url, ret_ref))
            return true;
    }
    return false;
}
