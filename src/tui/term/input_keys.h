/*
 * Sequences of terminals, taken apart and looked up: what input.c has read whole becomes a key or
 * an answer here. Private to term/. Pure.
 */
#pragma once

#include "tui/term/input.h"

enum { SEQUENCE_PARAMS = 16, SEQUENCE_PARTS = 3 };

/* `CSI ? 1:2:3 ; 4 $ y`. */
typedef struct InputSequence {
    char prefix;       // one of < = > ?; 0: none
    char intermediate; // the last one; 0: none
    char final;
    unsigned count;                                   // of params
    uint32_t params[SEQUENCE_PARAMS][SEQUENCE_PARTS]; // 0: left out
} InputSequence;

/* What comes after the introducer, with the final byte. False: it is no sequence, or has more
   numbers than any that is known. */
bool input_sequence_parse(const char *bytes, size_t size, InputSequence *ret_sequence);

/* False: no key, or the end of one. */
bool input_key_of_csi(const InputSequence *sequence, KeyPress *ret_key);
bool input_key_of_ss3(const InputSequence *sequence, KeyPress *ret_key);
bool input_key_of_console(char final, KeyPress *ret_key); // CSI [ A of the Linux console
/* A character as old terminals send it, control bytes too; `mods`: MOD_ALT or 0. False: it is
   none that a person types. */
bool input_key_of_char(uint32_t c, uint8_t mods, KeyPress *ret_key);

/* A character with its modifiers, as KeyPress has it. `shifted`: what it is with shift; 0: not
   known. */
KeyPress input_key_of_typed(uint32_t c, uint32_t shifted, uint8_t mods);

/* False: no answer. */
bool input_answer_of_csi(const InputSequence *sequence, InputEvent *ret_event);
/* OSC, DCS and the like: `bytes` begins with the introducer's second byte and ends in NUL; the
   event borrows it. */
void input_answer_of_string(const char *bytes, size_t size, InputEvent *ret_event);
