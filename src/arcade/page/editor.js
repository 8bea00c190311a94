// Editing an artifact: Save writes the file, Suggest leaves that to the agent. Nothing that was typed is lost: the text is
// kept in this tab until it is saved or thrown away. What others changed meanwhile is merged in by the server, over the text
// that was opened; when both changed the same lines, both versions are shown.
import { getText, send, sha256Of } from "./api.js";
import { announce, button, el } from "./dom.js";
import { keep, kept } from "./drafts.js";

const asTyped = text => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n"); // as a text area has it

/** [[9, 12], [40, 40]] → "lines 9–12, 40" */
export function linesText(ranges) {
    const parts = ranges.map(([first, last]) => first === last ? `${first}` : `${first}–${last}`);
    return `${ranges.length === 1 && ranges[0][0] === ranges[0][1] ? "line" : "lines"} ${parts.join(", ")}`;
}

export class Editor {
    /** `hooks`: done(what there is to say, or null) when the editor is to be closed, compared() when both versions are shown. */
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
                button("Close", () => this.hooks.done(null), { title: "What you typed is kept in this tab" }), this.discard),
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

    /** `text` is that of the file; what was typed before on top of any version goes on. */
    open(text) {
        const before = kept(this.key);
        this.rebase(before?.base ?? text);
        this.box.value = before?.text ?? this.original;
        this.hideTheirs();
        this.showAside();
        this.resetDiscard();
        this.say(!before ? null : this.base === text ? "This is what you had typed before."
            : "This is what you had typed before. The file has changed on disk since: Save merges both.");
        this.box.setSelectionRange(0, 0);
        this.box.focus({ preventScroll: true });
        this.box.scrollTop = 0;
        scrollTo({ top: 0 });
    }

    /** From now on the text is a change of `base`. */
    rebase(base) {
        this.base = base;
        this.original = asTyped(base);
    }

    keep() {
        const isChanged = this.box.value !== this.original;
        keep(this.key, isChanged ? { text: this.box.value, base: this.base } : null);
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
        this.hooks.done(null);
    }

    body() {
        return { base: this.base, content: this.box.value, runId: this.runId };
    }

    save() {
        return this.commit("Saved", async () => send("PUT", `${this.path}/content`, this.body(),
                                                     { "If-Match": `"${await sha256Of(this.base)}"` }));
    }

    suggest() {
        return this.commit("Suggested", () => send("POST", `${this.path}/suggestions`, this.body()));
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
            const { merged, fromElsewhere } = await work();
            announce(word);
            const elsewhere = merged && fromElsewhere.length ? `${linesText(fromElsewhere)} came from elsewhere` : null;
            if (this.box.value !== sent) { // typed on meanwhile: it goes on top of what was written
                this.rebase(word === "Saved" ? sent : this.base);
                this.keep();
                return this.say(elsewhere ? `Saved; in the file ${elsewhere}.` : null);
            }
            keep(this.key, null);
            this.hooks.done(elsewhere ? `The file had changed meanwhile. Both changes are saved; ${elsewhere}.` : null);
        } catch (error) {
            if ("sha256" in error.details)
                await this.showTheirs(error.details);
            else
                this.say(error.message);
        } finally {
            this.isBusy = false;
        }
    }

    // ---- the file changed on disk in the same lines ----------------------------

    async showTheirs({ sha256, conflicts }) {
        if (sha256 === null)
            return this.say("The file is gone from disk. Nothing was written; your text is kept in this tab.");
        let theirs;
        try {
            theirs = await getText(`${this.path}/content`);
        } catch (error) {
            return this.say(`The file changed on disk, and cannot be read now: ${error.message}`);
        }
        const text = asTyped(theirs.text);
        const where = conflicts?.length ? ` in ${linesText(conflicts)}, which you changed, too` : "";
        this.say(`The file changed on disk since you began${where}. Nothing was written.`);
        this.theirs.hidden = false;
        this.element.classList.add("has-conflict");
        this.hooks.compared();
        const box = el("textarea.editor", { "aria-label": "On disk", readonly: true, spellcheck: "false", value: text });
        this.theirs.replaceChildren(el("h3", null, "On disk"), box);
        this.choice.replaceChildren(button("Keep mine", () => this.keepMine(theirs.text), { class: "primary" }),
                                    button("Take theirs", () => this.takeTheirs(theirs.text)));
        box.scrollTop = this.box.scrollTop;
    }

    hideTheirs() {
        this.theirs.hidden = true;
        this.theirs.replaceChildren();
        this.choice.replaceChildren();
        this.element.classList.remove("has-conflict");
    }

    keepMine(theirs) {
        this.rebase(theirs);
        this.keep();
        this.hideTheirs();
        this.say("Save now replaces the file with your version.");
        this.box.focus();
    }

    takeTheirs(theirs) {
        keep(this.asideKey, { text: this.box.value });
        this.rebase(theirs);
        this.box.value = this.original;
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
