"""REST for files: artifacts of runs, assets of releases, images that people attach.

Registered by rest.py. The bytes are behind redirects to signed links on another
host, which refuse a token; files.py makes them.
"""

from . import files, present
from .message import Answer
from .model import Refusal
from .router import by_id, find_repo, listing, need_viewer, not_found, route, wants


def show_artifact(request, row):
    number, name, data, digest = row
    shown = {"id": number, "name": name, "size_in_bytes": len(data or b""), "expired": data is None,
        "expires_at": "2025-06-01T00:00:00Z"}
    return {**shown, "digest": digest} if digest else shown


@route("GET", "/repos/{o}/{r}/actions/runs/{n}/artifacts")
def get_artifacts(request, o, r, n):
    rows = files.artifacts(request.world, by_id(find_repo(request, o, r).runs, n))
    wanted = request.query.get("name")
    return listing(request, [row for row in rows if wanted in (None, row[1])], show_artifact, "artifacts")


@route("GET", "/repos/{o}/{r}/actions/artifacts/{n}/zip")
def get_artifact_zip(request, o, r, n):
    repo = find_repo(request, o, r)
    need_viewer(request)
    run = by_id(repo.runs, int(n) // files.BASE)
    data = next((row[2] for row in files.artifacts(request.world, run) if row[0] == int(n)), None)
    if data is None:
        raise Refusal(410, "Artifact has expired")
    return Answer(302, b"", {"Location": request.blob_url("application/zip", data)})


@route("GET", "/repos/{o}/{r}/releases/assets/{n}")
def get_asset(request, o, r, n):
    release = by_id(find_repo(request, o, r).releases, int(n) // files.BASE)
    row = next((row for row in files.assets(release) if row[0] == int(n)), None)
    if row is None:
        raise not_found()
    if not wants(request, "application/octet-stream"):
        return present.asset(request, row)
    return Answer(302, b"", {"Location": request.blob_url("application/octet-stream", row[2])})


@route("GET", "/user-attachments/assets/{name}")
def get_attachment(request, name):
    need_viewer(request)
    if name == "page":  # what is no image, whatever it is called
        return Answer(302, b"", {"Location": request.blob_url("image/png", b"<html></html>")})
    return Answer(302, b"", {"Location": request.blob_url("image/png", files.png())})
