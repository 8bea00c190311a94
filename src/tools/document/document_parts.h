/*
 * What the document formats that are archives of XML have in common. Private to tools/document*.c.
 */
#pragma once

#include "base/limits.h"
#include "base/xml.h"
#include "tools/document/document.h"

/* The members that hold XML by their names, at most LIMIT_DOCUMENT_XML_BYTES; name → GString. */
bool document_load(const char *path, Cancel *cancel, GHashTable **ret_parts, GError **error);
/* NOT_FOUND "NAME is missing". */
bool document_parse(GHashTable *parts, const char *name, const XmlHandler *handler, void *data,
                    Cancel *cancel, GError **error);
/* `target` as it is written in the file `from`: "/a/b", or below the folder of `from`. Caller
   frees. */
char *document_resolve(const char *from, const char *target);

static inline bool document_is_full(const GString *out)
{
    return out->len >= LIMIT_DOCUMENT_TEXT_BYTES;
}
