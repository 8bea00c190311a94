/*
 * The text of documents, as Markdown (agent-tools §3.1.10): DOCX, PPTX, XLSX, EPUB, RTF, PDF.
 * Memory is bounded by LIMIT_DOCUMENT_*. Thread safe.
 */
#pragma once

#include "base/cancel.h"

#include <stdbool.h>

/* Appends to `out`, at most LIMIT_DOCUMENT_TEXT_BYTES. Errors say why it cannot be read. */
typedef bool (*DocumentFunc)(const char *path, Cancel *cancel, GString *out, GError **error);

bool document_read_docx(const char *path, Cancel *cancel, GString *out, GError **error);
bool document_read_pptx(const char *path, Cancel *cancel, GString *out, GError **error);
bool document_read_xlsx(const char *path, Cancel *cancel, GString *out, GError **error);
bool document_read_epub(const char *path, Cancel *cancel, GString *out, GError **error);
bool document_read_rtf(const char *path, Cancel *cancel, GString *out, GError **error);
/* The same of RTF in memory. */
bool document_rtf_text(const char *data, size_t size, Cancel *cancel, GString *out, GError **error);
bool document_read_pdf(const char *path, Cancel *cancel, GString *out, GError **error);

/* NULL: no document; by the end of the name, with its dot in *ret_extension (static). */
DocumentFunc document_reader(const char *path, const char **ret_extension);
