/*
 * Text of PDF, by poppler's pdftotext (document.h).
 */
#include "base/limits.h"
#include "base/proc.h"
#include "tools/document/document.h"

enum { PDF_MS = 20000 };

bool document_read_pdf(const char *path, Cancel *cancel, GString *out, GError **error)
{
    const char *const argv[] = { "pdftotext", "-layout", "-enc", "UTF-8", path, "-", NULL };
    const ProcSpec spec = {
        .argv = argv,
        .profile = PROC_PROFILE_READER,
        .timeout_ms = PDF_MS,
        .max_output_bytes = LIMIT_DOCUMENT_TEXT_BYTES,
        .max_error_bytes = 4 * KIB,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
        .stops_when_full = true,
    };
    g_auto(ProcResult) result = { 0 };
    g_autoptr(GError) problem = NULL;
    if (!proc_run(&spec, cancel, &result, &problem)) {
        if (g_error_matches(problem, KEDGE_ERROR, KEDGE_ERROR_NOT_FOUND))
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "pdftotext is not installed (package poppler-utils)");
        return pass_error(error, &problem);
    }
    if (result.exit_status != 0 && result.output_size == 0) {
        g_autofree char *reason = g_strdup(result.error_output ? result.error_output : "");
        g_strdelimit(g_strstrip(reason), "\n", ' ');
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "pdftotext: %.300s", reason);
    }
    g_string_append(out, result.output);
    return true;
}
