/*
 * What the parts of the flowchart lexer share (mmd_flow.h). Each `flow_lex_…` reads one token, or
 * returns false with nothing taken when none of its kind stands next. Private to this folder.
 */
#pragma once

#include "agenttools/mermaid/mmd_flow.h"

// mmd_flow_modes.c
/* False when too many are open. */
bool flow_open_mode(FlowParser *f, FlowMode mode);
void flow_close_mode(FlowParser *f);

/* The end of the white space at the scanner; each run is looked at once. */
const char *flow_white_end(FlowParser *f);
/* Takes what is left before `end`, and white space after it. */
void flow_take_white_from(FlowParser *f, const char *end);
/* After a `}` the real parser drops white space up to the last line end. */
void flow_drop_blank_lines(MmdParser *p);
/* The token of the first rule that fits at the scanner. */
bool flow_take_rule(FlowParser *f, const MmdRule *rules, unsigned how);

// mmd_flow_link.c
/* A link, or the first half of one with text. White space around it is part of it. */
bool flow_lex_link(FlowParser *f);
/* `~~~`, which is a link in labels too. */
bool flow_lex_invisible_link(FlowParser *f);
/* The text of a link up to a string, or its second half. */
bool flow_lex_link_text(FlowParser *f, FlowMode mode);

// mmd_flow_label.c
/* A string with its quotes. False when it is empty: that is taken, but is no token. */
bool flow_lex_string(FlowParser *f);
bool flow_lex_open_bracket(FlowParser *f);
/* Text and brackets within a label; true. */
bool flow_lex_label(FlowParser *f);
bool flow_lex_ellipse(FlowParser *f);
bool flow_lex_trapezoid(FlowParser *f);
