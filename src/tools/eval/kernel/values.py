"""The second part of the Python kernel: what is shown of values, as notebooks do it."""


def _html_text(html):
    """Tables as Markdown, the rest as its text."""
    parser_class = _standard("html.parser").HTMLParser

    class Reader(parser_class):
        def __init__(self):
            super().__init__()
            self.lines, self.row, self.cell, self.skip, self.is_first = [""], None, None, 0, True

        def handle_starttag(self, tag, attributes):
            if tag in ("script", "style"):
                self.skip += 1
            elif tag == "table":
                self.is_first = True
            elif tag == "tr":
                self.row = []
            elif tag in ("td", "th"):
                self.cell = ""
            elif tag in ("p", "div", "br", "li", "h1", "h2", "h3", "h4", "pre"):
                self.lines.append("- " if tag == "li" else "#" * int(tag[1]) + " " if tag[0] == "h" else "")

        def handle_endtag(self, tag):
            if tag in ("script", "style"):
                self.skip = max(0, self.skip - 1)
            elif tag in ("td", "th") and self.row is not None and self.cell is not None:
                self.row.append(" ".join(self.cell.split()).replace("|", "\\|"))
                self.cell = None
            elif tag == "tr" and self.row is not None:
                self.lines.append("| " + " | ".join(self.row) + " |")
                if self.is_first:
                    self.lines.append("|" + " --- |" * len(self.row))
                self.is_first, self.row = False, None
                self.lines.append("")

        def handle_data(self, data):
            if self.skip:
                return
            if self.cell is not None:
                self.cell += data
            else:
                self.lines[-1] += data

    reader = Reader()
    reader.feed(html)
    reader.close()
    return "\n".join(line.rstrip() for line in reader.lines if line.strip())


def _call_repr(value, name):
    method = getattr(type(value), name, None)
    if method is None:
        return None
    try:
        made = method(value)
    except Exception:
        return None
    return made[0] if isinstance(made, tuple) else made


def _bundle(value):
    """MIME type -> data, as notebooks have it."""
    bundle = _call_repr(value, "_repr_mimebundle_")
    bundle = dict(bundle) if isinstance(bundle, dict) else {}
    for name, mime in (("_repr_markdown_", "text/markdown"), ("_repr_html_", "text/html"), ("_repr_png_", "image/png"),
                       ("_repr_jpeg_", "image/jpeg"), ("_repr_json_", "application/json")):
        if mime not in bundle:
            data = _call_repr(value, name)
            if data is not None:
                bundle[mime] = data
    is_plain = type(value).__repr__ is object.__repr__
    if "text/plain" not in bundle and not (is_plain and ("text/html" in bundle or "text/markdown" in bundle)):
        bundle["text/plain"] = repr(value)
    return bundle


def _emit_image(data, mime):
    if isinstance(data, str):
        data = base64.b64decode(data)
    if len(data) > MAX_IMAGE_BYTES:
        _show(f"[an image of {len(data)} bytes is left out: {MAX_IMAGE_BYTES} are allowed]\n")
        return
    _send({"type": "display", "image": base64.b64encode(data).decode("ascii"), "mime": mime})


def _emit_json(value):
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    _send({"type": "display", "json": text[:MAX_JSON_CHARS], "chars": len(text)})


def _emit_bundle(bundle):
    status = bundle.get("application/x-kedge-status", bundle.get("application/x-omp-status"))
    if isinstance(status, dict):
        _send({"type": "status", "event": status})
        return
    for mime in ("image/png", "image/jpeg"):
        if bundle.get(mime):
            _emit_image(bundle[mime], mime)
            return
    if "application/json" in bundle:
        _emit_json(bundle["application/json"])
        return
    if "text/markdown" in bundle:
        _send({"type": "display", "markdown": True})
        text = bundle["text/markdown"]
    elif "text/plain" in bundle:
        text = bundle["text/plain"]
    else:
        text = _html_text(str(bundle.get("text/html", "")))
    text = "".join(text) if isinstance(text, list) else str(text)
    _show(text if text.endswith("\n") else text + "\n")


def display(*values):
    """Shows values: images, tables, JSON (dict, list), text."""
    for value in values:
        if isinstance(value, (dict, list, tuple)):
            if isinstance(value, dict) and value and all(isinstance(key, str) and "/" in key for key in value):
                _emit_bundle(value)
                continue
            try:
                _emit_json(value)
                continue
            except (TypeError, ValueError, RecursionError):
                pass
        _emit_bundle(_bundle(value))


def _close_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        buffer = io.BytesIO()
        figure = pyplot.figure(number)
        figure.savefig(buffer, format="png", bbox_inches="tight")
        pyplot.close(figure)
        _emit_image(buffer.getvalue(), "image/png")
