/*
 * The formats by the end of a file's name (document.h).
 */
#include "tools/document/document.h"

static bool refuse_old(const char *path G_GNUC_UNUSED, Cancel *cancel G_GNUC_UNUSED,
                       GString *out G_GNUC_UNUSED, GError **error)
{
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "the old binary format is not supported; save it as .docx, .xlsx or .pptx");
}

DocumentFunc document_reader(const char *path, const char **ret_extension)
{
    static const struct {
        const char *extension;
        DocumentFunc read;
    } formats[] = {
        { ".pdf", document_read_pdf },   { ".docx", document_read_docx },
        { ".pptx", document_read_pptx }, { ".xlsx", document_read_xlsx },
        { ".epub", document_read_epub }, { ".rtf", document_read_rtf },
        { ".doc", refuse_old },          { ".ppt", refuse_old },
        { ".xls", refuse_old },
    };
    g_autofree char *lower = g_ascii_strdown(path, -1);
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        if (!g_str_has_suffix(lower, formats[i].extension))
            continue;
        *ret_extension = formats[i].extension;
        return formats[i].read;
    }
    return NULL;
}
