/*
 * Where the program kedge is, for links to it: it goes by the name that it is started with. Blocks.
 */
#pragma once

/* This one; in a program with libkedge in it the kedge on PATH, when it has the same version:
   another one might take words for a prompt. NULL: there is none. Caller frees. */
char *own_program_find(void);
