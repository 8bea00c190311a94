/* See ignore.h. */
#include "tools/file/ignore.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "tools/file/tool_file.h"

#define WORK_BETWEEN_LOOKS 20000 // bytes of rules; one of 4,096 may take a few milliseconds

typedef struct Rule {
    char *glob; // without leading ! and slashes around
    size_t size;
    bool is_kept, is_directory_only;
    bool is_tied; // fits the whole path, not only its last name
} Rule;

struct IgnoreRules {
    GArray *rules; // of Rule
};

// ---- a glob and a name ----

/* The character at `at` as a number, and where the next one starts; a byte that is no UTF-8 is one
   of its own. */
static gunichar next_character(const char *at, const char *end, const char **ret_next)
{
    if ((unsigned char)*at < 0x80) {
        *ret_next = at + 1;
        return (unsigned char)*at;
    }
    gunichar c = g_utf8_get_char_validated(at, end - at);
    bool is_valid = c != (gunichar)-1 && c != (gunichar)-2;
    *ret_next = is_valid ? g_utf8_next_char(at) : at + 1;
    return is_valid ? c : 0x110000u + (unsigned char)*at; // no character
}

static gunichar class_member(const char *at, const char *end, const char **ret_next)
{
    if (*at == '\\' && at + 1 < end)
        at++;
    return next_character(at, end, ret_next);
}

/* [a-z], [!a-z], [^a-z], whose first ] is a member; false where it is not closed. */
static bool class_fits(const char *at, const char *end, gunichar c, bool *ret_fits,
                       const char **ret_next)
{
    bool is_negated = ++at < end && (*at == '!' || *at == '^'), fits = false;
    at += is_negated;
    for (const char *first = at; at < end && (*at != ']' || at == first);) {
        if (fits) { // only the end is still looked for
            at += *at == '\\' && at + 1 < end ? 2 : 1;
            continue;
        }
        gunichar low = class_member(at, end, &at), high = low;
        if (at + 1 < end && *at == '-' && at[1] != ']')
            high = class_member(at + 1, end, &at);
        fits = c >= low && c <= high;
    }
    if (at >= end)
        return false;
    *ret_fits = fits != is_negated;
    *ret_next = at + 1;
    return true;
}

/* One character of the name, against what is at `glob`, which is no star. */
static bool step_fits(const char *glob, const char *glob_end, const char *name,
                      const char *name_end, const char **ret_glob, const char **ret_name)
{
    gunichar c = next_character(name, name_end, ret_name);
    bool fits = false;
    if (*glob == '?') {
        *ret_glob = glob + 1;
        return true;
    }
    if (*glob == '[')
        return class_fits(glob, glob_end, c, &fits, ret_glob) && fits;
    if (*glob == '\\' && glob + 1 < glob_end)
        glob++;
    return next_character(glob, glob_end, ret_glob) == c;
}

/* Without slashes on either side. Only the last star is ever tried again. */
static bool name_fits(const char *glob, const char *glob_end, const char *name,
                      const char *name_end)
{
    const char *star = NULL, *retry = NULL;
    while (name < name_end) {
        if (glob < glob_end && *glob == '*') {
            star = ++glob;
            retry = name;
        } else if (glob >= glob_end || !step_fits(glob, glob_end, name, name_end, &glob, &name)) {
            if (!star)
                return false;
            glob = star;
            name = ++retry;
        }
    }
    while (glob < glob_end && *glob == '*')
        glob++;
    return glob >= glob_end;
}

static const char *part_end(const char *part)
{
    return strchrnul(part, '/');
}

static const char *next_part(const char *end)
{
    return *end ? end + 1 : end;
}

static bool is_any_depth(const char *part)
{
    return part[0] == '*' && part[1] == '*' && (part[2] == '/' || part[2] == '\0');
}

bool ignore_glob_fits(const char *glob, const char *path)
{
    const char *star = NULL, *retry = NULL;
    while (*path) {
        const char *glob_end = part_end(glob), *name_end = part_end(path);
        if (*glob && is_any_depth(glob)) {
            star = next_part(glob_end);
            if (!*star)
                return true; // all that is inside
            glob = star;
            retry = path;
        } else if (*glob && name_fits(glob, glob_end, path, name_end)) {
            glob = next_part(glob_end);
            path = next_part(name_end);
        } else if (star) {
            glob = star;
            path = retry = next_part(part_end(retry));
        } else {
            return false;
        }
    }
    return *glob == '\0';
}

// ---- the rules ----

static void rule_clear(void *rule)
{
    g_free(((Rule *)rule)->glob);
}

/* Blanks at the end do not count unless a backslash comes before. */
static size_t trimmed_size(const char *line, size_t size)
{
    while (size > 0 && line[size - 1] == ' ' && !(size > 1 && line[size - 2] == '\\'))
        size--;
    return size;
}

static void add_rule(IgnoreRules *self, const char *line, size_t size)
{
    if (size > 0 && line[size - 1] == '\r')
        size--;
    size = trimmed_size(line, size);
    if (size == 0 || size > LIMIT_IGNORE_RULE_BYTES || *line == '#' || memchr(line, '\0', size))
        return;
    Rule rule = { .is_kept = *line == '!' };
    line += rule.is_kept;
    size -= rule.is_kept;
    rule.is_directory_only = size > 0 && line[size - 1] == '/';
    size -= rule.is_directory_only;
    rule.is_tied = memchr(line, '/', size) != NULL;
    if (size > 0 && *line == '/') {
        line++;
        size--;
    }
    if (size == 0)
        return;
    rule.glob = g_strndup(line, size);
    rule.size = size;
    g_array_append_val(self->rules, rule);
}

IgnoreRules *ignore_rules_parse(const char *text, size_t size)
{
    IgnoreRules *self = g_new0(IgnoreRules, 1);
    self->rules = g_array_new(FALSE, FALSE, sizeof(Rule));
    g_array_set_clear_func(self->rules, rule_clear);
    const char *end = text + size;
    text += utf8_bom_size(text, size);
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        add_rule(self, text, (size_t)((line_end ? line_end : end) - text));
        text = line_end ? line_end + 1 : end;
    }
    return self;
}

IgnoreRules *ignore_rules_read(const char *path)
{
    g_auto(Fd) fd = -1;
    struct stat info;
    g_autoptr(GString) text = g_string_new(NULL);
    if (access(path, R_OK) < 0 || !tool_file_open(path, path, &fd, &info, NULL) ||
        !fd_read_all(fd, LIMIT_IGNORE_FILE_BYTES, path, text, NULL))
        return NULL;
    g_autoptr(IgnoreRules) rules = ignore_rules_parse(text->str, text->len);
    return rules->rules->len > 0 ? g_steal_pointer(&rules) : NULL;
}

void ignore_rules_free(IgnoreRules *self)
{
    if (!self)
        return;
    g_array_unref(self->rules);
    g_free(self);
}

bool ignore_watch_goes_on(IgnoreWatch *self, size_t bytes)
{
    self->work += bytes;
    if (self->is_stopped || self->work < WORK_BETWEEN_LOOKS)
        return !self->is_stopped;
    self->work = 0;
    self->is_stopped = !self->look(self->user_data);
    return !self->is_stopped;
}

IgnoreVerdict ignore_rules_judge(const IgnoreRules *self, const char *path, bool is_directory,
                                 IgnoreWatch *watch)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (unsigned i = self ? self->rules->len : 0; i > 0; i--) {
        const Rule *rule = &g_array_index(self->rules, Rule, i - 1);
        if (watch && !ignore_watch_goes_on(watch, rule->size))
            return IGNORE_SAYS_NOTHING;
        if ((is_directory || !rule->is_directory_only) &&
            ignore_glob_fits(rule->glob, rule->is_tied ? path : name))
            return rule->is_kept ? IGNORE_KEPT : IGNORE_OUT;
    }
    return IGNORE_SAYS_NOTHING;
}
