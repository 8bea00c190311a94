/*
 * Words that people type after a slash because another program has them: which command of kedge's
 * they mean, or what there is in its place (agent-core §7.5). Names of the terminal's own commands
 * are among them, so that doors without a terminal can say whose they are. Constant.
 */
#pragma once

#include <stddef.h>

typedef struct SlashWord {
    const char *word;
    const char *command; // of kedge's; NULL: there is none, but `answer`
    const char *answer;  // what there is in its place
} SlashWord;

const SlashWord *slash_word_find(const char *word); // NULL: it is none
const SlashWord *slash_word_at(size_t index);       // NULL: there are no more
