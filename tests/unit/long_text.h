/*
 * How much of a long text a test needs. AddressSanitizer's strict string checks read to the end of
 * a text at every strchr(): there, any scanner takes time that grows with the square of its length.
 * ThreadSanitizer marks each byte that is moved.
 */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OF_LONG_TEXT(count) ((count) / 10)
#else
#define OF_LONG_TEXT(count) (count)
#endif
