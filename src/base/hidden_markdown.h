/*
 * Comments in Markdown, which GitHub does not show: `<!-- … -->` and its like in HTML (`<?…?>`,
 * `<!…>`), and `[//]: # (…)`, but not those in code (hidden.h). Pure; thread safe; linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Without them, and *count grows by how many they were. `text` is valid UTF-8. `has_code` false:
   what looks like code in it is not believed. *long_bytes: of a comment that nothing ends.
   Caller frees. */
char *hidden_markdown_remove(const char *text, bool has_code, size_t *count, size_t *long_bytes);
