// Inside the sandboxed frame in which mermaid draws: gets a diagram's text, answers with its SVG. It has no token, no origin, no network.
(() => {
    let turn = Promise.resolve(), count = 0;
    const draw = async ({ text, isDark }) => {
        mermaid.initialize({
            startOnLoad: false, securityLevel: "strict", theme: isDark ? "dark" : "default", htmlLabels: false,
            flowchart: { htmlLabels: false }, class: { htmlLabels: false }, fontFamily: "system-ui, sans-serif", maxTextSize: 50000,
            secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "htmlLabels", "flowchart", "class", "themeCSS"],
        });
        const { svg } = await mermaid.render(`drawing${++count}`, text);
        const holder = document.createElement("div");
        holder.innerHTML = svg;
        const picture = holder.querySelector("svg");
        const [, , width, height] = (picture.getAttribute("viewBox") ?? "").split(/[\s,]+/).map(Number);
        if (width && height) {
            picture.setAttribute("width", Math.ceil(width));
            picture.setAttribute("height", Math.ceil(height));
        }
        return new XMLSerializer().serializeToString(picture);
    };
    addEventListener("message", ({ data, source }) => {
        if (source !== parent)
            return;
        turn = turn.then(() => draw(data)).then(svg => parent.postMessage({ id: data.id, svg }, "*"),
                                                error => parent.postMessage({ id: data.id, error: String(error?.message ?? error) }, "*"));
    });
    parent.postMessage({ ready: typeof mermaid === "object" || typeof mermaid === "function" }, "*");
})();
