/*
 * Tokens of sequence diagrams. A keyword counts wherever a token may begin, in any case, and a
 * participant's name runs up to an arrow or a separator; so `end` cannot name a participant, but
 * `Endpoint` and `back end` can.
 */
#include "agenttools/mermaid/mmd_sequence.h"

static const MmdRule keywords[] = {
    { "box", SEQ_BLOCK },
    { "participant", SEQ_PARTICIPANT },
    { "actor", SEQ_PARTICIPANT },
    { "create", SEQ_CREATE },
    { "destroy", SEQ_DESTROY },
    { "loop", SEQ_BLOCK },
    { "rect", SEQ_BLOCK },
    { "opt", SEQ_BLOCK },
    { "alt", SEQ_BLOCK },
    { "else", SEQ_SEPARATOR },
    { "par", SEQ_BLOCK },
    { "par_over", SEQ_BLOCK },
    { "and", SEQ_SEPARATOR },
    { "critical", SEQ_BLOCK },
    { "option", SEQ_SEPARATOR },
    { "break", SEQ_BLOCK },
    { "end", SEQ_END },
    { "left of", SEQ_SIDE },
    { "right of", SEQ_SIDE },
    { "links", SEQ_LINK },
    { "link", SEQ_LINK },
    { "properties", SEQ_LINK },
    { "details", SEQ_LINK },
    { "over", SEQ_OVER },
    { "note", SEQ_NOTE },
    { "activate", SEQ_ACTIVATE },
    { "deactivate", SEQ_DEACTIVATE },
    { "sequenceDiagram", SEQ_HEADER },
    { "autonumber", SEQ_AUTONUMBER },
    { "off", SEQ_OFF },
    { NULL },
};

static const MmdRule arrows[] = {
    { "<<-->>", SEQ_ARROW }, { "<<->>", SEQ_ARROW }, { "-->>", SEQ_ARROW },
    { "->>", SEQ_ARROW },    { "-->", SEQ_ARROW },   { "->", SEQ_ARROW },
    { "--x", SEQ_ARROW },    { "--)", SEQ_ARROW },   { "-x", SEQ_ARROW },
    { "-)", SEQ_ARROW },     { "--|\\", SEQ_ARROW }, { "--|/", SEQ_ARROW },
    { "--\\\\", SEQ_ARROW }, { "--//", SEQ_ARROW },  { "/|--", SEQ_ARROW },
    { "\\|--", SEQ_ARROW },  { "//--", SEQ_ARROW },  { "\\\\--", SEQ_ARROW },
    { "-|\\", SEQ_ARROW },   { "-|/", SEQ_ARROW },   { "-\\\\", SEQ_ARROW },
    { "-//", SEQ_ARROW },    { "/|-", SEQ_ARROW },   { "\\|-", SEQ_ARROW },
    { "//-", SEQ_ARROW },    { "\\\\-", SEQ_ARROW }, { NULL },
};

/* Where one of these stands, a name ends. */
static const MmdRule name_ends[] = {
    { "-x" },  { "--" },   { "-)" },  { "-|\\" },  { "-\\" }, { "-/" }, { "-|/" },
    { "/|-" }, { "\\|-" }, { "//-" }, { "\\\\-" }, { "()" },  { NULL },
};

static const MmdRule signs[] = {
    { "()", SEQ_CIRCLE }, { ",", SEQ_COMMA }, { "+", SEQ_PLUS }, { "-", SEQ_MINUS }, { NULL },
};

static bool is_comment(const char *at, const char *end)
{
    if (*at == '#')
        return true;
    if (*at == '%')
        return at + 1 == end || at[1] != '{';
    return *at != '}' && mmd_match(g_utf8_next_char(at), end, "%%") != NULL;
}

/* `title Words`, `title: Words`: at least one character of text. */
static const char *match_title(const char *at, const char *end)
{
    const char *word_end = mmd_match_nocase(at, end, "title");
    if (word_end == NULL)
        return NULL;
    if (*word_end == ':')
        word_end++;
    const char *text = word_end + mmd_white_size(word_end, end);
    const char *stop = mmd_find_one_of(text, end, "#\n;");
    return text > word_end && stop > text ? stop : NULL;
}

/* A number counts as one only before a blank: `1->>2: x` has participants. */
static const char *match_number(const char *at, const char *end)
{
    const char *stop = mmd_match_digits(at, end);
    if (stop == NULL)
        stop = at;
    if (stop < end && *stop == '.') {
        const char *digits = stop + 1, *fraction = mmd_match_digits(digits, end);
        if (fraction != NULL && fraction - digits <= 2)
            stop = fraction;
    }
    return stop > at && stop < end && mmd_is_one_of(*stop, " \n") ? stop : NULL;
}

static const char *match_name(const char *at, const char *end)
{
    const char *stop = mmd_find_one_of(at, end, "/\\+()<->:\n,;");
    if (stop == at)
        return NULL;
    while (stop < end && mmd_match_rule(name_ends, MMD_NOCASE, 0, stop, end) == NULL) {
        const char *part = *stop == '-' ? stop + 1 : stop;
        const char *part_end = mmd_find_one_of(part, end, "+<->:\n,;");
        if (part_end == part)
            break;
        stop = part_end;
    }
    return stop;
}

static const char *match_text(const char *at, const char *end)
{
    return *at == ':' ? mmd_find_one_of(at, end, "#\n;") : NULL;
}

/* White space and comments, up to a line end; but blanks before a line end hide it. */
static void skip_blanks_and_comments(MmdParser *p)
{
    while (!mmd_at_end(p) && *p->at != '\n') {
        if (mmd_white_size(p->at, p->end) > 0)
            mmd_skip_white(p);
        else if (is_comment(p->at, p->end))
            p->at = mmd_line_end(p->at, p->end);
        else
            return;
    }
}

/* A statement that is one token. */
static const char *match_whole(const char *at, const char *end)
{
    MmdAccessibility found;
    const char *stop = match_title(at, end);
    if (stop == NULL && mmd_match_accessibility(at, end, true, &found))
        stop = found.stop;
    return stop;
}

/* `link`, `links`, `properties` and `details` are keywords only before a participant. (Not so in
   mermaid 11, where nothing else may have these names.) */
static bool is_before_name(const char *at, const char *end)
{
    const char *next = mmd_skip_blanks_from(at, end);
    return next > at && next < end && !mmd_is_one_of(*next, "/\\+()<>:\n,;-");
}

static bool match_keyword(const char *at, const char *end, MmdToken *ret_token)
{
    return mmd_match_token(keywords, MMD_WORDS | MMD_NOCASE, 0, at, end, ret_token) &&
           (ret_token->kind != SEQ_LINK || is_before_name(ret_token->stop, end));
}

static MmdToken read_token(const char *at, const char *end)
{
    MmdToken token;
    const char *stop = match_number(at, end);
    if (stop != NULL)
        return (MmdToken) { SEQ_NUMBER, at, stop };
    if (match_keyword(at, end, &token))
        return token;
    if ((stop = match_whole(at, end)) != NULL)
        return (MmdToken) { SEQ_WHOLE, at, stop };
    if ((stop = match_name(at, end)) != NULL)
        return (MmdToken) { SEQ_NAME, at, stop };
    if (mmd_match_token(arrows, MMD_NOCASE, 0, at, end, &token))
        return token;
    if ((stop = match_text(at, end)) != NULL)
        return (MmdToken) { SEQ_TEXT, at, stop };
    if (mmd_match_token(signs, 0, 0, at, end, &token))
        return token;
    return (MmdToken) { SEQ_OTHER, at, g_utf8_next_char(at) };
}

MmdToken mmd_sequence_next(MmdParser *p)
{
    skip_blanks_and_comments(p);
    MmdToken token = { SEQ_EOF, p->at, p->at };
    if (mmd_at_end(p))
        return token;
    if (*p->at == '\n' || *p->at == ';') {
        token.kind = SEQ_NEWLINE;
        token.stop = ++p->at;
        return token;
    }
    token = read_token(p->at, p->end);
    p->at = token.stop;
    token.stop = mmd_trim_end(token.start, token.stop);
    return token;
}

void mmd_sequence_skip_label(MmdParser *p)
{
    mmd_skip_blanks(p);
    p->at = mmd_find_one_of(p->at, p->end, "#\n;");
}

/* ` as ` at `at`: the place behind the word; NULL: none. */
static const char *match_alias(const char *at, const char *end)
{
    const char *word = mmd_skip_blanks_from(at, end);
    const char *stop = word > at ? mmd_match_nocase(word, end, "as") : NULL;
    return stop != NULL && mmd_white_size(stop, end) > 0 ? stop : NULL;
}

static bool take_settings(MmdParser *p, SeqDeclared *declared)
{
    const char *opened = p->at;
    p->at += 2; // @{
    const char *close = memchr(p->at, '}', (size_t)(p->end - p->at));
    if (close == NULL)
        return mmd_unclosed(p, opened, "@{", "'}'");
    if (close == p->at)
        return mmd_expected(p, p->at, "settings, such as \"type\": \"database\", inside '@{'");
    declared->settings = p->at;
    declared->settings_end = close;
    p->at = close + 1;
    return true;
}

/* The name up to the end of the line, a semicolon or a comment; NULL: something else ends it. */
static const char *match_declared_line(const char *at, const char *end)
{
    const char *stop = at, *comment = NULL;
    while (stop < end && !mmd_is_one_of(*stop, "<>:\n,;@")) {
        if (*stop == '#')
            comment = stop;
        stop++;
    }
    if (stop < end && (*stop == '\n' || *stop == ';'))
        return stop;
    return comment;
}

bool mmd_sequence_take_declared(MmdParser *p, const char *keyword, SeqDeclared *ret_declared)
{
    mmd_skip_blanks(p);
    if (!mmd_at_end(p) && *p->at == '#')
        p->at = mmd_line_end(p->at, p->end);
    const char *start = p->at;
    const char *word = mmd_find_end_of_word(start, p->end, "<>:,;@");
    const char *settings = mmd_skip_blanks_from(word, p->end);
    if (word == start)
        return mmd_expected(p, start, "a participant's name after '%s'", keyword);

    *ret_declared = (SeqDeclared) { .start = start, .stop = word };
    if (mmd_match(settings, p->end, "@{") != NULL) {
        p->at = settings;
        if (!take_settings(p, ret_declared))
            return false;
    } else if (match_alias(word, p->end) != NULL) {
        p->at = word;
    } else {
        const char *stop = match_declared_line(start, p->end);
        if (stop == NULL) {
            const char *sign = mmd_find_one_of(start, p->end, "<>:\n,;@");
            g_autofree char *name = mmd_excerpt(start, sign);
            mmd_expected(p, sign, "the end of the line after the participant's name");
            return *sign == ':' && mmd_hint(p, "write: %s %s as …", keyword, name);
        }
        p->at = stop;
        ret_declared->stop = mmd_trim_end(start, stop);
        return true;
    }
    const char *alias = match_alias(p->at, p->end);
    ret_declared->has_alias = alias != NULL;
    p->at = alias != NULL ? alias : p->at;
    return true;
}
