/*
 * What is inside the blocks of a Markdown document: links, pictures, emphasis, texts. Private to
 * markdown*.c.
 */
#pragma once

#include "arcade/markdown_html.h"

/* Ends all spans: a block begins or ends. */
void html_end_spans(Html *self);

/* Callbacks of md4c for what is inside blocks; `html` is an Html. */
int html_enter_span(MD_SPANTYPE type, void *detail, void *html);
int html_leave_span(MD_SPANTYPE type, void *detail, void *html);
int html_add_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *html);
