/*
 * What a GraphQL document does: reads, changes, or deletes (gh-policy §4.4). Not a parser: it finds
 * the definitions and their kinds, and refuses what it cannot tell. Pure; one pass over the text.
 */
#pragma once

typedef enum {
    GRAPHQL_READ,    // queries and fragments only
    GRAPHQL_WRITE,   // a mutation or subscription
    GRAPHQL_DELETE,  // a mutation, and a field delete…( … )
    GRAPHQL_INVALID, // no document that can be judged
} GraphqlKind;

GraphqlKind graphql_scan(const char *document);
