/*
 * The last look before anything is written (task-engine §10.7; option threat-detection):
 * credentials and hidden characters in the texts of items, in the lines that the commits add and in
 * what they say; credentials also in files that are no text, and in what a later commit takes away
 * again, because it is pushed, too; and, where the task wants it, a model's opinion.
 */
#include "base/str.h"
#include "wm/apply/apply_private.h"

#include "base/line_diff.h"
#include "base/mask.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "wm/engine/judge.h"
#include "wm/task/wm_log.h"

#define DIFF_MS     ((int64_t)2 * 60 * 1000)
#define MAX_REASONS 10 // that are told

#define BLACK_FLAG    0x1f3f4
#define MAX_FLAG_TAGS 6

// besides GitHub's tokens and the values that this process knows
static const struct {
    const char *name, *pattern;
} shapes[] = {
    { "a private key", "-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY( BLOCK)?-----" },
    { "an AWS access key", "\\b(AKIA|ASIA)[0-9A-Z]{16}\\b" },
    { "an Anthropic key", "\\bsk-ant-[A-Za-z0-9_-]{20,}" },
    { "an OpenAI key", "\\bsk-(proj-)?[A-Za-z0-9_-]{32,}" },
    { "a Slack token", "\\bxox[abprs]-[A-Za-z0-9-]{10,}" },
    { "a Google key", "\\bAIza[0-9A-Za-z_-]{35}\\b" },
    { "a GitLab token", "\\bglpat-[A-Za-z0-9_-]{20,}" },
};

typedef struct Scan {
    GRegex *shapes[G_N_ELEMENTS(shapes)];
    GPtrArray *reasons; // of char *
    json_t *items;      // those that are to be applied
    char *diff;         // what the commits add; NULL: no item is about them
} Scan;

static void scan_clear(Scan *self)
{
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        g_clear_pointer(&self->shapes[i], g_regex_unref);
    g_ptr_array_unref(self->reasons);
    json_decref(self->items);
    g_free(self->diff);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scan, scan_clear)

static void add_reason(Scan *self, const char *what, const char *where)
{
    g_autofree char *reason = g_strdup_printf("%s in %s", what, where);
    if (self->reasons->len < MAX_REASONS &&
        !g_ptr_array_find_with_equal_func(self->reasons, reason, g_str_equal, NULL))
        g_ptr_array_add(self->reasons, g_steal_pointer(&reason));
}

/* Joins letters of some scripts and emoji: hidden only where it is between ASCII characters. */
static bool is_joiner(gunichar c)
{
    return c == 0x200c || c == 0x200d;
}

static bool is_hidden(gunichar c)
{
    return c == 0x061c || c == 0x200b || c == 0x200e || c == 0x200f ||
           (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff ||
           (c >= 0xe0000 && c <= 0xe007f);
}

/* Of a flag of England, Scotland or Wales: a black flag with a few tags. */
static bool is_flag_tag(gunichar c, int *tags_left)
{
    bool is_tag = c >= 0xe0020 && c <= 0xe007f && *tags_left > 0;
    *tags_left = c == BLACK_FLAG ? MAX_FLAG_TAGS : is_tag ? *tags_left - 1 : 0;
    return is_tag;
}

static bool hides_text(const char *text)
{
    int tags_left = 0;
    bool is_letter = false;                                       // the one before could be joined
    const char *start = text + utf8_bom_size(text, strlen(text)); // of a file
    for (const char *at = start; *at != '\0'; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at), next = g_utf8_get_char(g_utf8_next_char(at));
        if (!is_flag_tag(c, &tags_left) && is_hidden(c))
            return true;
        if (is_joiner(c) && (!is_letter || next < 0x80 || is_joiner(next)))
            return true;
        is_letter = c >= 0x80 && !is_joiner(c);
    }
    return false;
}

static void scan_for_keys(Scan *self, const char *text, const char *where)
{
    g_autofree char *redacted = redact_output(text, NULL);
    if (strcmp(redacted, text) != 0 || mask_finds(text, strlen(text)))
        add_reason(self, "a credential", where);
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        if (g_regex_match(self->shapes[i], text, 0, NULL))
            add_reason(self, shapes[i].name, where);
}

static void scan_text(Scan *self, const char *text, const char *where)
{
    scan_for_keys(self, text, where);
    if (hides_text(text))
        add_reason(self, "hidden characters", where);
}

static void scan_value(Scan *self, const json_t *value, const char *where)
{
    if (json_is_string(value))
        scan_text(self, json_string_value(value), where);
    for (size_t i = 0; i < json_array_size(value); i++)
        scan_value(self, json_array_get(value, i), where);
    json_each_member (value, key, member)
        scan_value(self, member, where);
}

/* How many lines of the new file follow, at most: all of them where that cannot be read. */
static int64_t count_added(const char *header)
{
    HunkHead head;
    return hunk_head_read(header, &head) ? head.new_count : INT64_MAX;
}

/* What a diff adds: "+++ b/name" says where, unless it is a line of the file. */
static void scan_diff(Scan *self, char *diff)
{
    g_autofree char *where = g_strdup("the commits");
    int64_t added = 0; // lines that are still to come
    for (char *line = diff, *end = NULL; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (added > 0 && *line == '+') {
            scan_text(self, line + 1, where);
            added--;
        } else if (added <= 0 && str_has_prefix(line, "@@ ")) {
            added = count_added(line);
        } else if (added <= 0 && str_has_prefix(line, "+++ ")) {
            g_free(where);
            where = g_strdup(line + strlen("+++ "));
        }
    }
}

static bool read_diff(Applier *self, const char *base, char **ret_diff, GError **error)
{
    g_autofree char *range = g_strdup_printf("refs/remotes/origin/%s...HEAD", base);
    g_autoptr(GError) failed = NULL;
    if (!self->git.is_quarantined &&
        wm_git_diff(&self->git, range, DIFF_MS, self->cancel, ret_diff, &failed))
        return true;
    g_clear_error(&failed);
    return apply_fetch(self, base, error) && apply_check_objects(self, error) &&
           wm_git_diff(&self->git, range, DIFF_MS, self->cancel, ret_diff, error);
}

/* Each line but those that are taken away; a name of a file is in one, too. */
static void scan_patches(Scan *self, char *patches)
{
    for (char *line = patches, *end = NULL; line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (*line != '-')
            scan_for_keys(self, line, "a commit (a binary file, or what a later one changes)");
    }
}

static bool scan_history(Applier *self, const char *base, bool has_found, Scan *scan,
                         GError **error)
{
    g_autofree char *range = g_strdup_printf("refs/remotes/origin/%s..HEAD", base);
    g_autofree char *words = NULL, *patches = NULL;
    if (!wm_git_log(&self->git, range, WM_GIT_LOG_WORDS, DIFF_MS, self->cancel, &words, error))
        return false;
    scan_text(scan, words, "the message of a commit");
    if (has_found) // what is there in the end is enough
        return true;
    if (!wm_git_log(&self->git, range, WM_GIT_LOG_PATCHES, DIFF_MS, self->cancel, &patches, error))
        return false;
    scan_patches(scan, patches);
    return true;
}

static bool scan_commits(Applier *self, Scan *scan, GError **error)
{
    const char *of_policy =
        wm_handler_text(&self->spec->policy->handlers[WM_CREATE_PULL_REQUEST], "base-branch");
    g_autofree char *usual = NULL;
    if (!of_policy && !apply_default_branch(self, &usual, error))
        return false;
    const char *base = of_policy ? of_policy : usual;
    if (!wm_git_branch_name_is_valid(&self->git, base, self->cancel))
        return fail_with(error, KEDGE_ERROR_DENIED, "\"%s\" is no name of a branch", base);
    if (!read_diff(self, base, &scan->diff, error)) {
        g_prefix_error(error, "cannot tell what the commits add: ");
        return false;
    }
    guint before = scan->reasons->len;
    g_autofree char *lines = g_strdup(scan->diff); // is cut into them
    scan_diff(scan, lines);
    if (scan_history(self, base, scan->reasons->len > before, scan, error))
        return true;
    g_prefix_error(error, "cannot tell what the commits add: ");
    return false;
}

/* `true`, or a map that does not switch it off. */
static bool is_wanted(const json_t *option)
{
    return json_is_true(option) ||
           (json_is_object(option) && json_get_bool(option, "enabled", true));
}

static bool scan_all(Applier *self, const json_t *items, Scan *scan, GError **error)
{
    bool has_commits = false;
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *raw = json_array_get(items, i);
        WmKind kind = wm_kind_of(json_get_text(raw, "type"));
        if (kind == WM_KINDS || !self->spec->policy->handlers[kind].is_enabled)
            continue;
        g_autofree char *where = g_strdup_printf("%s (item %zu)", wm_kind_table[kind].type, i + 1);
        scan_value(scan, raw, where);
        json_array_append(scan->items, (json_t *)raw);
        has_commits =
            has_commits || kind == WM_CREATE_PULL_REQUEST || kind == WM_PUSH_TO_PULL_REQUEST_BRANCH;
    }
    return !has_commits || scan_commits(self, scan, error);
}

/* Not after a finding that ends the run: what was found goes to no model. */
static bool ask_model(Applier *self, const json_t *option, Scan *scan, GError **error)
{
    bool is_settled = scan->reasons->len > 0 && !json_get_bool(option, "continue-on-error", false);
    if (is_settled || json_array_size(scan->items) == 0 || !wm_judge_is_wanted(option))
        return true;
    const WmJudge judge = {
        .config = self->spec->project->config,
        .task = self->spec->task,
        .option = option,
        .items = scan->items,
        .diff = scan->diff,
        .is_elsewhere = self->git.is_quarantined,
    };
    wm_say("wm %s: safe-outputs: a model looks for threats", self->spec->actor);
    return wm_judge_ask(&judge, self->cancel, self->spec->judge_usage, scan->reasons, error);
}

bool apply_look_for_threats(Applier *self, const json_t *items, char **ret_warning, GError **error)
{
    const json_t *option = self->spec->policy->threats;
    if (!is_wanted(option))
        return true;
    g_auto(Scan) scan = {
        .reasons = g_ptr_array_new_with_free_func(g_free),
        .items = json_array(),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++)
        scan.shapes[i] = g_regex_new(shapes[i].pattern, G_REGEX_OPTIMIZE, 0, NULL);
    g_autoptr(GError) failed = NULL;
    if (!scan_all(self, items, &scan, &failed) || !ask_model(self, option, &scan, &failed)) {
        if (error_is(failed, KEDGE_ERROR_CANCELLED))
            return pass_error(error, &failed);
        g_ptr_array_add(scan.reasons, g_strdup(failed->message));
    }
    if (scan.reasons->len == 0)
        return true;
    g_ptr_array_add(scan.reasons, NULL);
    g_autofree char *text = g_strjoinv("; ", (char **)scan.reasons->pdata);
    if (json_get_bool(option, "continue-on-error", false)) {
        *ret_warning = g_steal_pointer(&text);
        return true;
    }
    return fail_with(error, KEDGE_ERROR_DENIED, "threat detection: %s", text);
}
