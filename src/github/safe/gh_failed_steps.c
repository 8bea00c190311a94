/* See gh_failed_steps.h. */
#include "github/safe/gh_failed_steps.h"

#include "base/limits.h"
#include "base/str.h"
#include "github/log_cut.h"
#include "github/text.h"

#include <string.h>

#define STEPS_SHOWN    20
#define STEP_LINES     30
#define STEP_MAX_BYTES ((size_t)4 * KIB)
#define NAME_MAX_BYTES 200

#define BYTE_ORDER_MARK "\xef\xbb\xbf" // at the beginning of each log

typedef struct Step { // borrowed from the output
    const char *head; // JOB<TAB>STEP
    size_t head_size;
    GString *log;
} Step;

static void step_clear(void *data)
{
    g_string_free(((Step *)data)->log, true);
}

/* The length of JOB<TAB>STEP; 0: the line has another form. */
static size_t head_size(const char *line, size_t size)
{
    const char *first = memchr(line, '\t', size);
    const char *second = first ? memchr(first + 1, '\t', size - (size_t)(first + 1 - line)) : NULL;
    return second ? (size_t)(second - line) : 0;
}

/* A line of another form goes on with what the one before belongs to. */
static GArray *read_steps(const char *output)
{
    GArray *steps = g_array_new(false, true, sizeof(Step));
    g_array_set_clear_func(steps, step_clear);
    for (const char *line = output; *line;) {
        size_t size = strcspn(line, "\n"), skipped = head_size(line, size);
        Step *last = steps->len > 0 ? &g_array_index(steps, Step, steps->len - 1) : NULL;
        bool is_same = last && (skipped == 0 || (skipped == last->head_size &&
                                                 memcmp(line, last->head, skipped) == 0));
        if (!is_same && skipped > 0) {
            const Step step = { line, skipped, g_string_new(NULL) };
            g_array_append_val(steps, step);
            last = &g_array_index(steps, Step, steps->len - 1);
        }
        if (last) {
            size_t text_at = skipped > 0 ? skipped + 1 : 0;
            g_string_append_len(last->log, line + text_at, (gssize)(size - text_at));
            g_string_append_c(last->log, '\n');
        }
        line += size + (line[size] == '\n');
    }
    return steps;
}

static void append_step(GString *out, const Step *step)
{
    g_autofree char *names = g_strndup(step->head, step->head_size);
    char *tab = strchr(names, '\t');
    *tab = '\0';
    g_autofree char *job = text_one_line(names), *name = text_one_line(tab + 1);
    g_autofree char *heading = g_strconcat(job, ": ", name, NULL);
    g_autofree char *shown = str_truncate(heading, NAME_MAX_BYTES);
    g_auto(LogTail) tail = { 0 };
    const char *log = step->log->str;
    log += str_has_prefix(log, BYTE_ORDER_MARK) ? strlen(BYTE_ORDER_MARK) : 0;
    log_tail_cut(log, &(LogStep) { 0 }, STEP_LINES, &tail);
    size_t dropped = 0;
    g_autofree char *text = log_tail_fit(tail.text, STEP_MAX_BYTES, &dropped);
    g_string_append_printf(out, "%s## %s\nLines %zu to %zu of %zu:\n%s\n", out->len > 0 ? "\n" : "",
                           shown, tail.first + dropped, tail.last, tail.total, text);
}

char *gh_failed_steps_text(const char *output)
{
    g_autoptr(GArray) steps = read_steps(output);
    if (steps->len == 0)
        return NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    for (unsigned i = 0; i < MIN(steps->len, STEPS_SHOWN); i++)
        append_step(out, &g_array_index(steps, Step, i));
    if (steps->len > STEPS_SHOWN)
        g_string_append_printf(out, "\n%u more failed steps; ask for one job\n",
                               steps->len - STEPS_SHOWN);
    return g_strdup(out->str);
}
