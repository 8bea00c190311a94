/*
 * The flowchart parser's parts (agent-tools-cli §8.7): tokens in mmd_flow_lex.c, nodes, labels and
 * links in mmd_flow_node.c, statements in mmd_flowchart.c. Private to this folder.
 *
 * What a character means depends on what is open around it: in a label a bracket is a bracket, and
 * "end" is text. The lexer keeps that as a small stack of modes; its tokens are the real parser's.
 */
#pragma once

#include "agenttools/mermaid/mmd_parser.h"

enum { // signs are their own kinds: # : , & * - ; and | before and after a label
    FLOW_SPACE = MMD_KINDS, // white space within a line
    FLOW_NO_DIRECTION,      // the line end after the header word
    FLOW_DIRECTION_NAME,    // TB, LR … after it
    FLOW_DEFAULT,
    FLOW_INTERPOLATE,
    FLOW_NUMBER,
    FLOW_NAME,
    FLOW_LETTER,     // outside ASCII
    FLOW_DOWN,       // v
    FLOW_OTHER,      // < ^ \|: only in wrong places
    FLOW_CLASS_MARK, // :::
    FLOW_LINK_ID,
    FLOW_LINK,
    FLOW_LINK_START, // `--`, which text and a link follow
    FLOW_LINK_TEXT,
    FLOW_TEXT, // of a label
    FLOW_STRING,
    FLOW_SHAPE_DATA, // @{ … }, whole
    FLOW_OPEN,       // a bracket before a label
    FLOW_CLOSE,
    FLOW_OPEN_PROPERTIES, // [|
    FLOW_CALLBACK_ARGS,
    FLOW_GRAPH, // a header word; from here on keywords
    FLOW_SUBGRAPH,
    FLOW_END,
    FLOW_STYLE,
    FLOW_LINK_STYLE,
    FLOW_CLASS_DEF,
    FLOW_CLASS,
    FLOW_CLICK, // with its node
    FLOW_HREF,
    FLOW_TARGET, // _blank …
    FLOW_CALLBACK
};

typedef struct FlowDiagram {
    const char *name_start;    // of the node last begun
    const char *keyword_start; // of the `click` or `call` that opened the mode
    size_t link_count;
    // what was found by looking ahead, so that a line is looked at once
    const char *line_end, *last_direction; // of the line looked at; NULL: none in it
    const char *run_end, *last_at;         // of the run without white space; NULL: no link id in it
} FlowDiagram;

/* For the token that the header word leaves next. */
void flow_begin(MmdParser *p, FlowDiagram *diagram);

/* One or more name parts: the id of a node, a class. */
bool flow_take_name(MmdParser *p, const char *what);
/* The label after the current token, its bracket, with the closing one. */
bool flow_take_label(MmdParser *p);
/* Nodes and links up to the end of the statement, which is not taken. */
bool flow_take_chain(MmdParser *p);
