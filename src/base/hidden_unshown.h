/*
 * Texts in Markdown that its page does not show: what stands for an image, titles of links and
 * images, attributes of HTML, and elements that are `hidden` (hidden.h). A single word stays, as do
 * addresses: "image" and the name of a file tell what is there and ask for nothing. Pure; thread
 * safe; linear.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Without them, and *count grows by how many they were. `text` is valid UTF-8, without comments.
   `is_of_one` false: of several people, so that an element that nothing ends takes its paragraph
   only. Caller frees; NULL: there is nothing to remove. */
char *hidden_unshown_remove(const char *text, bool is_of_one, size_t *count);
