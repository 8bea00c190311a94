// Editing an artifact: Save writes the file, Suggest leaves that to the agent. Nothing that was typed is lost: the text is
// kept in this tab until it is saved or thrown away, and when the file changed meanwhile both versions are shown.
import { getText, send } from "./api.js";
import { announce, button, el } from "./dom.js";
import { keep, kept } from "./drafts.js";

const asTyped = text => text.replace(/\r\n?/g, "\n"); // as a text area has it

function firstDifference(a, b) {
    const ours = a.split("\n"), theirs = b.split("\n");
    const index = ours.findIndex((line, at) => line !== theirs[at]);
    return (index < 0 ? ours.length : index) + 1;
}

export class Editor {
    /** `hooks`: done() when the editor is to be closed, compared() when both versions are shown. */
    constructor(docId, runId, hooks) {
        this.docId = docId;
        this.runId = runId;
        this.path = `artifacts/${encodeURIComponent(docId)}`;
        this.key = `edit.${docId}`;
        this.asideKey = `aside.${docId}`;
        this.hooks = hooks;
        this.problem = el("p.problem", { role: "alert", hidden: true });
        this.box = el("textarea.editor", { "aria-label": "Source", spellcheck: "false", oninput: () => this.keep() });
        this.theirs = el("div.theirs", { hidden: true });
        this.choice = el("div.row");
        this.aside = el("div");
        this.discard = button("Discard changes", () => this.throwAway(), { class: "danger", onblur: () => this.resetDiscard() });
        this.buttons = [button("Save", () => this.save(), { class: "primary", title: "Ctrl+S: writes the file" }),
            button("Suggest", () => this.suggest(), { title: "The file stays as it is; the agent gets your version as a suggestion" })];
        this.element = el("section.editing", { "aria-label": "Edit" },
            el("div.row.bar", null, this.buttons,
                button("Close", () => this.hooks.done(), { title: "What you typed is kept in this tab" }), this.discard),
            this.problem, this.choice, el("div.versions", null, el("div.yours", null, el("h3", null, "Yours"), this.box), this.theirs), this.aside);
        this.element.addEventListener("keydown", event => {
            if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                this.save();
            }
        });
    }

    hasKept() {
        return kept(this.key) !== null;
    }

    /** `text` is that of the file with the hash `sha256`; what was typed before on top of any version goes on. */
    open(text, sha256) {
        const before = kept(this.key);
        this.original = asTyped(text);
        this.sha256 = before?.sha256 ?? sha256;
        this.box.value = before?.text ?? this.original;
        this.hideTheirs();
        this.showAside();
        this.resetDiscard();
        this.say(!before ? null : before.sha256 === sha256 ? "This is what you had typed before."
            : "This is what you had typed before. The file has changed on disk since: Save shows both versions.");
        this.box.focus();
        this.box.setSelectionRange(0, 0);
    }

    keep() {
        const isChanged = this.box.value !== this.original;
        keep(this.key, isChanged ? { text: this.box.value, sha256: this.sha256 } : null);
        this.resetDiscard();
    }

    say(text) {
        this.problem.hidden = !text;
        this.problem.textContent = text ?? "";
    }

    resetDiscard() {
        this.discard.hidden = this.box.value === this.original;
        this.discard.textContent = "Discard changes";
        delete this.discard.dataset.isSure;
    }

    throwAway() {
        if (!this.discard.dataset.isSure) {
            this.discard.dataset.isSure = "yes";
            this.discard.textContent = "Discard for good?";
            return;
        }
        keep(this.key, null);
        this.hooks.done();
    }

    save() {
        return this.commit("Saved", () => send("PUT", `${this.path}/content`, { content: this.box.value, runId: this.runId },
                                               { "If-Match": `"${this.sha256}"` }));
    }

    suggest() {
        return this.commit("Suggested", () => send("POST", `${this.path}/suggestions`,
                                                   { baseSha256: this.sha256, content: this.box.value, runId: this.runId }));
    }

    async commit(word, work) {
        this.say(null);
        if (this.box.value === this.original)
            return this.say("Nothing has changed.");
        if (this.isBusy)
            return;
        this.isBusy = true;
        const sent = this.box.value;
        try {
            await work();
            announce(word);
            if (this.box.value !== sent) // typed on meanwhile: it goes on top of what was written
                return await this.rebase(word === "Saved" ? sent : this.original);
            keep(this.key, null);
            this.hooks.done();
        } catch (error) {
            if ("sha256" in error.details)
                await this.showTheirs(error.details.sha256);
            else
                this.say(error.message);
        } finally {
            this.isBusy = false;
        }
    }

    async rebase(original) {
        this.sha256 = (await getText(`${this.path}/content`)).sha256;
        this.original = original;
        this.keep();
    }

    // ---- the file changed on disk ---------------------------------------------

    async showTheirs(sha256) {
        if (sha256 === null)
            return this.say("The file is gone from disk. Nothing was written; your text is kept in this tab.");
        let theirs;
        try {
            theirs = await getText(`${this.path}/content`);
        } catch (error) {
            return this.say(`The file changed on disk, and cannot be read now: ${error.message}`);
        }
        const text = asTyped(theirs.text);
        const line = firstDifference(this.box.value, text);
        this.say(`The file changed on disk since you began. Nothing was written. The versions differ from line ${line} on.`);
        this.theirs.hidden = false;
        this.element.classList.add("has-conflict");
        this.hooks.compared();
        const box = el("textarea.editor", { "aria-label": "On disk", readonly: true, spellcheck: "false", value: text });
        this.theirs.replaceChildren(el("h3", null, "On disk"), box);
        this.choice.replaceChildren(button("Keep mine", () => this.keepMine(text, theirs.sha256), { class: "primary" }),
                                    button("Take theirs", () => this.takeTheirs(text, theirs.sha256)));
        box.scrollTop = this.box.scrollTop;
    }

    hideTheirs() {
        this.theirs.hidden = true;
        this.theirs.replaceChildren();
        this.choice.replaceChildren();
        this.element.classList.remove("has-conflict");
    }

    keepMine(text, sha256) {
        this.sha256 = sha256;
        this.original = text;
        this.keep();
        this.hideTheirs();
        this.say("Save now replaces the file with your version.");
        this.box.focus();
    }

    takeTheirs(text, sha256) {
        keep(this.asideKey, { text: this.box.value });
        this.sha256 = sha256;
        this.original = text;
        this.box.value = text;
        this.keep();
        this.hideTheirs();
        this.showAside();
        this.say("This is the file as it is now. Your version is kept below.");
        this.box.focus();
    }

    /** The version that was given up for the one on disk; it stays until it is thrown away. */
    showAside() {
        const mine = kept(this.asideKey);
        this.aside.replaceChildren(...mine ? [el("details.mine", null, el("summary", null, "Your version"),
            el("textarea", { "aria-label": "Your version", readonly: true, spellcheck: "false", value: mine.text, rows: "8" }),
            el("div.row", null,
                button("Put it back", () => {
                    keep(this.asideKey, this.box.value === this.original ? null : { text: this.box.value });
                    this.box.value = mine.text;
                    this.keep();
                    this.showAside();
                }),
                button("Throw away", () => {
                    keep(this.asideKey, null);
                    this.showAside();
                }, { class: "danger" })))] : []);
    }
}
