/*
 * libmicrohttpd, opened with dlopen() at the first use: linking it would load gnutls at every start
 * of the program. Thread safe.
 */
#pragma once

#include "base/error.h"

#include <microhttpd.h>

#define MHD_SYMBOLS(SYMBOL)                                                                        \
    SYMBOL(start_daemon)                                                                           \
    SYMBOL(stop_daemon)                                                                            \
    SYMBOL(add_connection)                                                                         \
    SYMBOL(get_connection_values_n)                                                                \
    SYMBOL(get_connection_info)                                                                    \
    SYMBOL(create_response_from_buffer_with_free_callback_cls)                                     \
    SYMBOL(create_response_from_callback)                                                          \
    SYMBOL(add_response_header)                                                                    \
    SYMBOL(queue_response)                                                                         \
    SYMBOL(destroy_response)

typedef struct MhdApi { // its functions, without MHD_
#define MHD_MEMBER(name) __typeof__(MHD_##name) *name;
    MHD_SYMBOLS(MHD_MEMBER)
#undef MHD_MEMBER
} MhdApi;

/* NULL with NOT_FOUND when it is not installed, or too old. */
const MhdApi *mhd_api(GError **error);
