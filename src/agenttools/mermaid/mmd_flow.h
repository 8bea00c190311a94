/*
 * The flowchart parser's parts (agent-tools-cli §8.7): tokens here and in mmd_flow_lex.c, nodes,
 * labels and links in mmd_flow_node.c, statements in mmd_flowchart.c. Private to this folder.
 *
 * What a character means depends on what is open around it: in a label a bracket is a bracket, and
 * "end" is text. The lexer keeps that as a small stack of modes; its tokens are the real parser's.
 */
#pragma once

#include "agenttools/mermaid/mmd_lex.h"

typedef enum {
    FLOW_END_OF_TEXT, // outside all brackets and strings
    FLOW_BROKEN_OFF,  // the text ended inside of something
    FLOW_BAD,         // no token begins like this
    FLOW_NEWLINE,     // one or more
    FLOW_SPACE,       // white space within a line
    FLOW_SEMICOLON,
    FLOW_GRAPH,          // a header word
    FLOW_NO_DIRECTION,   // the line end after it
    FLOW_DIRECTION_NAME, // TB, LR … after it
    FLOW_DIRECTION,      // a whole `direction X` line
    FLOW_ACCESSIBILITY,  // a whole accTitle or accDescr
    FLOW_SUBGRAPH,
    FLOW_END,
    FLOW_STYLE,
    FLOW_LINK_STYLE,
    FLOW_CLASS_DEF,
    FLOW_CLASS,
    FLOW_CLICK, // with its node
    FLOW_HREF,
    FLOW_TARGET, // _blank …
    FLOW_CALLBACK,
    FLOW_CALLBACK_ARGS,
    FLOW_DEFAULT,
    FLOW_INTERPOLATE,
    // parts of names
    FLOW_NUMBER,
    FLOW_NAME,
    FLOW_LETTER, // a letter outside ASCII
    FLOW_HASH,
    FLOW_COLON,
    FLOW_COMMA,
    FLOW_AMPERSAND,
    FLOW_STAR,
    FLOW_DASH,
    FLOW_DOWN,       // v
    FLOW_OTHER,      // < ^ \|: only in wrong places
    FLOW_CLASS_MARK, // :::
    // links
    FLOW_LINK_ID,
    FLOW_LINK,
    FLOW_LINK_START, // `--`, which text and a link follow
    FLOW_LINK_TEXT,
    FLOW_PIPE,
    // labels
    FLOW_TEXT,
    FLOW_STRING,
    FLOW_SHAPE_DATA, // @{ … }, whole
    FLOW_OPEN_SQUARE,
    FLOW_CLOSE_SQUARE,
    FLOW_OPEN_ROUND,
    FLOW_CLOSE_ROUND,
    FLOW_OPEN_BRACE,
    FLOW_CLOSE_BRACE,
    FLOW_OPEN_ANGLE, // >, of `id>text]`
    FLOW_OPEN_ELLIPSE,
    FLOW_CLOSE_ELLIPSE,
    FLOW_OPEN_STADIUM,
    FLOW_CLOSE_STADIUM,
    FLOW_OPEN_SUBROUTINE,
    FLOW_CLOSE_SUBROUTINE,
    FLOW_OPEN_CYLINDER,
    FLOW_CLOSE_CYLINDER,
    FLOW_OPEN_DOUBLE_CIRCLE,
    FLOW_CLOSE_DOUBLE_CIRCLE,
    FLOW_OPEN_SLASH,
    FLOW_CLOSE_SLASH,
    FLOW_OPEN_BACKSLASH,
    FLOW_CLOSE_BACKSLASH,
    FLOW_OPEN_PROPERTIES, // [|
} FlowToken;

typedef enum {
    FLOW_MODE_STATEMENT,
    FLOW_MODE_HEADER, // after the header word
    FLOW_MODE_LABEL,
    FLOW_MODE_ELLIPSE,
    FLOW_MODE_TRAPEZOID,
    FLOW_MODE_LINK, // text of a link; the next ones with their line
    FLOW_MODE_THICK_LINK,
    FLOW_MODE_DOTTED_LINK,
    FLOW_MODE_CLICK,
    FLOW_MODE_CALLBACK,
    FLOW_MODE_CALLBACK_ARGS,
} FlowMode;

#define FLOW_MODES_MAX 8 // a token that opens more is never right

typedef struct FlowParser {
    MmdParser *p;
    FlowToken token; // the one that stands next, from `start` to p->at
    const char *start;
    const char *name_start;    // of the node last begun
    const char *keyword_start; // of the `click` or `call` that opened the mode
    const char *inner_end;     // of FLOW_SHAPE_DATA: its brace
    FlowMode modes[FLOW_MODES_MAX];
    unsigned mode_count;
    // what was found by looking ahead, so that a line is looked at once
    const char *line_end, *last_direction; // of the line looked at; NULL: none in it
    const char *run_end, *last_at;         // of the run without white space; NULL: no link id in it
    const char *white_start, *white_end;
    // of the diagram
    size_t link_count;
    GArray *subgraphs; // of const char *: where those that are open began
} FlowParser;

/* Reads the next token. */
void flow_next(FlowParser *f);

/* Fails at the next token, with the hints of agent-tools-cli §8.8 that fit; `expected` is "a node".
 */
bool flow_unexpected(FlowParser *f, const char *expected);
/* One or more name parts: the id of a node, a class. */
bool flow_take_name(FlowParser *f, const char *expected);
/* The label after `open`, which began at `opened`, and its closing bracket. */
bool flow_take_label(FlowParser *f, FlowToken open, const char *opened);
/* Nodes and links up to the end of the statement, which is not taken. */
bool flow_take_chain(FlowParser *f);
