// What a run waits for, and the box in which a person answers.
import { send } from "./api.js";
import { composer } from "./composer.js";
import { announce, button, el, facts, when } from "./dom.js";

const asText = value => typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

export class Waiting {
    /** `changed` is called when an answer was sent. */
    constructor(runId, changed) {
        this.runId = runId;
        this.changed = changed;
        this.element = el("div");
    }

    /** `waiting` is that of the run, or null. What is being written stays as long as the question does. */
    update(waiting) {
        const text = JSON.stringify(waiting);
        if (text === this.shownText)
            return;
        this.shownText = text;
        this.element.replaceChildren(...waiting ? [this.section(waiting)] : []);
    }

    section({ eventId, prompt, context, answer }) {
        const box = composer({
            key: `answer.${this.runId}.${eventId}`, label: "Answer", action: "Answer",
            submit: async content => {
                await send("POST", `runs/${encodeURIComponent(this.runId)}/answer`, { eventId, content });
                announce("Answered");
                this.changed();
            },
        });
        const again = button("Answer again", () => {
            again.replaceWith(box.element);
            box.box.focus();
        });
        return el("section.waiting", { "aria-label": "The run waits for you" },
            el("h2", null, "The run waits for you"), el("p.said", null, asText(prompt)),
            context && el("p.said", null, asText(context)),
            answer && [el("blockquote", null, answer.content),
                facts("Answered, the agent has not gone on yet.", when(answer.createdAt))],
            answer && !box.box.value ? again : box.element);
    }
}
