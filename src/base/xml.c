/* See xml.h. */
#include "base/xml.h"

#include "base/library.h"

#include <pthread.h>
#include <string.h>

#define EXPAT "libexpat.so.1"

enum { PIECE_BYTES = 64 * 1024, EXPAT_OK = 1 };

typedef struct XML_ParserStruct *Expat; // expat's own, never looked into

#define EXPAT_SYMBOLS(X)                                                                           \
    X(ParserCreate, Expat, (const char *encoding))                                                 \
    X(ParserFree, void, (Expat))                                                                   \
    X(SetUserData, void, (Expat, void *))                                                          \
    X(SetElementHandler, void,                                                                     \
      (Expat, void (*start)(void *, const char *, const char **),                                  \
       void (*end)(void *, const char *)))                                                         \
    X(SetCharacterDataHandler, void, (Expat, void (*)(void *, const char *, int)))                 \
    X(SetSkippedEntityHandler, void, (Expat, void (*)(void *, const char *, int)))                 \
    X(UseForeignDTD, int, (Expat, unsigned char))                                                  \
    X(Parse, int, (Expat, const char *, int size, int is_final))                                   \
    X(GetErrorCode, int, (Expat))                                                                  \
    X(ErrorString, const char *, (int code))                                                       \
    X(GetCurrentLineNumber, unsigned long, (Expat))

typedef struct ExpatLibrary {
#define EXPAT_MEMBER(name, result, arguments) result(*name) arguments;
    EXPAT_SYMBOLS(EXPAT_MEMBER)
#undef EXPAT_MEMBER
} ExpatLibrary;

// Written once, under load_once.
static ExpatLibrary expat;
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const LibrarySymbol symbols[] = {
#define EXPAT_ROW(name, result, arguments) LIBRARY_SYMBOL(ExpatLibrary, "XML_", name),
        EXPAT_SYMBOLS(EXPAT_ROW)
#undef EXPAT_ROW
    };
    is_loaded = library_open(EXPAT, symbols, G_N_ELEMENTS(symbols), &expat, sizeof(expat));
}

typedef struct Reader {
    const XmlHandler *handler;
    void *data;
} Reader;

static const char *local_name(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static void take_start(void *reader_, const char *name, const char **attributes)
{
    const Reader *reader = reader_;
    if (reader->handler->start)
        reader->handler->start(reader->data, local_name(name), attributes);
}

static void take_end(void *reader_, const char *name)
{
    const Reader *reader = reader_;
    if (reader->handler->end)
        reader->handler->end(reader->data, local_name(name));
}

static void take_text(void *reader_, const char *text, int size)
{
    const Reader *reader = reader_;
    if (reader->handler->text)
        reader->handler->text(reader->data, text, (size_t)size);
}

/* An entity of a DTD that is not read, such as &nbsp; of XHTML. */
static void take_entity(void *reader, const char *name G_GNUC_UNUSED, int is_parameter)
{
    if (!is_parameter)
        take_text(reader, " ", 1);
}

static bool feed(Expat parser, const char *xml, size_t size, Cancel *cancel, GError **error)
{
    for (size_t at = 0; at <= size; at += PIECE_BYTES) {
        size_t piece = MIN(size - at, PIECE_BYTES);
        if (!cancel_check(cancel, error))
            return false;
        if (expat.Parse(parser, xml + at, (int)piece, at + PIECE_BYTES > size) != EXPAT_OK)
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "line %lu: %s",
                             expat.GetCurrentLineNumber(parser),
                             expat.ErrorString(expat.GetErrorCode(parser)));
    }
    return true;
}

bool xml_parse(const char *xml, size_t size, const XmlHandler *handler, void *data, Cancel *cancel,
               GError **error)
{
    pthread_once(&load_once, load);
    if (!is_loaded)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "this needs " EXPAT ", which is not installed (package libexpat1)");
    Reader reader = { handler, data };
    Expat parser = expat.ParserCreate(NULL);
    g_assert(parser);
    expat.SetUserData(parser, &reader);
    expat.SetElementHandler(parser, take_start, take_end);
    expat.SetCharacterDataHandler(parser, take_text);
    expat.SetSkippedEntityHandler(parser, take_entity);
    expat.UseForeignDTD(parser, 1);
    bool is_good = feed(parser, xml, size, cancel, error);
    expat.ParserFree(parser);
    return is_good;
}

const char *xml_attribute(const char **attributes, const char *name)
{
    for (size_t i = 0; attributes[i]; i += 2)
        if (strcmp(local_name(attributes[i]), name) == 0)
            return attributes[i + 1];
    return NULL;
}
