/*
 * Markdown as safe HTML (agent-tools-cli §5.5 rule 6, §5.6), over md4c's parser. Pure; thread safe;
 * linear.
 *
 * GitHub's extensions: tables, task lists, strikethrough, bare links, footnotes (<sup
 * class="footnote"> with an empty link that has data-number; <section class="footnotes"> at the
 * end). What is hostile is text: raw HTML is shown, not used (<pre class="html">; inline as text),
 * but for <br>, <details> and <summary>, which are built again; links lead to http, https, mailto
 * or a heading (#md-SLUG), others are <span class="unlinked" title="…">, with data-link="path" and
 * data-heading when they are relative; a remote picture is a link
 * <a class="picture">, a local one <img data-asset="path beside the document">, which the page
 * fetches. No style attributes: cells have class left, center or right, task items class task.
 *
 * Blocks carry data-line="first-last", 1-based lines of the document: p, h1–h6, ul, ol, li,
 * blockquote, pre, table, tr, hr. For those without text of their own (an empty item) it is where
 * they must be. A mermaid fence's <pre> has data-mermaid="valid", or "invalid" with
 * data-mermaid-line (of the document) and data-mermaid-message. Front matter is
 * <pre class="front-matter">.
 */
#pragma once

#include "base/error.h"

#define MARKDOWN_HTML_BYTES ((size_t)32 * 1024 * 1024)

/* `text` is valid UTF-8. LIMIT when the HTML would be larger than MARKDOWN_HTML_BYTES. Caller
 * frees. */
bool markdown_to_html(const char *text, size_t size, char **ret_html, GError **error);
