/*
 * The forms of known secrets as one automaton (Aho and Corasick): every byte of a text moves it to
 * the longest end of what was read that begins a form. Immutable once made; shared by reference.
 * For base/mask.c.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct MaskNode {
    uint32_t child, sibling; // first child, next child of the same parent; 0: none
    uint32_t fail;           // the longest proper end that is a node
    uint32_t depth;          // bytes from the root
    uint32_t match;          // length of the longest form that ends here; 0: none
    uint8_t byte;
    bool is_base64; // that form is base64: the characters beside it may hold bits of the value
} MaskNode;

typedef struct MaskForms {
    int ref_count;
    unsigned known_count; // of the values that are in it
    GArray *nodes;        // of MaskNode; [0] is the root
    uint32_t first[256];  // children of the root
} MaskForms;

/* For the values known now. NULL: there are none. */
MaskForms *mask_forms_get(void);
void mask_forms_unref(MaskForms *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MaskForms, mask_forms_unref)

/* The node after one more byte. */
uint32_t mask_forms_next(const MaskForms *self, uint32_t node, uint8_t byte);
