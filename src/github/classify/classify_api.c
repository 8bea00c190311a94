/*
 * `gh api` (gh-policy §4): flags, endpoint, method, and the GraphQL document.
 */
#include "base/str.h"
#include "github/classify/classify_private.h"
#include "github/graphql_scan.h"

typedef struct ApiCall {
    const ClassifyOptions *options;
    const CommandArgs *args;
    Classified *out;
    Verdict *verdict;
    const char **fields;  // values of -f and -F, in this order
    const char *endpoint; // NULL: none
    GraphqlKind graphql;  // of all documents together
    bool has_graphql_document;
} ApiCall;

static void raise_to(ApiCall *self, Effect effect, const char *reason)
{
    verdict_raise(self->verdict, effect, reason);
}

// ---- flags (gh-policy §4.1) ----

static void judge_header(ApiCall *self, const char *header)
{
    static const char *const overrides[] = { "x-http-method-override", "x-http-method",
                                             "x-method-override", NULL };
    static const char *const credentials[] = { "authorization", "proxy-authorization",
                                               "cookie",        "x-github-otp",
                                               "host",          NULL };
    const char *colon = strchr(header, ':');
    if (!colon) {
        raise_to(self, EFFECT_UNKNOWN, "header without a colon");
        return;
    }
    g_autofree char *part = g_strndup(header, (size_t)(colon - header));
    g_autofree char *name = g_ascii_strdown(g_strstrip(part), -1);
    g_strdelimit(name, "_", '-'); // some servers do not tell them apart
    if (g_strv_contains(overrides, name))
        raise_to(self, EFFECT_BLOCKED, "header that overrides the method");
    if (g_strv_contains(credentials, name))
        raise_to(self, EFFECT_BLOCKED, "credential header supplied by the caller");
}

static bool is_file_field(const char *field)
{
    const char *equals = strchr(field, '=');
    return equals != NULL && equals[1] == '@';
}

static void judge_flags(ApiCall *self)
{
    if (command_args_has(self->args, "input"))
        raise_to(self, EFFECT_BLOCKED, "file upload");
    if (command_args_is_true(self->args, "paginate"))
        raise_to(self, EFFECT_BLOCKED, "unbounded output");
    g_autofree const char **typed = command_args_values(self->args, "field");
    for (size_t i = 0; typed[i]; i++) {
        if (is_file_field(typed[i]))
            raise_to(self, EFFECT_BLOCKED, "file upload");
    }
    g_autofree const char **headers = command_args_values(self->args, "header");
    for (size_t i = 0; headers[i]; i++)
        judge_header(self, headers[i]);
    if (command_args_positional_count(self->args) != 1)
        raise_to(self, EFFECT_UNKNOWN, "api takes one endpoint");
}

/* The part of a field before its first "=". */
static bool is_key(const char *field, const char *key)
{
    size_t length = strcspn(field, "=");
    return strlen(key) == length && strncmp(field, key, length) == 0;
}

// ---- endpoint (gh-policy §4.2) ----

static bool has_space(const char *text)
{
    for (; *text != '\0'; text = g_utf8_next_char(text)) {
        if (g_unichar_isspace(g_utf8_get_char(text)))
            return true;
    }
    return false;
}

/* Bytes that a "%" does not introduce stay as they are. */
static GString *percent_decode(const char *text, size_t length)
{
    GString *out = g_string_sized_new(length);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && i + 2 < length && g_ascii_isxdigit(text[i + 1]) &&
            g_ascii_isxdigit(text[i + 2])) {
            int byte = g_ascii_xdigit_value(text[i + 1]) * 16 + g_ascii_xdigit_value(text[i + 2]);
            g_string_append_c(out, (char)byte);
            i += 2;
        } else {
            g_string_append_c(out, text[i]);
        }
    }
    return out;
}

/* Without slashes at the ends; NULL: a path that could lead elsewhere. Caller frees. */
static char *decode_path(const char *text, size_t length)
{
    g_autoptr(GString) once = percent_decode(text, length);
    g_autoptr(GString) twice = percent_decode(once->str, once->len);
    if (strlen(twice->str) != twice->len || strchr(twice->str, '\\'))
        return NULL; // an encoded NUL, or a backslash
    g_auto(GStrv) segments = g_strsplit(twice->str, "/", -1);
    if (g_strv_contains((const char *const *)segments, ".") ||
        g_strv_contains((const char *const *)segments, ".."))
        return NULL;
    const char *start = twice->str + strspn(twice->str, "/");
    size_t size = strlen(start);
    while (size > 0 && start[size - 1] == '/')
        size--;
    return g_strndup(start, size);
}

static bool is_below(const char *path, const char *prefix)
{
    return str_has_prefix(path, prefix);
}

/* The API path of a full URL's host and path (both without the slash between them): false when this
   host is not the API of a known one. `ret_path` points into `path`. */
static bool strip_api_host(const ClassifyOptions *options, const char *host, const char *path,
                           const char **ret_path)
{
    *ret_path = path;
    if (strcmp(host, "api.github.com") == 0 || strcmp(host, "uploads.github.com") == 0)
        return true;
    if (str_has_prefix(host, "api.") && g_str_has_suffix(host, ".ghe.com"))
        return classify_host_is_known(options, host + strlen("api."));
    if (strcmp(host, "github.com") == 0 || g_str_has_suffix(host, ".ghe.com") ||
        !classify_host_is_known(options, host))
        return false;

    if (is_below(path, "api/v3/")) {
        *ret_path = path + strlen("api/v3/");
        return true;
    }
    size_t length = strcspn(path, "?");
    while (length > 0 && path[length - 1] == '/')
        length--;
    *ret_path = path + strlen("api/");
    return length == strlen("api/graphql") && is_below(path, "api/graphql");
}

/* https://HOST[:443]/PATH, no user information. */
static bool split_full_url(ApiCall *self, const char *url, const char **ret_path)
{
    if (!str_has_prefix(url, "https://"))
        return false;
    const char *authority = url + strlen("https://");
    const char *slash = strchr(authority, '/');
    if (!slash)
        return false;
    g_autofree char *text = g_strndup(authority, (size_t)(slash - authority));
    g_autofree char *host = g_ascii_strdown(text, -1);
    if (g_str_has_suffix(host, ":443"))
        host[strlen(host) - strlen(":443")] = '\0';
    if (!strip_api_host(self->options, host, slash + 1, ret_path))
        return false;
    self->out->api_host = g_steal_pointer(&host);
    return true;
}

/* Has the endpoint a parameter whose name begins like this? Of two readings the stricter. */
static bool has_url_parameter(const ApiCall *self, const char *name)
{
    const char *query = self->endpoint != NULL ? strchr(self->endpoint, '?') : NULL;
    if (!query)
        return false;
    g_autoptr(GString) once = percent_decode(query + 1, strlen(query + 1));
    g_autoptr(GString) twice = percent_decode(once->str, once->len);
    g_auto(GStrv) parts = g_strsplit_set(twice->str, "&;", -1);
    for (char **part = parts; *part; part++) {
        if (g_ascii_strncasecmp(*part, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

/* Among the fields, or in the endpoint, from where a server may take it as well. */
static bool has_key(const ApiCall *self, const char *key)
{
    for (size_t i = 0; self->fields[i]; i++) {
        if (is_key(self->fields[i], key))
            return true;
    }
    return has_url_parameter(self, key);
}

static void read_endpoint(ApiCall *self, const char *endpoint)
{
    if (has_space(endpoint) || strpbrk(endpoint, "#\\") || str_has_prefix(endpoint, "//")) {
        raise_to(self, EFFECT_BLOCKED, "endpoint with a character that does not belong there");
        return;
    }
    const char *path = endpoint;
    if (strstr(endpoint, "://")) {
        if (!split_full_url(self, endpoint, &path)) {
            raise_to(self, EFFECT_BLOCKED, "request to another host");
            return;
        }
    } else if (*path == '/') {
        path++;
    }
    self->out->api_path = decode_path(path, strcspn(path, "?"));
    if (!self->out->api_path) {
        raise_to(self, EFFECT_BLOCKED, "path traversal");
        return;
    }
    self->out->is_graphql = g_ascii_strcasecmp(self->out->api_path, "graphql") == 0;
}

// ---- method and path (gh-policy §4.3) ----

static char *method_of(const ApiCall *self)
{
    if (command_args_has(self->args, "method")) {
        const char *method = command_args_last(self->args, "method");
        return g_ascii_strup(method != NULL ? method : "", -1);
    }
    bool has_body = self->fields[0] != NULL || command_args_has(self->args, "input");
    return g_strdup(has_body ? "POST" : "GET");
}

static bool is_segment(char *const *segments, guint count, guint index, const char *name)
{
    return index < count && g_ascii_strcasecmp(segments[index], name) == 0;
}

/* Writes that are destructive in the table under another name. GitHub takes POST where it documents
   PATCH, so the rules hold for every method that writes. */
static const char *destructive_write(const ApiCall *self)
{
    g_auto(GStrv) all = g_strsplit(self->out->api_path, "/", -1);
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    for (char **segment = all; *segment; segment++) {
        if (**segment != '\0')
            g_ptr_array_add(list, *segment);
    }
    char *const *segments = (char *const *)list->pdata;
    guint count = list->len;
    guint below; // of what follows repos/OWNER/REPO, or repositories/ID
    if (is_segment(segments, count, 0, "repos"))
        below = 3;
    else if (is_segment(segments, count, 0, "repositories"))
        below = 2;
    else
        return NULL;

    if (count == below && (has_key(self, "visibility") || has_key(self, "private")))
        return "changes who can see the repository";
    if (count == below + 1 && is_segment(segments, count, below, "transfer"))
        return "transfers the repository to another owner";
    if (count > below + 2 && is_segment(segments, count, below, "git") &&
        is_segment(segments, count, below + 1, "refs") && has_key(self, "force"))
        return "rewrites a branch";
    return NULL;
}

static void judge_rest(ApiCall *self)
{
    const char *method = self->out->api_method;
    if (strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0)
        return;
    if (strcmp(method, "DELETE") == 0) {
        raise_to(self, EFFECT_DESTRUCTIVE, "sends a DELETE request");
        return;
    }
    const char *reason = self->out->api_path != NULL ? destructive_write(self) : NULL;
    if (reason)
        raise_to(self, EFFECT_DESTRUCTIVE, reason);
    raise_to(self, EFFECT_WRITE, "sends a request that writes");
}

// ---- GraphQL (gh-policy §4.4) ----

static void judge_document(ApiCall *self, const char *document)
{
    static const struct {
        Effect effect;
        const char *reason;
    } verdicts[] = {
        [GRAPHQL_READ] = { EFFECT_READ, "GraphQL query" },
        [GRAPHQL_WRITE] = { EFFECT_WRITE, "GraphQL mutation" },
        [GRAPHQL_DELETE] = { EFFECT_DESTRUCTIVE, "GraphQL delete mutation" },
        [GRAPHQL_INVALID] = { EFFECT_UNKNOWN, "GraphQL document that cannot be read" },
    };
    GraphqlKind kind = graphql_scan(document);
    raise_to(self, verdicts[kind].effect, verdicts[kind].reason);
    if (!self->has_graphql_document ||
        classify_rank(verdicts[kind].effect) > classify_rank(verdicts[self->graphql].effect))
        self->graphql = kind;
    self->has_graphql_document = true;
}

static void judge_graphql(ApiCall *self)
{
    const char *method = self->out->api_method;
    bool is_get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    for (size_t i = 0; self->fields[i]; i++) {
        const char *equals = strchr(self->fields[i], '=');
        if (is_key(self->fields[i], "query"))
            judge_document(self, equals != NULL ? equals + 1 : "");
    }
    // a parameter named `query` could carry a document that is not among the fields
    if (has_url_parameter(self, "query") ||
        (!self->has_graphql_document && !(is_get && !self->fields[0])))
        raise_to(self, EFFECT_UNKNOWN,
                 "GraphQL request whose document is not in a field \"query\"");
    if (strcmp(method, "DELETE") == 0)
        raise_to(self, EFFECT_DESTRUCTIVE, "sends a DELETE request");
    else if (!is_get && strcmp(method, "POST") != 0)
        raise_to(self, EFFECT_WRITE, "sends a request that writes");
}

// ---- the call as a whole ----

static char *describe_call(const ApiCall *self)
{
    static const char *const kinds[] = {
        [GRAPHQL_READ] = " query",
        [GRAPHQL_WRITE] = " mutation",
        [GRAPHQL_DELETE] = " delete mutation",
        [GRAPHQL_INVALID] = "",
    };
    const char *method = self->out->api_method;
    size_t length = strlen(method);
    if (self->out->is_graphql && strcmp(method, "DELETE") != 0)
        return g_strconcat("api graphql", self->has_graphql_document ? kinds[self->graphql] : "",
                           NULL);
    bool is_word =
        length > 0 && length <= 16 && strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == length;
    return is_word ? g_strconcat("api ", method, NULL) : g_strdup("api");
}

/* Typed fields behind raw ones; only their names and documents matter here. */
static const char **all_fields(const CommandArgs *args)
{
    g_autofree const char **raw = command_args_values(args, "raw-field");
    g_autofree const char **typed = command_args_values(args, "field");
    GPtrArray *fields = g_ptr_array_new();
    for (size_t i = 0; raw[i]; i++)
        g_ptr_array_add(fields, (char *)raw[i]);
    for (size_t i = 0; typed[i]; i++)
        g_ptr_array_add(fields, (char *)typed[i]);
    g_ptr_array_add(fields, NULL);
    return (const char **)g_ptr_array_free(fields, FALSE);
}

void classify_api(const ClassifyOptions *options, Classified *self, Verdict *verdict)
{
    g_autofree const char **fields = all_fields(self->args);
    ApiCall call = {
        .options = options,
        .args = self->args,
        .out = self,
        .verdict = verdict,
        .fields = fields,
    };
    verdict_set(verdict, EFFECT_READ, "reads from the API");
    const char *endpoint = command_args_positional(self->args, 0);
    call.endpoint = endpoint;
    judge_flags(&call);
    if (endpoint)
        read_endpoint(&call, endpoint);
    self->api_method = method_of(&call);
    if (self->is_graphql)
        judge_graphql(&call);
    else
        judge_rest(&call);
    g_free(self->command);
    self->command = describe_call(&call);
}
