/*
 * Images that people attached to an issue, a pull request or their comments: found in the text, and
 * fetched for a model that sees images.
 *
 * Only what GitHub itself keeps is fetched: what a text names elsewhere would tell its author who
 * reads it. The token goes to the item's host alone, and never along with a redirect to another.
 */
#pragma once

#include "tool/internal_url.h"

#define ITEM_IMAGES_MAX 50 // that are looked at in one text

typedef enum {
    ATTACHMENT_NONE,    // not of this GitHub
    ATTACHMENT_PRIVATE, // on the host itself: the token opens it
    ATTACHMENT_PUBLIC,  // where the host keeps what anybody may fetch who knows its name
} AttachmentKind;

/* `origin` is a server on this machine that stands for the host, as http://127.0.0.1:8080; NULL:
   none. Pure. */
AttachmentKind item_image_kind(const char *url, const char *host, const char *origin);

/* The addresses of images in Markdown with HTML in it, each once, in order. Pure. Caller frees. */
GPtrArray *item_images_find(const char *markdown);

/* Adds what the text of an item shows, behind it: images where the model sees them, else a line
   that says how many there are. What cannot be fetched is said. False only when the call was
   stopped. */
bool item_images_show(ToolCall *call, const UrlResource *resource, ToolResult *result,
                      GError **error);
