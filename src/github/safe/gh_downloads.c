/*
 * gh_run_artifacts and gh_release_download: what a run or a release has, and, where names are
 * given, these as files in one directory of downloads. The list is asked of gh, the bytes come over
 * HTTP; nothing is unpacked.
 */
#include "base/dirs.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/visible.h"
#include "github/safe/download.h"
#include "github/safe/download_name.h"
#include "github/safe/gh_call.h"
#include "github/safe/gh_profile.h"
#include "github/safe/gh_wrapper_args.h"
#include "tool/background.h"

#define MAX_NAMES     10
#define LISTED        100
#define MIN_BYTES     ((int64_t)1024)
#define MAX_BYTES     ((int64_t)8 << 30)
#define UPDATE_MS     1000
#define ARTIFACT_TYPE ".zip"
#define ARTIFACT_LIST                                                                              \
    "{total: .total_count, files: [.artifacts[]|{id, name, size: .size_in_bytes, expired, "        \
    "expires: .expires_at, digest}]}"
#define RELEASE_LIST                                                                               \
    "{tag: .tag_name, files: [.assets[]|{id, name, size, expired: (.state != \"uploaded\"), "      \
    "digest}]}"

typedef struct DownloadArgs {
    const json_t *run_id;
    const char *tag, *repo, *hostname;
    const json_t *names;
} DownloadArgs;

#define AT(member) .offset = offsetof(DownloadArgs, member)
#define PLACE                                                                                      \
    { .name = "repo", .type = FIELD_STRING, AT(repo), .help = "[HOST/]OWNER/REPO" },               \
    {                                                                                              \
        .name = "hostname", .type = FIELD_STRING, AT(hostname)                                     \
    }
#define NAMES                                                                                      \
    {                                                                                              \
        .name = "names", .type = FIELD_STRING_LIST, AT(names), .min_items = 1,                     \
        .max_items = MAX_NAMES, .help = "To download; without: list them"                          \
    }

static const FieldDef artifacts_fields[] = {
    { .name = "run_id",
      .type = FIELD_JSON,
      AT(run_id),
      .is_required = true,
      .help = "Number or digits" },
    PLACE,
    NAMES,
    { 0 },
};

static const FieldDef release_fields[] = {
    { .name = "tag", .type = FIELD_STRING, AT(tag), .help = "Without: the latest release" },
    PLACE,
    NAMES,
    { 0 },
};

static bool is_artifacts(const ToolCall *call)
{
    return strcmp(tool_call_tool(call)->name, "gh_run_artifacts") == 0;
}

/* The name that the file gets. Caller frees. */
static char *file_name(const ToolCall *call, const char *name)
{
    return g_strconcat(name, is_artifacts(call) ? ARTIFACT_TYPE : NULL, NULL);
}

// ---- what is asked for ----

static bool check_names(const ToolCall *call, const json_t *names, GError **error)
{
    size_t i;
    json_t *each;
    json_array_foreach (names, i, each) {
        const char *name = json_string_value(each);
        g_autofree char *file = file_name(call, name);
        const char *problem = download_name_problem(*name ? file : NULL);
        g_autofree char *shown = str_truncate(name, 80);
        if (problem)
            return gh_call_fail_args(error, "\"%s\" is not downloaded: its name %s", shown,
                                     problem);
    }
    return true;
}

/* Of one name, so that it is found however many there are. Caller frees. */
static char *name_filter(const json_t *names)
{
    if (json_array_size(names) != 1)
        return g_strdup("");
    const char *name = json_string_value(json_array_get(names, 0));
    g_autofree char *escaped = g_uri_escape_string(name, NULL, false);
    return g_strconcat("&name=", escaped, NULL);
}

static bool make_endpoint(const ToolCall *call, const DownloadArgs *args, const char *repo,
                          char **ret_endpoint, GError **error)
{
    if (is_artifacts(call)) {
        g_autofree char *run = NULL;
        g_autofree char *filter = name_filter(args->names);
        if (!gh_id_check("run_id", args->run_id, &run, error))
            return false;
        *ret_endpoint = g_strdup_printf("repos/%s/actions/runs/%s/artifacts?per_page=%d%s", repo,
                                        run, LISTED, filter);
        return true;
    }
    if (!gh_text_check("tag", args->tag, error))
        return false;
    g_autofree char *tag = args->tag ? g_uri_escape_string(args->tag, NULL, false) : NULL;
    *ret_endpoint = g_strconcat("repos/", repo, "/releases/", tag ? "tags/" : "latest", tag, NULL);
    return true;
}

/* What it is about, for people: "run 5". Caller frees. */
static char *subject_of(const ToolCall *call, const DownloadArgs *args)
{
    if (!is_artifacts(call))
        return args->tag ? g_strconcat("release ", args->tag, NULL)
                         : g_strdup("the latest release");
    g_autofree char *run = NULL;
    bool is_id = gh_id_check("run_id", args->run_id, &run, NULL);
    return g_strconcat("run ", is_id ? run : "?", NULL);
}

// ---- the directory ----

static int64_t max_bytes(const Settings *settings)
{
    return CLAMP(settings_get_int(settings, "gh.downloads.maxBytes"), MIN_BYTES, MAX_BYTES);
}

static char *downloads_root(const Settings *settings)
{
    const char *set = settings_get_text(settings, "gh.downloads.dir");
    g_autofree char *expanded = str_is_empty(set) ? NULL : path_expand_home(set);
    if (expanded && g_path_is_absolute(expanded))
        return g_steal_pointer(&expanded);
    g_autofree char *config = dirs_config_root();
    return g_build_filename(config, "downloads", NULL);
}

/* ROOT/HOST/OWNER/REPO/run-5: what the server says about itself has no part in it but the tag,
   which is one name. Caller frees. */
static char *directory_of(const ToolCall *call, const GhContext *target, const DownloadArgs *args,
                          const char *tag)
{
    g_autofree char *root = downloads_root(tool_call_settings(call));
    g_autofree char *run = NULL;
    bool is_run = is_artifacts(call) && gh_id_check("run_id", args->run_id, &run, NULL);
    g_autofree char *last = is_run ? download_name_part("run-", run)
                                   : download_name_part("release-", tag ? tag : "latest");
    g_auto(GStrv) parts = g_strsplit(target->repo, "/", 2);
    g_autofree char *host = download_name_part("", target->host);
    g_autofree char *owner = download_name_part("", parts[0]);
    g_autofree char *repo = download_name_part("", parts[1]);
    return g_build_filename(root, host, owner, repo, last, NULL);
}

// ---- judging ----

/* Caller frees. */
static char *question_text(const ToolCall *call, const GhCall *prepared, const DownloadArgs *args,
                           const char *reason)
{
    const GhContext *target = &prepared->target.context;
    g_autofree char *dir = directory_of(call, target, args, args->tag ? args->tag : "TAG");
    g_autofree char *most = str_format_bytes((uint64_t)max_bytes(tool_call_settings(call)));
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "WRITE on %s/%s: ", target->host, target->repo);
    visible_append(text, reason);
    size_t i;
    json_t *name;
    json_array_foreach (args->names, i, name) {
        g_string_append(text, "\n  ");
        visible_append(text, json_string_value(name));
    }
    g_string_append(text, "\n  to ");
    visible_append(text, dir);
    g_string_append_printf(text, ", at most %s each\n  (context: %s)", most,
                           gh_source_name(target->source));
    return g_string_free(text, false);
}

/* A call with names is no read: it makes files. */
static void judge_download(const ToolCall *call, GhCall *prepared, const DownloadArgs *args,
                           Judgement *judgement)
{
    Classified *classified = &prepared->classified;
    const GhContext *target = &prepared->target.context;
    g_autofree char *subject = subject_of(call, args);
    bool is_run = is_artifacts(call);
    g_autofree char *reason =
        g_strdup_printf("downloads %zu %s of %s", json_array_size(args->names),
                        is_run ? "artifacts" : "files", subject);
    classified->effect = EFFECT_WRITE;
    g_free(classified->reason);
    classified->reason = g_strdup(reason);
    g_free(classified->command);
    classified->command = g_strdup(is_run ? "run download" : "release download");
    char *question = question_text(call, prepared, args, reason);
    judgement_clear(judgement);
    *judgement = (Judgement) {
        .effect = EFFECT_WRITE,
        .summary = g_steal_pointer(&reason),
        .host = g_strdup(target->host),
        .repo = g_strdup(target->repo),
        .question = question,
    };
    judgement_add_action(judgement, classified->command, strchr(subject, ' ') + 1, target->host,
                         target->repo);
}

static bool gh_downloads_build(ToolCall *call, GhCall *prepared, const DownloadArgs *args,
                               GhContext *context, char **ret_endpoint, GError **error)
{
    const GhContextSpec spec = gh_call_context_spec(call, prepared, args->repo, args->hostname);
    if (!gh_context_resolve(&spec, context, error))
        return false;
    if (!context->repo)
        return fail_with_kind(error, GH_KIND_NO_REPO, &(GhFacts) { 0 });
    return check_names(call, args->names, error) &&
           make_endpoint(call, args, context->repo, ret_endpoint, error);
}

static bool downloads_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                            GError **error)
{
    const DownloadArgs *args = args_;
    GhCall *prepared = gh_call_open(call, NULL, error);
    if (!prepared)
        return false;
    g_auto(GhContext) context = { 0 };
    g_autofree char *endpoint = NULL;
    GError *cause = NULL;
    if (!gh_downloads_build(call, prepared, args, &context, &endpoint, &cause))
        return gh_call_note_error(prepared, cause, error);
    const char *list = is_artifacts(call) ? ARTIFACT_LIST : RELEASE_LIST;
    g_autofree char *place = g_strconcat(context.host, "/", context.repo, NULL);
    const GhCallSpec spec = {
        .args = (const char *const[]) { "api", endpoint, "--method", "GET", "--hostname",
                                        context.host, "--jq", list, NULL },
        .repo = place,
        .is_wrapper = true,
    };
    if (!gh_call_judge(call, prepared, &spec, ret_judgement, error))
        return false;
    prepared->target.context.source = context.source;
    if (args->names && ret_judgement->effect == EFFECT_READ)
        judge_download(call, prepared, args, ret_judgement);
    return true;
}

// ---- the list ----

static void append_file(GString *text, const json_t *file)
{
    g_autofree char *size = str_format_bytes((uint64_t)MAX(json_get_int(file, "size", 0), 0));
    const char *expires = json_get_text(file, "expires");
    g_string_append(text, "- ");
    visible_append(text, json_get_text(file, "name") ? json_get_text(file, "name") : "?");
    g_string_append_printf(text, "  %s", size);
    if (json_get_bool(file, "expired", false))
        g_string_append(text, "  [not available]");
    else if (!str_is_empty(expires)) {
        g_string_append(text, "  until ");
        visible_append(text, expires);
    }
    g_string_append_c(text, '\n');
}

/* Caller frees. */
static char *list_text(const ToolCall *call, const json_t *list)
{
    const json_t *files = json_get_array(list, "files");
    size_t count = json_array_size(files);
    int64_t total = json_get_int(list, "total", (int64_t)count);
    GString *text = g_string_new(is_artifacts(call) ? "Artifacts" : "Files of release ");
    if (!is_artifacts(call))
        visible_append(text, json_get_text(list, "tag") ? json_get_text(list, "tag") : "?");
    g_string_append_printf(text, " (%" G_GINT64_FORMAT "):\n", total);
    size_t i;
    json_t *file;
    json_array_foreach (files, i, file)
        append_file(text, file);
    if (total > (int64_t)count)
        g_string_append_printf(text, "- ... %" G_GINT64_FORMAT " more; names finds these, too\n",
                               total - (int64_t)count);
    if (count > 0)
        g_string_append(text, "Give names to download them.\n");
    return g_string_free(text, false);
}

// ---- the files ----

typedef struct Batch { // the downloads of one call
    ToolCall *call;
    const DownloadArgs *args;
    GhCall *prepared;
    const json_t *list;
    Rest *rest;
    char *dir;
    GString *text;
    json_t *done; // array, for programs
    size_t failed;
    int64_t bytes;
    const char *name; // of the one under way
    int64_t updated_at;
} Batch;

static void batch_clear(Batch *self)
{
    rest_free(self->rest);
    g_free(self->dir);
    g_string_free(self->text, true);
    json_decref(self->done);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Batch, batch_clear)

static void show_progress(int64_t done_bytes, void *batch)
{
    Batch *self = batch;
    int64_t now = time_monotonic_ms();
    if (now - self->updated_at < UPDATE_MS)
        return;
    self->updated_at = now;
    g_autofree char *done = str_format_bytes((uint64_t)done_bytes);
    g_autoptr(GString) text = g_string_new(NULL);
    visible_append(text, self->name);
    g_string_append_printf(text, ": %s", done);
    tool_call_update(self->call, text->str, NULL);
}

static const json_t *find_file(const json_t *list, const char *name)
{
    size_t i;
    json_t *file;
    json_array_foreach (json_get_array(list, "files"), i, file) {
        if (g_strcmp0(json_get_text(file, "name"), name) == 0)
            return file;
    }
    return NULL;
}

/* Caller frees. */
static char *path_of(const Batch *self, const json_t *file)
{
    g_auto(GStrv) parts = g_strsplit(self->prepared->target.context.repo, "/", 2);
    int64_t id = json_get_int(file, "id", 0);
    return is_artifacts(self->call)
               ? rest_repo_path(parts[0], parts[1], "/actions/artifacts/%" G_GINT64_FORMAT "/zip",
                                id)
               : rest_repo_path(parts[0], parts[1], "/releases/assets/%" G_GINT64_FORMAT, id);
}

static bool batch_download(Batch *self, const char *name, Download *ret_download, GError **error)
{
    const json_t *file = find_file(self->list, name);
    if (!file)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "there is none of that name; without names the call lists them");
    if (json_get_bool(file, "expired", false))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "GitHub does not have it (any more)");
    bool is_run = is_artifacts(self->call);
    g_autofree char *path = path_of(self, file);
    g_autofree char *shown = file_name(self->call, name);
    self->name = name;
    const DownloadSpec spec = {
        .rest = self->rest,
        .path = path,
        .accept = is_run ? NULL : "application/octet-stream",
        .operation = "download",
        .dir = self->dir,
        .name = shown,
        .digest = json_get_text(file, "digest"),
        .size = json_get_int(file, "size", -1),
        .is_size_exact = !is_run,
        .max_bytes = max_bytes(tool_call_settings(self->call)),
        .progress = show_progress,
        .user_data = self,
    };
    return download_file(&spec, tool_call_cancel(self->call), ret_download, error);
}

static void note_done(Batch *self, const char *name, const Download *download)
{
    g_autofree char *size = str_format_bytes((uint64_t)download->size);
    self->bytes += download->size;
    g_string_append_printf(self->text, "- %s  %s, sha256 %s%s\n", download->path, size,
                           download->sha256,
                           download->is_verified ? " as GitHub says" : " (GitHub gives none)");
    json_append_take(self->done,
                     json_pack("{s:s, s:s, s:I, s:s, s:b}", "name", name, "path", download->path,
                               "size", (json_int_t)download->size, "sha256", download->sha256,
                               "verified", (int)download->is_verified));
}

/* True: go on with the next one. */
static bool download_next(Batch *self, const char *name, GError **error)
{
    g_auto(Download) done = { 0 };
    g_autoptr(GError) failed = NULL;
    if (batch_download(self, name, &done, &failed)) {
        note_done(self, name, &done);
        return true;
    }
    if (error_is(failed, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &failed);
    self->failed++;
    g_string_append(self->text, "- ");
    visible_append(self->text, name);
    g_string_append_printf(self->text, "  not downloaded: %s\n", failed->message);
    return true;
}

static bool open_rest(Batch *self, GError **error)
{
    const RestOptions options = {
        .host = self->prepared->target.context.host, // a known one: the context made sure of it
        .repo = self->prepared->target.context.repo,
        .honours_api_url = true,
        .uses_login = true,
        .cwd = tool_call_cwd(self->call),
        .max_wait_s = -1,
        .settings = tool_call_settings(self->call),
        .context = tool_call_context(self->call),
    };
    return rest_new(&options, tool_call_cancel(self->call), &self->rest, error);
}

static bool download_all(Batch *self, GError **error)
{
    if (!open_rest(self, error))
        return false;
    size_t i;
    json_t *name;
    json_array_foreach (self->args->names, i, name) {
        if (!download_next(self, json_string_value(name), error))
            return false;
    }
    return true;
}

/* gh did its part; that the whole was not done is an exit status of its own. */
static void set_error(GhCall *prepared, GhKind kind, char *message)
{
    prepared->kind = kind;
    prepared->outcome.exit_status = 1;
    g_free(prepared->message);
    prepared->message = message;
}

/* Names what came, also where not all came. */
static void answer_batch(Batch *self, GError *failed, ToolResult *result)
{
    g_autoptr(GError) owned = failed;
    size_t count = json_array_size(self->args->names);
    if (owned) {
        bool is_cancelled = error_is(owned, KEDGE_ERROR_CANCELLED);
        set_error(self->prepared, is_cancelled ? GH_KIND_CANCELLED : GH_KIND_GH_EXIT,
                  g_strdup(owned->message));
    } else if (self->failed > 0) {
        set_error(self->prepared, GH_KIND_GH_EXIT,
                  g_strdup_printf("%zu of %zu were not downloaded.", self->failed, count));
    }
    self->prepared->outcome.captured_bytes = (size_t)self->bytes;
    json_object_set(tool_result_details(result), "downloads", self->done);
    gh_call_answer(self->call, self->prepared, self->text->str, result);
}

static void run_batch(ToolCall *call, const DownloadArgs *args, const json_t *list,
                      ToolResult *result)
{
    GhCall *prepared = tool_call_prepared(call);
    const char *tag = json_get_text(list, "tag");
    g_auto(Batch) batch = {
        .call = call,
        .args = args,
        .prepared = prepared,
        .list = list,
        .dir = directory_of(call, &prepared->target.context, args, tag),
        .text = g_string_new(NULL),
        .done = json_array(),
    };
    GError *failed = NULL;
    download_all(&batch, &failed);
    answer_batch(&batch, failed, result);
}

static bool list_and_download(ToolCall *call, const void *args_, ToolResult *result,
                              GError **error G_GNUC_UNUSED)
{
    const DownloadArgs *args = args_;
    GhCall *prepared = tool_call_prepared(call);
    gh_call_exec(call, prepared);
    g_autoptr(json_t) list = NULL;
    if (prepared->kind == GH_KIND_NONE &&
        (!json_parse_text(prepared->outcome.raw_output, &list, NULL) || !json_is_object(list)))
        set_error(prepared, GH_KIND_GH_EXIT, g_strdup("gh printed no list."));
    if (prepared->kind == GH_KIND_TRUNCATED && args->names)
        set_error(prepared, GH_KIND_GH_EXIT,
                  g_strdup("The list is longer than gh.maxBytes; nothing was downloaded."));
    if (prepared->kind != GH_KIND_NONE) {
        gh_call_answer(call, prepared, NULL, result);
    } else if (args->names) {
        run_batch(call, args, list, result);
    } else {
        g_autofree char *text = list_text(call, list);
        gh_call_answer(call, prepared, text, result);
    }
    return true;
}

static bool downloads_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const DownloadArgs *args = args_;
    const GhCall *prepared = tool_call_prepared(call);
    const BackgroundSpec spec = {
        .type = "gh",
        .label = prepared->classified.reason,
        .patience_ms = args->names ? background_github_patience_ms(call) : -1,
        .run = list_and_download,
    };
    return background_run(call, &spec, result, error);
}

static bool is_offered(const Settings *settings)
{
    return gh_profile_offers(settings, GH_DOOR_OTHERS, GH_TOOL_WRAPPER) &&
           gh_profile_offers(settings, GH_DOOR_OTHERS, GH_TOOL_GENERAL);
}

#define DOWNLOADER(id, label_, fields_, summary_)                                                  \
    const ToolDef tool_##id = {                                                                    \
        .name = #id,                                                                               \
        .label = "GitHub: " label_,                                                                \
        .summary = (summary_),                                                                     \
        .effect = EFFECT_READ, /* of the list */                                                   \
        .judge = downloads_judge,                                                                  \
        .flags =                                                                                   \
            TOOL_HIDDEN | TOOL_EXACT | TOOL_KEEPS_TEXT | TOOL_GITHUB | TOOL_GH | TOOL_OPEN_WORLD,  \
        .fields = (fields_),                                                                       \
        .args_size = sizeof(DownloadArgs),                                                         \
        .is_available = is_offered,                                                                \
        .run = downloads_run,                                                                      \
        .refused = gh_call_refused,                                                                \
        .finished = gh_call_finished,                                                              \
    }

DOWNLOADER(
    gh_run_artifacts, "run artifacts", artifacts_fields,
    "List the artifacts of an Actions run, or download some into the directory of downloads");
DOWNLOADER(gh_release_download, "release download", release_fields,
           "List the files of a release, or download some into the directory of downloads");
