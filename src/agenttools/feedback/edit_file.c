/*
 * Reading and writing the file of an edit.
 */
#include "agenttools/feedback/edit_file.h"

#include "agenttools/answer.h"
#include "agenttools/feedback/edit_text.h"
#include "agenttools/feedback/edits.h"

void edit_file_clear(EditFile *self)
{
    g_clear_pointer(&self->data, g_free);
    g_clear_pointer(&self->sha256, g_free);
    g_clear_pointer(&self->text, g_free);
}

void edit_bytes_clear(EditBytes *self)
{
    g_clear_pointer(&self->data, g_free);
    g_clear_pointer(&self->sha256, g_free);
}

bool edit_file_open(const RunArtifact *artifact, EditFile *ret_file, GError **error)
{
    g_auto(EditFile) file = { .artifact = artifact };
    if (!run_artifact_read(artifact, LIMIT_EDIT_BYTES, &file.data, &file.size, error))
        return false;
    file.sha256 = content_sha256(file.data, file.size);
    if (!edit_text_decode(file.data, file.size, &file.text))
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Artifact file is not UTF-8 text and cannot be edited: %s",
                            artifact->path);
    *ret_file = file;
    file = (EditFile) { 0 };
    return true;
}

bool edit_file_encode(const EditFile *self, const char *text, EditBytes *ret_bytes, GError **error)
{
    g_auto(EditBytes) bytes = { 0 };
    bytes.data = edit_text_encode(self->data, self->size, text, &bytes.size);
    if (bytes.size > LIMIT_EDIT_BYTES)
        return answer_error(error, ANSWER_VALIDATION, NULL,
                            "Validation failed: content is too long: %zu bytes (limit %zu)",
                            bytes.size, LIMIT_EDIT_BYTES);
    bytes.sha256 = content_sha256(bytes.data, bytes.size);
    bytes.is_same = strcmp(bytes.sha256, self->sha256) == 0;
    *ret_bytes = bytes;
    bytes = (EditBytes) { 0 };
    return true;
}

bool edit_file_write(const EditFile *self, Db *db, const EditBytes *bytes, const char *run_id,
                     int64_t now_ms, GError **error)
{
    if (bytes->is_same)
        return true;
    g_autoptr(json_t) data = json_make("docId:%s sha256:%s", self->artifact->doc_id, bytes->sha256);
    return feed_append(db, "artifact", run_id, self->artifact->doc_id, data, now_ms, error) &&
           run_artifact_write(self->artifact, bytes->data, bytes->size, self->sha256, error);
}
