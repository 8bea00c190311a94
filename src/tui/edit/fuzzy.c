/*
 * Fuzzy matching (fuzzy.h): the first place where the letters of a word stand in order, made as
 * short as it can be from its end backwards, then judged. The last part of a path is tried before
 * the whole.
 */
#include "tui/edit/fuzzy.h"

#include <string.h>

enum {
    SCORE_LETTER = 16,
    SCORE_RUN = 8,   // after the letter before
    SCORE_WORD = 10, // at the start of a word
    SCORE_LAST_PART = 24,
    SCORE_START = 12, // of the text, or of its last part
    SCORE_WHOLE = 40,
    COST_GAP = 3,
    COST_SKIPPED = 1,
    COST_SKIPPED_MAX = 12,
    CHARS_PER_POINT = 8, // of the text
};

typedef struct Word {
    const char *start, *end;
    bool has_capitals;
} Word;

typedef struct Span {
    const char *start, *end;
} Span;

static gunichar letter_at(const char *p, bool has_capitals)
{
    unsigned char byte = (unsigned char)*p;
    if (byte < 0x80)
        return !has_capitals && byte >= 'A' && byte <= 'Z' ? byte | 0x20u : byte;
    gunichar c = g_utf8_get_char(p);
    return has_capitals ? c : g_unichar_tolower(c);
}

/* Where `word` stands in the text from `start` on. */
static bool word_find(const Word *word, const char *start, Span *ret_span)
{
    const char *wanted = word->start, *p = start;
    gunichar letter = letter_at(wanted, word->has_capitals);
    for (; wanted < word->end; p = g_utf8_next_char(p)) {
        if (*p == '\0')
            return false;
        if (letter_at(p, word->has_capitals) != letter)
            continue;
        wanted = g_utf8_next_char(wanted);
        letter = wanted < word->end ? letter_at(wanted, word->has_capitals) : 0;
    }
    ret_span->end = p;
    while (wanted > word->start) {
        const char *before = g_utf8_prev_char(wanted);
        p = g_utf8_prev_char(p);
        if (letter_at(p, word->has_capitals) == letter_at(before, word->has_capitals))
            wanted = before;
    }
    ret_span->start = p;
    return true;
}

static bool begins_word(const char *text, const char *p)
{
    if (p == text)
        return true;
    if ((unsigned char)p[-1] < 0x80 && (unsigned char)*p < 0x80) // the usual ones
        return !g_ascii_isalnum(p[-1]) || (g_ascii_isupper(*p) && g_ascii_islower(p[-1]));
    gunichar before = g_utf8_get_char(g_utf8_prev_char(p)), c = g_utf8_get_char(p);
    return !g_unichar_isalnum(before) || (g_unichar_isupper(c) && g_unichar_islower(before));
}

static int word_judge(const Word *word, const char *text, Span span)
{
    const char *wanted = word->start;
    int score = 0, skipped = 0;
    for (const char *p = span.start; p < span.end && wanted < word->end; p = g_utf8_next_char(p)) {
        if (letter_at(p, word->has_capitals) != letter_at(wanted, word->has_capitals)) {
            skipped++;
            continue;
        }
        score += SCORE_LETTER + (begins_word(text, p) ? SCORE_WORD : 0);
        if (skipped > 0)
            score -= COST_GAP + MIN(skipped * COST_SKIPPED, COST_SKIPPED_MAX);
        else if (wanted > word->start)
            score += SCORE_RUN;
        skipped = 0;
        wanted = g_utf8_next_char(wanted);
    }
    return score;
}

/* What follows the last "/" that is not at the end. */
static const char *last_part(const char *text)
{
    size_t size = strlen(text);
    const char *slash = size > 1 ? memrchr(text, '/', size - 1) : NULL;
    return slash ? slash + 1 : text;
}

static bool match_word(const Word *word, const char *text, const char *part, int *ret_score)
{
    Span span;
    int score = 0;
    if (word_find(word, part, &span)) {
        score = SCORE_LAST_PART;
    } else if (part == text || !word_find(word, text, &span)) {
        return false;
    }
    score += word_judge(word, text, span);
    if (span.start == part || span.start == text)
        score += SCORE_START;
    bool is_end = *span.end == '\0' || strcmp(span.end, "/") == 0;
    if ((span.start == part || span.start == text) && is_end &&
        span.end - span.start == word->end - word->start)
        score += SCORE_WHOLE;
    *ret_score += score;
    return true;
}

static bool next_word(const char **query, Word *ret_word)
{
    const char *p = *query;
    while (*p == ' ')
        p++;
    *ret_word = (Word) { .start = p };
    for (; *p != '\0' && *p != ' '; p = g_utf8_next_char(p))
        ret_word->has_capitals |= g_unichar_isupper(g_utf8_get_char(p));
    ret_word->end = *query = p;
    return ret_word->end > ret_word->start;
}

bool fuzzy_match(const char *query, const char *text, int *ret_score)
{
    int score = 0;
    Word word;
    const char *part = last_part(text);
    while (next_word(&query, &word))
        if (!match_word(&word, text, part, &score))
            return false;
    *ret_score = score - (int)(MIN(strlen(text), 4096) / CHARS_PER_POINT);
    return true;
}

static bool stands_at(const Word *word, const char *p)
{
    for (const char *wanted = word->start; wanted < word->end; wanted = g_utf8_next_char(wanted)) {
        if (*p == '\0' || letter_at(p, word->has_capitals) != letter_at(wanted, word->has_capitals))
            return false;
        p = g_utf8_next_char(p);
    }
    return true;
}

bool fuzzy_is_literal(const char *query, const char *text)
{
    Word word;
    while (next_word(&query, &word)) {
        const char *p = text;
        while (*p != '\0' && !stands_at(&word, p))
            p = g_utf8_next_char(p);
        if (*p == '\0')
            return false;
    }
    return true;
}
