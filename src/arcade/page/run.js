// One run: its steps, its artifacts, what it waits for, its events.
import { follow, get } from "./api.js";
import { badge, button, count, el, empty, facts, refill, show, soon, tell, trail, when } from "./dom.js";
import { Waiting } from "./waiting.js";

const asText = value => typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);

function steps(list) {
    const items = list.map(step => el(`li.step.is-${step.status ?? "not_started"}`, null,
        el("span", null, step.label || step.id), badge(step.status ?? "not_started"),
        Object.entries(step.units ?? {}).map(([unit, status]) => el("span.unit", null, unit, badge(status)))));
    return items.length ? el("ol.steps", null, items) : empty("This workflow has no steps.");
}

function artifacts(runId, list, open) {
    if (!list.length)
        return empty("Artifacts appear here when the agent registers files.");
    const address = each => `/runs/${encodeURIComponent(runId)}/artifact/${encodeURIComponent(each.docId)}`;
    return el("ul.artifacts", null, list.map(each => el("li", null,
        el("div.top", null,
            el("a", { href: address(each), "data-key": each.docId }, each.path),
            open.has(each.docId) && el("span.pill", null, count(open.get(each.docId), "open comment", "open comments"))),
        facts(each.type, each.step && `step ${each.step}`, each.feature && `feature ${each.feature}`, when(each.createdAt)))));
}

function eventItem({ data, type, step, unit, createdAt }) {
    const { status, message, prompt, path, subflowName, content } = data ?? {};
    return el("li", null, when(createdAt), el("span.kind", null, type.replace(/_/g, " ")),
        step && el("span", null, step), unit && el("span.unit", null, unit), status && badge(asText(status)),
        el("span.said", null, asText(message ?? prompt ?? path ?? subflowName ?? content)));
}

/** What has happened to a run, as sentences; `before` may be undefined. */
export function runNews(before, run) {
    const name = `Run ${run.name || run.featureId || run.id}`, news = [];
    if (before && before.currentStep !== run.currentStep && run.currentStep)
        news.push(`${name} moved to ${run.currentStep}`);
    if (before && before.status !== run.status)
        news.push(run.status === "waiting" ? `${name} waits for you` : `${name} is ${run.status.replace(/_/g, " ")}`);
    return news;
}

class RunPage {
    constructor(runId) {
        this.runId = runId;
        this.path = `runs/${encodeURIComponent(runId)}`;
        this.head = el("div");
        this.waiting = new Waiting(runId, () => this.load());
        this.steps = el("section", { "aria-label": "Steps" });
        this.artifacts = el("section", { "aria-label": "Artifacts" });
        this.log = el("ol.events");
        this.more = el("div.row");
        this.last = 0; // of the events that are shown
    }

    async load() {
        const [{ run, steps: list, artifacts: files, waiting }, { annotations }] =
            await Promise.all([get(this.path), get(`annotations?runId=${encodeURIComponent(this.runId)}&status=open`)]);
        const name = run.name || run.featureId || run.id, open = new Map();
        for (const { docId } of annotations)
            open.set(docId, (open.get(docId) ?? 0) + 1);
        trail([name]);
        refill(this.head, el("div.top", null, el("h1", null, name), badge(run.status)),
            facts(run.workflow, run.featureId && `feature ${run.featureId}`, run.harness, when(run.updatedAt),
                  run.projectPath && el("span.path", null, run.projectPath)));
        this.waiting.update(waiting);
        for (const each of runNews(this.run, run))
            tell(each);
        this.run = run;
        refill(this.steps, el("h2", null, "Steps"), steps(list));
        refill(this.artifacts, el("h2", null, "Artifacts"), artifacts(this.runId, files, open));
    }

    async loadEvents() {
        const { events, nextAfter } = await get(`${this.path}/events?after=${this.last}`);
        this.log.append(...events.map(eventItem));
        this.last = events.at(-1)?.id ?? this.last;
        refill(this.more, nextAfter && button("Show more", this.refreshEvents, { "data-key": "more" }));
    }

    async start() {
        const refresh = soon(() => this.load());
        this.refreshEvents = soon(() => this.loadEvents());
        await Promise.all([this.load(), this.loadEvents()]);
        show(this.head, this.waiting.element, this.steps, this.artifacts,
            el("section", { "aria-label": "Events" }, el("h2", null, "Events"), this.log, this.more));
        follow(this.runId, (type, data) => {
            refresh();
            this.refreshEvents();
            if (type === "event" && data.type && !/^(status_change|waiting_for_user)$/.test(data.type))
                tell(`${this.run.name || this.runId}: new event ${data.type.replace(/_/g, " ")}`);
        });
    }
}

export async function showRun(runId) {
    await new RunPage(runId).start();
}
