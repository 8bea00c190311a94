/*
 * The picture in the clipboard (clipboard_image.h): first the types that it has, then the one that
 * models take.
 */
#include "tui/term/clipboard_image.h"

#include "base/env.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/proc.h"
#include "tui/term/clipboard.h"

#define TYPES_BYTES (16 * KIB)

typedef struct Reader {
    const char *variable; // that says it would work; NULL: being there is enough
    const char *list[6];  // prints the types, one a line; empty: it gives PNG or fails
    const char *read[7];  // and the type after it
} Reader;

static const Reader readers[] = {
    { "WAYLAND_DISPLAY", { "wl-paste", "--list-types" }, { "wl-paste", "--no-newline", "--type" } },
    { "DISPLAY",
      { "xclip", "-selection", "clipboard", "-out", "-target", "TARGETS" },
      { "xclip", "-selection", "clipboard", "-out", "-target" } },
    { NULL, { NULL }, { "pngpaste", "-" } },
};

/* The best first. */
static const char *const types[] = { "image/png", "image/jpeg", "image/webp", "image/gif" };

static bool run(const char *const *words, const char *last, size_t max_bytes, Cancel *cancel,
                ProcResult *ret_result, GError **error)
{
    const char *argv[G_N_ELEMENTS(readers[0].read) + 2] = { NULL };
    size_t count = 0;
    for (; count < G_N_ELEMENTS(readers[0].list) && words[count]; count++)
        argv[count] = words[count];
    argv[count] = last;
    const ProcSpec spec = {
        .argv = argv,
        .profile = PROC_PROFILE_READER,
        .timeout_ms = CLIPBOARD_TIMEOUT_MS,
        .max_output_bytes = max_bytes,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
        .max_error_bytes = TYPES_BYTES,
        .is_bytes = true,
        .stops_when_full = true,
    };
    return proc_run(&spec, cancel, ret_result, error);
}

static const Reader *find_reader(EnvFunc env)
{
    for (size_t i = 0; i < G_N_ELEMENTS(readers); i++) {
        const char *value = readers[i].variable ? env(readers[i].variable) : "1";
        g_autofree char *program = proc_find_program(readers[i].read[0]);
        if (value && *value && program)
            return &readers[i];
    }
    return NULL;
}

/* Constant; NULL with an error: it holds no picture. */
static const char *find_type(const Reader *reader, Cancel *cancel, GError **error)
{
    g_auto(ProcResult) result = { 0 };
    if (!reader->list[0])
        return ""; // which stands for nothing, see below
    if (!run(reader->list, NULL, TYPES_BYTES, cancel, &result, error))
        return NULL;
    g_auto(GStrv) lines = g_strsplit_set(result.output, "\r\n", -1);
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        if (g_strv_contains((const char *const *)lines, types[i]))
            return types[i];
    }
    fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is no image in the clipboard");
    return NULL;
}

bool clipboard_read_image(const TermCaps *caps, EnvFunc env, Cancel *cancel, char **ret_data,
                          size_t *ret_size, GError **error)
{
    g_auto(ProcResult) result = { 0 };
    if (caps->is_over_ssh)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "over ssh the clipboard of your machine cannot be read: copy the image "
                         "into a file here, and name it with @");
    const Reader *reader = find_reader(env ? env : env_get_raw);
    if (!reader)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "nothing is here to read the clipboard: install wl-clipboard (Wayland) or "
                         "xclip (X11), or name a file with @");
    const char *type = find_type(reader, cancel, error);
    if (!type || !run(reader->read, *type ? type : NULL, LIMIT_CLIPBOARD_IMAGE_BYTES, cancel,
                      &result, error))
        return false;
    if (result.dropped_bytes > 0)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "the image in the clipboard is larger than %d MiB",
                         LIMIT_CLIPBOARD_IMAGE_BYTES / (1024 * 1024));
    if (result.exit_status != 0 || result.output_size == 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is no image in the clipboard");
    *ret_size = result.output_size;
    *ret_data = g_steal_pointer(&result.output);
    return true;
}
