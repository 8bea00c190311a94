/*
 * How much of a long text a test needs. AddressSanitizer's strict string checks read to the end of
 * a text at every strchr(): there, any scanner takes time that grows with the square of its length.
 */
#pragma once

#ifdef __SANITIZE_ADDRESS__
#define OF_LONG_TEXT(count) ((count) / 10)
#else
#define OF_LONG_TEXT(count) (count)
#endif
