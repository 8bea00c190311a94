/*
 * Reading XML as a stream of tags and text, with expat, which is opened with dlopen() when the
 * first document needs it. Nothing outside the text is ever fetched. Thread safe.
 */
#pragma once

#include "base/cancel.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct XmlHandler { // names come without their prefix: "p" for "w:p"; members may be NULL
    void (*start)(void *data, const char *name, const char **attributes);
    void (*end)(void *data, const char *name);
    void (*text)(void *data, const char *text, size_t size);
} XmlHandler;

/* PROTOCOL for what is no XML; FAILED when expat is not installed. */
bool xml_parse(const char *xml, size_t size, const XmlHandler *handler, void *data, Cancel *cancel,
               GError **error);

/* The value of an attribute, whatever its prefix; NULL: none. */
const char *xml_attribute(const char **attributes, const char *name);
