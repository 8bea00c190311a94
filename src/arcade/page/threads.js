// The comments beside an artifact: threads in groups, replies, and the box in which a new one is written.
import { send } from "./api.js";
import { announce, arrange, badge, button, el, empty, facts, refill, when } from "./dom.js";
import { keep, kept, keptUnder } from "./drafts.js";

/** A text area with buttons, whose text is kept under `key` with what is in `more`. Ctrl+Enter sends, Escape closes. */
function composer({ key, more, label, action, submit, close, buttons }) {
    const problem = el("p.problem", { role: "alert", hidden: true });
    const box = el("textarea", { "aria-label": label, rows: "3", value: kept(key)?.text ?? "", placeholder: `${label}…` });
    const commit = async () => {
        const text = box.value.trim();
        if (!text || go.disabled)
            return box.focus();
        go.disabled = true;
        problem.hidden = true;
        try {
            await submit(text);
            keep(key, null);
            box.value = "";
        } catch (error) {
            problem.hidden = false;
            problem.textContent = error.message;
            return;
        } finally {
            go.disabled = false;
        }
        close?.();
    };
    const go = button(action, commit, { class: "primary", title: "Ctrl+Enter" });
    box.addEventListener("input", () => keep(key, box.value.trim() ? { ...more, text: box.value } : null));
    box.addEventListener("keydown", event => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            commit();
        } else if (event.key === "Escape" && close) {
            event.preventDefault();
            close();
        }
    });
    return { box, element: el("div.composer", null, box, problem, el("div.row", null, go, close && button("Close", close), buttons)) };
}

/** A button that asks once. */
function sureButton(text, question, work, attributes) {
    const reset = () => {
        delete it.dataset.isSure;
        it.textContent = text;
    };
    const it = button(text, () => {
        if (it.dataset.isSure)
            return work();
        it.dataset.isSure = "yes";
        it.textContent = question;
    }, { ...attributes, onblur: reset });
    return it;
}

function quote(anchor) {
    const text = anchor?.selectedText ?? anchor?.lineContent ?? anchor?.anchorText;
    return text ? el("blockquote", null, text.length > 300 ? `${text.slice(0, 300)}…` : text) : null;
}

/** Of an anchor, among those of its document. */
function nameOf(anchor) {
    if (!anchor)
        return "whole";
    return anchor.type === "line" ? `line-${anchor.lineNumber}` : `${anchor.startOffset}-${anchor.endOffset}`;
}

const isOwn = author => author === "user" || author.startsWith("user:");

/** One root with its replies. Its element stays the same as long as the page: what is being written in it is never touched. */
class Thread {
    constructor(id, hooks) {
        this.id = id;
        this.hooks = hooks;
        this.isOpen = false;
        this.body = el("div");
        this.problem = el("p.problem", { role: "alert", hidden: true });
        this.element = el("section.thread", null, this.body);
    }

    update(data) {
        const text = JSON.stringify(data);
        if (text === this.shownText)
            return;
        this.shownText = text;
        this.data = data;
        this.where = data.line ? `Line ${data.line}` : data.orphaned ? "Place lost" : data.anchor ? "Somewhere" : "Whole file";
        this.element.className = `thread is-${data.status}`;
        this.element.setAttribute("aria-label", `Comment on ${this.where.toLowerCase()}, ${data.status}`);
        this.draw();
    }

    draw() {
        const { data } = this;
        const replies = data.replies.map(reply => el("div.reply", null,
            facts(el("b", null, reply.author), when(reply.createdAt),
                this.isOpen && isOwn(reply.author) && this.deleteButton(reply.id, "Delete reply")),
            el("p.said", null, reply.content)));
        refill(this.body,
            el("div.top", null, button(this.where, () => this.fold(), {
                class: "where", "aria-expanded": String(this.isOpen), "data-key": `where-${this.id}`,
                title: "Show its place and what can be done",
            }), badge(data.status)),
            quote(data.anchor),
            facts(el("b", null, data.author), when(data.createdAt)),
            el("p.said", null, data.content), replies);
        if (this.toggle)
            this.toggle.textContent = data.status === "resolved" ? "Reopen" : "Resolve";
    }

    fold() {
        if (this.isOpen)
            this.close();
        else
            this.open();
        if (this.data.line && this.isOpen)
            this.hooks.goTo(this.data.line);
    }

    open() {
        this.isOpen = true;
        this.actions ??= this.makeActions();
        this.element.append(this.actions);
        this.draw();
    }

    close() {
        this.isOpen = false;
        this.actions.remove();
        this.draw();
    }

    async act(work) {
        this.problem.hidden = true;
        try {
            await work();
            this.hooks.changed();
        } catch (error) {
            this.problem.hidden = false;
            this.problem.textContent = error.message;
        }
    }

    deleteButton(id, text) {
        return sureButton(text, "Delete for good?", () => this.act(() => send("DELETE", `annotations/${id}`)),
                          { class: "danger", "data-key": `delete-${id}` });
    }

    makeActions() {
        const path = `annotations/${this.id}`;
        this.toggle = button("", () => this.act(() =>
            send("PATCH", path, { status: this.data.status === "resolved" ? "open" : "resolved" })));
        const reply = composer({
            key: `reply.${this.id}`, label: "Reply", action: "Reply",
            buttons: [this.toggle, isOwn(this.data.author) && this.deleteButton(this.id, "Delete")],
            submit: async content => {
                await send("POST", `${path}/replies`, { content });
                announce("Reply added");
                this.hooks.changed();
            },
        });
        return el("div.actions", null, reply.element, this.problem);
    }
}

const GROUPS = [
    ["Open", each => !each.orphaned && each.status === "open", "Select text, or press c on a line of the source, to comment."],
    ["Resolved", each => !each.orphaned && each.status === "resolved", "Nothing is resolved yet."],
    ["Orphaned", each => each.orphaned, "Every comment still has its place."],
];

export class Threads {
    /** `hooks`: changed(), goTo(line). */
    constructor(docId, runId, hooks) {
        this.docId = docId;
        this.runId = runId;
        this.hooks = hooks;
        this.threads = new Map();
        this.composing = el("div");
        this.unsent = el("div");
        this.groups = GROUPS.map(([name, holds, text]) => {
            const title = el("summary"), list = el("div");
            return { name, holds, title, list, empty: empty(text), element: el("details", { open: name !== "Resolved" }, title, list) };
        });
        this.element = el("section.threads", { "aria-label": "Comments" }, el("h2", null, "Comments"), this.composing, this.unsent,
                          this.groups.map(group => group.element));
        this.showUnsent();
    }

    /** Opens the box for a new comment at an anchor (null: on the whole artifact). */
    compose(anchor) {
        const before = document.activeElement;
        this.composingKey = `comment.${this.docId}.${nameOf(anchor)}`;
        const close = () => {
            this.composing.replaceChildren();
            this.composingKey = null;
            this.showUnsent();
            if (before?.isConnected)
                before.focus({ preventScroll: true });
        };
        const { box, element } = composer({
            key: this.composingKey, more: { anchor }, label: "New comment", action: "Comment", close,
            submit: async content => {
                await send("POST", "annotations", { docId: this.docId, runId: this.runId, anchor, content });
                announce("Comment added");
                this.hooks.changed();
            },
        });
        this.composing.replaceChildren(el("section.thread.new", { "aria-label": "New comment" }, quote(anchor), element));
        this.showUnsent();
        box.focus();
    }

    /** Comments that were begun and not sent; they may be of before the page was loaded. */
    showUnsent() {
        const drafts = keptUnder(`comment.${this.docId}.`).filter(([key]) => key !== this.composingKey);
        const item = ([key, { anchor, text }]) => el("div.thread.new", { "data-draft": key }, quote(anchor), el("p.said", null, text),
            el("div.row", null, button("Continue", () => this.compose(anchor)), sureButton("Throw away", "Throw away for good?", () => {
                keep(key, null);
                this.showUnsent();
            }, { class: "danger" })));
        refill(this.unsent, drafts.length > 0 &&
            el("section.unsent", { "aria-label": "Not sent" }, el("h3", null, "Not sent"), drafts.map(item)));
    }

    show(annotations) {
        const active = document.activeElement;
        for (const data of annotations) {
            if (!this.threads.has(data.id))
                this.threads.set(data.id, new Thread(data.id, this.hooks));
            this.threads.get(data.id).update(data);
        }
        for (const group of this.groups) {
            const those = annotations.filter(group.holds).map(data => this.threads.get(data.id).element);
            group.title.textContent = `${group.name} (${those.length})`;
            arrange(group.list, those.length ? those : [group.empty]);
        }
        if (active?.isConnected && active !== document.activeElement) { // its thread has gone to another group
            active.focus();
            if (document.activeElement !== active)
                active.closest("details")?.querySelector("summary").focus();
        }
    }

    /** Unfolds threads and goes to the first. */
    reveal(ids) {
        const threads = ids.map(id => this.threads.get(id)).filter(Boolean);
        for (const thread of threads) {
            thread.element.closest("details").open = true;
            if (!thread.isOpen)
                thread.open();
        }
        threads[0]?.element.scrollIntoView({ block: "nearest" });
        threads[0]?.body.querySelector(".where").focus({ preventScroll: true });
    }
}
