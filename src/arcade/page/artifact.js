// One artifact: its content in the middle, the run's artifacts at the left, comments and edits at the right.
import { follow, get, getText, send } from "./api.js";
import { announce, badge, button, diff, el, empty, facts, refill, show, soon, tell, trail, when } from "./dom.js";
import { Editor } from "./editor.js";
import { runNews } from "./run.js";
import { Threads } from "./threads.js";
import { View } from "./view.js";
import { Waiting } from "./waiting.js";

const TRIES = 3; // to get text and HTML of the same moment

function indented(text) {
    const asWritten = (key, value, context) => typeof value === "number" && context?.source && JSON.rawJSON
        ? JSON.rawJSON(context.source) : value; // long numbers stay as they are
    return `${JSON.stringify(JSON.parse(text, asWritten), null, 2)}\n`;
}

class ArtifactPage {
    constructor(runId, docId) {
        this.runId = runId;
        this.docId = docId;
        this.path = `artifacts/${encodeURIComponent(docId)}`;
        this.runPath = `/runs/${encodeURIComponent(runId)}`;
        this.edits = new Map(); // those that were seen on this page, with their state
        this.annotations = [];
        this.view = new View(docId, {
            comment: anchor => this.threads.compose(anchor),
            open: ids => this.threads.reveal(ids),
            addressOf: (path, heading) => this.addressOf(path, heading),
        });
        this.refreshAnnotations = soon(() => this.loadAnnotations());
        this.refreshContent = soon(() => this.loadContent().then(() => this.loadAnnotations()));
        this.refreshRun = soon(() => this.loadRun());
        this.threads = new Threads(docId, runId, {
            changed: this.refreshAnnotations, goTo: annotation => this.view.scrollTo(annotation),
            placeOf: anchor => this.view.source?.rangeOf(anchor)[0] ?? anchor.startOffset ?? anchor.lineNumber,
        });
        this.waiting = new Waiting(runId, this.refreshRun);
        this.editor = new Editor(docId, runId, { done: text => this.stopEditing(text), compared: () => this.say(null) });
        this.head = el("div.head");
        this.notice = el("p.notice", { role: "status", hidden: true });
        this.middle = el("div.middle", null, this.head, this.waiting.element, this.notice, this.view.element);
        this.editList = el("section.edits", { "aria-label": "Edits" });
        this.others = el("nav.others", { "aria-label": "Artifacts of this run", id: "others" });
        const side = el("aside.side", { "aria-label": "Feedback" }, this.editList, this.threads.element);
        this.layout = el("div.artifact", null, this.others, this.middle, side);
    }

    async start() {
        if (matchMedia("(max-width: 75rem)").matches)
            this.layout.classList.add("is-wide"); // no room for the list, unless it is asked for
        document.addEventListener("keydown", event => {
            if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "b") {
                event.preventDefault();
                this.toggleOthers();
            }
        });
        show(this.layout);
        await Promise.all([this.loadRun(), this.loadContent()]);
        this.view.scrollToHeading(location.hash);
        await this.loadAnnotations();
        follow(this.runId, (type, data) => this.onChange(type, data));
    }

    onChange(type, data) {
        if (type === "open" || type === "reset") {
            this.refreshContent();
            this.refreshRun();
        } else if (type === "edit" && data.docId === this.docId) {
            this.refreshContent();
            if (data.mode === "suggested" && data.status !== "pending")
                tell(`The suggestion for ${this.meta.name} was ${data.status}`);
        } else if (type === "annotation" && data.docId === this.docId) {
            if (data.author)
                this.threads.changers.set(data.annotationId, data.author);
            this.refreshAnnotations();
        } else if (type === "artifact" && data.docId === this.docId && data.sha256 !== this.meta.sha256) {
            this.refreshContent();
            tell(`${this.meta.name} changed on disk`);
        } else if (type === "artifact" || type === "run" || type === "event") {
            this.refreshRun();
        } else if (type === "annotation" && !data.docId) {
            this.refreshRun(); // an answer
        }
    }

    say(text) {
        this.notice.hidden = !text;
        this.notice.textContent = text ?? "";
    }

    toggleOthers() {
        this.layout.classList.toggle("is-wide");
        this.showHead();
    }

    async loadRun() {
        const { run, artifacts, waiting } = await get(`runs/${encodeURIComponent(this.runId)}`);
        for (const each of runNews(this.run, run))
            tell(each);
        this.artifacts = artifacts;
        this.view.resolveLinks(this.view.element);
        this.run = run;
        this.waiting.update(waiting);
        refill(this.others, el("h2", null, "Artifacts"), el("ul", null, artifacts.map(each => el("li", null,
            el("a", { href: `${this.runPath}/artifact/${encodeURIComponent(each.docId)}`, title: each.path, "data-key": each.docId,
                "aria-current": each.docId === this.docId ? "page" : null },
                each.name, each.path !== each.name && el("span.path", null, each.path.slice(0, -each.name.length)))))));
        this.showHead();
    }

    /** Of the run's artifact that a relative link in this one leads to, or null. */
    addressOf(path, heading) {
        const parts = [];
        for (const part of [...this.meta.path.split("/").slice(0, -1), ...path.split("/")]) {
            if (part === ".." && parts.pop() === undefined)
                return null;
            if (part !== ".." && part !== "." && part !== "")
                parts.push(part);
        }
        const target = parts.join("/");
        const found = this.artifacts?.find(each => each.path === target && each.storageRoot === this.meta.storageRoot);
        if (!found)
            return null;
        return `${this.runPath}/artifact/${encodeURIComponent(found.docId)}${heading ? `#md-${heading}` : ""}`;
    }

    // ---- content --------------------------------------------------------------

    async loadContent() {
        this.meta = await get(this.path);
        this.sayChanged();
        for (const edit of this.meta.pendingEdits)
            this.edits.set(edit.editId, edit);
        await this.refreshEdits();
        if (!this.isEditing && (this.shownSha256 === undefined || this.shownSha256 !== this.meta.sha256))
            await this.showContent();
        this.showHead();
    }

    /** Once for each state of the file: however it was learned of, also by a feed that began, or began again, too late. */
    sayChanged() {
        const { sha256 } = this.meta;
        if (!this.isEditing || sha256 === this.editedSha256)
            return;
        this.editedSha256 = sha256;
        this.say("The file has changed on disk. Save merges both; where both changed the same lines, you are asked.");
    }

    async showContent() {
        const { meta, view } = this;
        this.shownSha256 = meta.sha256;
        this.text = null;
        if (!meta.exists)
            return view.showNotice(`${meta.path} does not exist. It is shown as soon as the agent writes it.`);
        if (meta.isBinary || meta.isTooLarge)
            return view.showNotice(`${meta.name}: ${meta.size.toLocaleString("en")} bytes, ` +
                                   (meta.isBinary ? "not a text." : "too large to be shown."));
        this.isRendered = this.isMarkdown() && !this.wantsSource;
        const { text, html, sha256 } = await this.fetchContent();
        this.raw = text;
        this.text = text.replace(/^\ufeff/, "");
        this.shownSha256 = sha256;
        if (html !== null)
            await view.showRendered(html, this.text);
        else
            this.showSource();
        view.mark(this.annotations);
    }

    /** html is null when the source is to be shown. */
    async fetchContent() {
        for (let tries = 1;; tries++) {
            const rendering = this.isRendered ? get(`${this.path}/html`).catch(error => {
                if (error.status !== 413)
                    throw error;
                return null; // too large to be rendered
            }) : null;
            const [{ text, sha256 }, rendered] = await Promise.all([getText(`${this.path}/content`), rendering]);
            if (!rendered || rendered.sha256 === sha256 || tries === TRIES)
                return { text, sha256, html: rendered?.html ?? null };
        }
    }

    showSource() {
        let text = this.text;
        if (this.isIndented) {
            try {
                text = indented(this.text);
                this.say("Re-indented for reading. To comment, go back to the file as it is.");
            } catch {
                this.isIndented = false;
                this.say("This is no JSON that could be re-indented.");
            }
        }
        this.view.showSource(this.meta.name, text, !this.isIndented);
    }

    isMarkdown() {
        return this.meta.type === "markdown" || /\.(md|mdx|markdown)$/i.test(this.meta.path);
    }

    async switchTo(change) {
        Object.assign(this, change);
        this.say(null);
        await this.showContent();
        this.showHead();
    }

    showHead() {
        const { meta, run } = this;
        if (!meta || !run)
            return;
        trail([run.name || run.featureId || run.id, this.runPath], [meta.path]);
        const hasText = this.text !== null && !this.isEditing;
        const source = hasText && this.isMarkdown() && button(this.isRendered ? "Source" : "Rendered",
            () => this.switchTo({ wantsSource: this.isRendered }), { "data-key": "source-switch" });
        const indent = hasText && /\.json$/i.test(meta.path) && button(this.isIndented ? "As it is" : "Re-indent",
            () => this.switchTo({ isIndented: !this.isIndented }), { "data-key": "indent" });
        refill(this.head, el("h1", null, meta.path), el("div.row.bar", null,
            button("Artifacts", () => this.toggleOthers(), { "aria-controls": "others", "data-key": "others",
                "aria-expanded": String(!this.layout.classList.contains("is-wide")), title: "Ctrl+B" }),
            source, indent,
            hasText && meta.editable &&
                button(this.editor.hasKept() ? "Continue editing" : "Edit", () => this.edit(), { "data-key": "edit" }),
            button("Comment on the file", () => this.threads.compose(null), { "data-key": "comment" })));
    }

    async loadAnnotations() {
        const query = new URLSearchParams({ docId: this.docId, runId: this.runId });
        const { annotations } = await get(`annotations?${query}`);
        this.annotations = annotations;
        for (const each of this.threads.show(annotations))
            tell(`${each} of ${this.meta.name}`);
        this.view.mark(annotations);
    }

    // ---- edits ----------------------------------------------------------------

    /** Those that are pending no more: what became of them. */
    async refreshEdits() {
        const pending = new Set(this.meta.pendingEdits.map(edit => edit.editId));
        for (const [id, edit] of this.edits) {
            if (pending.has(id) || edit.status !== "pending")
                continue;
            const now = await get(`edits/${id}`).catch(() => ({ status: "gone" }));
            this.edits.set(id, { ...edit, status: now.status, patch: now.patch || edit.patch });
        }
        this.showEdits();
    }

    showEdits() {
        const edits = [...this.edits.values()];
        refill(this.editList, edits.length > 0 && el("h2", null, "Edits"), edits.map(edit => this.editItem(edit)));
    }

    editItem(edit) {
        const isSuggested = edit.mode === "suggested", isPending = edit.status === "pending";
        const what = isSuggested ? "Suggestion" : "Saved change";
        const withdraw = async () => {
            await send("DELETE", `edits/${edit.editId}`).catch(error => this.say(error.message));
            this.refreshContent();
        };
        return el("section.edit", { "aria-label": `${what} ${edit.editId}, ${edit.status}` },
            el("div.top", null, el("b", null, what), badge(edit.status)),
            facts(edit.author, when(edit.createdAt)),
            edit.patch ? diff(edit.patch) : empty("No difference is left."),
            isSuggested && isPending && el("div.row", null,
                button("Accept", () => this.accept(edit), { class: "primary", "data-key": `accept-${edit.editId}`,
                    title: "Merges it into the file" }),
                button("Withdraw", withdraw, { "data-key": `withdraw-${edit.editId}` })));
    }

    async accept(edit) {
        try {
            await send("POST", `edits/${edit.editId}/accept`, { runId: this.runId });
            this.say(null);
            announce("Suggestion accepted");
        } catch (error) {
            this.say(error.message);
        }
        this.refreshContent();
    }

    edit() {
        this.isEditing = true;
        this.editedSha256 = this.shownSha256;
        this.say(null);
        this.view.element.replaceWith(this.editor.element);
        this.editor.open(this.raw);
        this.showHead();
    }

    async stopEditing(text) {
        this.isEditing = false;
        this.say(text);
        this.editor.element.replaceWith(this.view.element);
        this.showHead();
        this.head.querySelector("[data-key=edit]")?.focus();
        await this.loadContent();
        await this.loadAnnotations();
    }
}

export async function showArtifact(runId, docId) {
    await new ArtifactPage(runId, docId).start();
}
