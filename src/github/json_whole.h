/*
 * JSON that was cut off, made whole again: without the item that the cut went through. Pure.
 */
#pragma once

/* The longest beginning of `text` that ends after a whole item of the outermost array or object, or
   of one inside it, with what closes them. NULL when it is no JSON or has no whole item. Caller
   frees. */
char *json_whole(const char *text);
