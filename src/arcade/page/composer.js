// A box in which something is written and sent, whose text is kept as it is typed; and a button that asks once.
import { button, el } from "./dom.js";
import { keep, kept } from "./drafts.js";

/**
 * A text area with buttons, whose text is kept under `key` with what is in `more`; `initial` is what it begins with.
 * Ctrl+Enter sends, Escape closes.
 */
export function composer({ key, more, initial = "", label, action, submit, close, buttons }) {
    const problem = el("p.problem", { role: "alert", hidden: true });
    const box = el("textarea", { "aria-label": label, rows: "3", value: kept(key)?.text ?? initial, placeholder: `${label}…` });
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
    box.addEventListener("input", () => keep(key, box.value.trim() && box.value !== initial ? { ...more, text: box.value } : null));
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
export function sureButton(text, question, work, attributes) {
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
