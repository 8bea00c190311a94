// All runs, newest activity first, with filters.
import { follow, get } from "./api.js";
import { announce, badge, button, count, el, empty, facts, refill, show, soon, trail, when } from "./dom.js";

const STATUSES = ["not_started", "running", "waiting", "completed", "failed", "cancelled", "abandoned", "inactive"];

function item(run) {
    return el("li.run", null,
        el("div.top", null,
            el("a", { href: `/runs/${encodeURIComponent(run.id)}`, "data-key": run.id }, run.name || run.featureId || run.id),
            badge(run.status),
            run.openAnnotations > 0 && el("span.pill", null, count(run.openAnnotations, "open comment", "open comments"))),
        facts(run.workflow, run.currentStep && `at ${run.currentStep}`, when(run.updatedAt),
              run.projectPath && el("span.path", null, run.projectPath)));
}

class RunList {
    constructor() {
        const given = new URLSearchParams(location.search);
        const reload = soon(() => this.load(1), 150);
        this.status = el("select", { onchange: reload }, el("option", { value: "" }, "any"),
                         STATUSES.map(each => el("option", { value: each }, each.replace(/_/g, " "))));
        this.status.value = STATUSES.includes(given.get("status")) ? given.get("status") : "";
        const field = (name, more) => el("input", { type: "search", value: given.get(name) ?? "", oninput: reload, ...more });
        this.project = field("project", { placeholder: "/path/of/project", list: "projects" });
        this.text = field("q", { placeholder: "name, workflow, feature" });
        this.projects = el("datalist", { id: "projects" });
        this.list = el("ul.runs");
        this.below = el("div.row");
        this.pages = 1;
    }

    /** The filters that are set. */
    query() {
        const query = new URLSearchParams();
        for (const [name, field] of [["status", this.status], ["project", this.project], ["q", this.text]])
            if (field.value.trim())
                query.set(name, field.value.trim());
        return query;
    }

    async load(pages) {
        const query = this.query();
        history.replaceState(null, "", `/${query.size ? `?${query}` : ""}`);
        const hasFilters = query.size > 0, runs = [];
        let cursor = null;
        for (let page = 0; page === 0 || (page < pages && cursor); page++) {
            const answer = await get(`runs?${query}`);
            runs.push(...answer.runs);
            cursor = answer.nextCursor;
            query.set("cursor", cursor);
        }
        this.pages = pages;
        refill(this.list, runs.length ? runs.map(item) : el("li", null, empty(hasFilters ? "No run fits these filters."
            : "Runs appear here when an agent emits its first event.")));
        refill(this.below, cursor && button("Show more", () => this.load(this.pages + 1), { "data-key": "more" }));
        const known = new Set([...this.projects.children].map(option => option.value));
        for (const path of new Set(runs.map(run => run.projectPath)))
            if (path && !known.has(path))
                this.projects.append(el("option", { value: path }));
    }
}

export async function showRuns() {
    const page = new RunList();
    trail();
    show(el("h1", null, "Runs"),
        el("form.filters", { role: "search", onsubmit: event => event.preventDefault() },
            el("label", null, "Status", page.status), el("label", null, "Project", page.project), page.projects,
            el("label.grows", null, "Search", page.text)),
        page.list, page.below);
    await page.load(1);
    const refresh = soon(() => page.load(page.pages), 150);
    follow(null, type => {
        refresh();
        if (type === "run" || type === "event")
            announce("The list of runs has changed");
    });
}
