// The comments beside an artifact: threads in groups, replies, and the box in which a new one is written.
import { send } from "./api.js";
import { composer, sureButton } from "./composer.js";
import { announce, arrange, badge, button, el, empty, facts, refill, when } from "./dom.js";
import { keep, kept, keptUnder } from "./drafts.js";

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

/** "line 12", as in "your comment on line 12" */
function placeName({ line, orphaned, anchor }) {
    return line ? `line ${line}` : orphaned ? "a place that is lost" : anchor ? "a place" : "the whole file";
}

const byWhom = author => author.startsWith("agent") ? "Agent" : "Somebody else";

/** One root with its replies. Its element stays the same as long as the page: what is being written in it is never touched. */
class Thread {
    constructor(id, docId, hooks) {
        this.id = id;
        this.docId = docId;
        this.hooks = hooks;
        this.isOpen = false;
        this.editing = new Map(); // id of a comment → the box in which it is edited
        this.note = el("p.note", { hidden: true });
        this.body = el("div");
        this.problem = el("p.problem", { role: "alert", hidden: true });
        this.element = el("section.thread", { onclick: event => this.onClick(event) }, this.note, this.body);
        this.element.addEventListener("focusout", () => setTimeout(() => this.note.hidden || this.hooks.left()));
    }

    draftKeys() {
        return [`reply.${this.id}`, ...[this.id, ...this.data.replies.map(reply => reply.id)].map(id => `edited.${id}`)];
    }

    hasDraft() {
        return this.draftKeys().some(key => kept(key) !== null);
    }

    /** Whether it has to stay where it is, whatever happens to it elsewhere. */
    isHeld() {
        return !this.isActing && (this.element.contains(document.activeElement) || this.hasDraft());
    }

    /** What happened to it while it is held; null: nothing. */
    say(text) {
        const draft = this.isGone && text ? this.draftKeys().find(key => kept(key) !== null) : null;
        this.element.classList.toggle("is-gone", Boolean(this.isGone));
        this.note.hidden = !text;
        if (this.note.dataset.text === text)
            return;
        this.note.dataset.text = text ?? "";
        this.note.replaceChildren(text ?? "", draft ? button("Send as a new comment", () => this.hooks.resend(draft)) : "");
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

    said({ id, content }) {
        return this.editing.get(id) ?? el("p.said", null, content);
    }

    facts({ id, author, createdAt, editedAt }, isRoot) {
        const canChange = this.isOpen && isOwn(author) && !this.editing.has(id);
        return facts(el("b", null, author), when(createdAt), editedAt && el("span", { title: new Date(editedAt).toLocaleString() }, "edited"),
            canChange && button("Edit", () => this.edit(id), { class: "small", "data-key": `edit-${id}`, "aria-label": isRoot ? "Edit comment" : "Edit reply" }),
            canChange && !isRoot && this.deleteButton(id, "Delete reply"));
    }

    draw() {
        const { data } = this, active = this.body.contains(document.activeElement) ? document.activeElement : null;
        const replies = data.replies.map(reply => el("div.reply", null, this.facts(reply, false), this.said(reply)));
        refill(this.body,
            el("div.top", null, button(this.where, () => this.fold(), {
                class: "where", "aria-expanded": String(this.isOpen), "data-key": `where-${this.id}`,
                title: "Show its place and what can be done",
            }), badge(data.status)),
            quote(data.anchor), this.facts(data, true), this.said(data), replies);
        if (active?.isConnected && active !== document.activeElement)
            active.focus({ preventScroll: true }); // its box was moved
        if (this.toggle)
            this.toggle.textContent = data.status === "resolved" ? "Reopen" : "Resolve";
    }

    /** The words of a comment of one's own become a box. */
    edit(id) {
        const comment = [this.data, ...this.data.replies].find(each => each.id === id);
        if (!comment || this.editing.has(id))
            return;
        const stop = () => {
            this.editing.delete(id);
            this.draw();
            this.body.querySelector(`[data-key="edit-${id}"]`)?.focus({ preventScroll: true });
        };
        const { box, element } = composer({
            key: `edited.${id}`, more: this.draftOf(), initial: comment.content, label: "Edit comment", action: "Save comment", close: stop,
            submit: async content => {
                await send("PATCH", `annotations/${id}`, { content });
                announce("Comment changed");
                this.hooks.changed();
            },
        });
        this.editing.set(id, element);
        this.draw();
        box.focus();
    }

    /** What a draft needs to outlive the thread. */
    draftOf() {
        return { docId: this.docId, anchor: this.data.anchor };
    }

    /** The card itself, not what can be pressed on it. */
    onClick(event) {
        if (event.target.closest("button, a, textarea, input, summary") || !getSelection().isCollapsed)
            return;
        if (!this.isOpen)
            this.open();
        this.goTo();
    }

    goTo() {
        if (this.data.line)
            this.hooks.goTo(this.data);
    }

    fold() {
        if (this.isOpen)
            this.close();
        else
            this.open();
        if (this.isOpen)
            this.goTo();
    }

    open() {
        this.isOpen = true;
        this.actions ??= this.makeActions();
        this.element.append(this.actions);
        this.draw();
        for (const id of [this.id, ...this.data.replies.map(reply => reply.id)])
            if (kept(`edited.${id}`))
                this.edit(id);
    }

    close() {
        this.isOpen = false;
        this.actions.remove();
        this.draw();
    }

    async act(work) {
        this.problem.hidden = true;
        this.isActing = true; // it may go where it belongs now
        try {
            await work();
            this.hooks.changed();
        } catch (error) {
            this.isActing = false;
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
            key: `reply.${this.id}`, more: this.draftOf(), label: "Reply", action: "Reply",
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
    ["Open", each => !each.orphaned && each.status === "open", "Select text, or press c on a line or a block, to comment."],
    ["Resolved", each => !each.orphaned && each.status === "resolved", "Nothing is resolved yet."],
    ["Orphaned", each => each.orphaned, "Every comment still has its place."],
];

export class Threads {
    /** `hooks`: changed(), goTo(annotation), placeOf(anchor) → a number that grows through the document. */
    constructor(docId, runId, hooks) {
        this.docId = docId;
        this.runId = runId;
        this.hooks = hooks;
        this.threadHooks = {
            changed: hooks.changed, goTo: hooks.goTo, resend: key => this.resend(key), left: () => this.show(this.annotations),
        };
        this.threads = new Map();
        this.annotations = [];
        this.changers = new Map(); // id of an annotation → who resolved or reopened it
        this.composing = el("div");
        this.unsent = el("div");
        this.groups = GROUPS.map(([name, holds, text]) => {
            const title = el("summary"), list = el("div");
            return { name, holds, title, list, empty: empty(text), element: el("details", { open: name !== "Resolved" }, title, list) };
        });
        this.element = el("section.threads", { "aria-label": "Comments" }, el("h2", null, "Comments"), this.composing, this.unsent,
                          this.groups.map(group => group.element));
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

    /** What was written for a thread that is gone becomes a new comment at its place. */
    resend(key) {
        const { anchor = null, text } = kept(key);
        keep(key, null);
        keep(`comment.${this.docId}.${nameOf(anchor)}`, { anchor, text });
        this.compose(anchor);
        this.show(this.annotations);
    }

    /** Comments that were begun and not sent; they may be of before the page was loaded. */
    showUnsent() {
        const drafts = keptUnder(`comment.${this.docId}.`).filter(([key]) => key !== this.composingKey);
        const known = new Set([...this.threads.values()].flatMap(thread => thread.draftKeys()));
        const lost = [...keptUnder("reply."), ...keptUnder("edited.")].filter(([key, draft]) => draft.docId === this.docId && !known.has(key));
        const item = ([key, { anchor, text }], goOn) => el("div.thread.new", { "data-draft": key }, quote(anchor), el("p.said", null, text),
            el("div.row", null, goOn, sureButton("Throw away", "Throw away for good?", () => {
                keep(key, null);
                this.showUnsent();
            }, { class: "danger" })));
        refill(this.unsent, drafts.length + lost.length > 0 &&
            el("section.unsent", { "aria-label": "Not sent" }, el("h3", null, "Not sent"),
                drafts.map(each => item(each, button("Continue", () => this.compose(each[1].anchor)))),
                lost.map(each => item(each, button("Send as a new comment", () => this.resend(each[0]))))));
    }

    /** Takes over `annotations`; what others did since the last time, as sentences that end with a place. */
    show(annotations) {
        const active = document.activeElement, isFirst = !this.wasShown;
        const news = isFirst ? [] : annotations.flatMap(data => this.newsOf(data));
        this.annotations = annotations;
        this.wasShown = true;
        for (const data of annotations) {
            if (!this.threads.has(data.id))
                this.threads.set(data.id, new Thread(data.id, this.docId, this.threadHooks));
            this.place(this.threads.get(data.id), data);
        }
        const ids = new Set(annotations.map(data => data.id));
        for (const [id, thread] of this.threads)
            if (!ids.has(id) && !this.dropOrHold(thread, news))
                this.threads.delete(id);
        this.arrangeGroups();
        if (isFirst)
            for (const thread of this.threads.values())
                if (thread.hasDraft())
                    thread.open();
        this.showUnsent();
        if (active?.isConnected && active !== document.activeElement) { // its thread has gone to another group
            active.focus();
            if (document.activeElement !== active)
                active.closest("details")?.querySelector("summary").focus();
        }
        return news;
    }

    /** In its group; one that is held stays in the group where it is, and says why it does not belong there any more. */
    place(thread, data) {
        const group = this.groups.find(each => each.holds(data));
        if (thread.group && thread.group !== group && thread.isHeld()) {
            const who = this.changers.get(data.id);
            const what = data.orphaned ? "Its text is gone from the file"
                : thread.group.name === "Orphaned" ? "Its text is in the file again" : data.status === "resolved" ? "Resolved" : "Reopened";
            const by = what.endsWith("ed") ? ` by ${who ?? "somebody else"}` : "";
            thread.say(`${what}${by}.`);
        } else {
            thread.group = group;
            thread.say(null);
        }
        if (thread.data?.status !== data.status)
            thread.isActing = false;
        thread.update(data);
    }

    /** False when the thread, which is no more, may go. */
    dropOrHold(thread, news) {
        if (!thread.isGone && !thread.isActing)
            news.push(`A comment was deleted on ${placeName(thread.data)}`);
        thread.isGone = true;
        if (!thread.isHeld())
            return false;
        thread.say(thread.hasDraft() ? "Deleted elsewhere. Your draft is kept." : "Deleted elsewhere.");
        return true;
    }

    newsOf(data) {
        const thread = this.threads.get(data.id), place = placeName(data);
        const whose = isOwn(data.author) ? "your comment" : "a comment";
        if (!thread)
            return isOwn(data.author) ? [] : [`${byWhom(data.author)} commented on ${place}`];
        const before = thread.data, seen = new Set(before.replies.map(reply => reply.id));
        const replies = data.replies.filter(reply => !seen.has(reply.id) && !isOwn(reply.author));
        const news = replies.map(reply => `${byWhom(reply.author)} replied to ${whose} on ${place}`);
        if (before.status !== data.status && !thread.isActing)
            news.push(`${byWhom(this.changers.get(data.id) ?? "user")} ${data.status === "resolved" ? "resolved" : "reopened"} ${whose} on ${place}`);
        return news;
    }

    arrangeGroups() {
        const at = ({ anchor }) => anchor ? this.hooks.placeOf(anchor) : -1;
        for (const group of this.groups) {
            const those = [...this.threads.values()].filter(thread => thread.group === group)
                .sort((a, b) => at(a.data) - at(b.data) || a.id - b.id);
            group.title.textContent = `${group.name} (${this.annotations.filter(group.holds).length})`;
            arrange(group.list, those.length ? those.map(thread => thread.element) : [group.empty]);
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
