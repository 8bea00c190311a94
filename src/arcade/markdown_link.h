/*
 * Destinations of links and pictures in Markdown: what they lead to, and texts as HTML. Pure.
 */
#pragma once

#include <glib.h>
#include <md4c.h>
#include <stdbool.h>

typedef enum {
    LINK_NONE, // leads nowhere that we go
    LINK_WEB,  // http, https
    LINK_MAIL,
    LINK_PAGE,  // in this document: #…
    LINK_LOCAL, // a path beside it
} LinkKind;

/* The text of a destination or title: entities that could hide a scheme are decoded, others stay as
   they were written. Caller frees. */
char *link_text(const MD_ATTRIBUTE *attribute);

LinkKind link_kind(const char *destination);

/* The file of a LINK_LOCAL: without query and fragment, URL-decoded. NULL: not a file name. Caller
   frees. */
char *link_path(const char *destination);

/* Appends text with & < > " escaped: good between tags and between quotes. */
void html_escape(GString *out, const char *text, size_t size);
/* ` name="text"`. */
void html_attribute(GString *out, const char *name, const char *text);

/* "Über uns: 2.0" → "über-uns-20", as links to headings name them. Caller frees. */
char *heading_slug(const char *heading);
