// Showing much a piece at a time: the first is seen at once, and the page answers while the rest comes.

const SLICE_MS = 30; // of work until the browser gets a turn
const EMPTY_ELEMENTS = new Set(["br", "hr", "img", "input"]);

/**
 * Pieces of HTML of about `size` characters, each of whole elements of the first level. Only for HTML that closes what it opens and
 * escapes every < and > of texts and attributes, as the server's does.
 */
export function* piecesOf(html, size) {
    const tag = /<(\/?)([a-z][a-z0-9]*)[^>]*>/g;
    let depth = 0, start = 0;
    while (start + size < html.length) {
        const found = tag.exec(html);
        if (!found)
            break;
        if (found[1])
            depth--;
        else if (!EMPTY_ELEMENTS.has(found[2]))
            depth++;
        if (depth === 0 && tag.lastIndex - start >= size) {
            yield html.slice(start, tag.lastIndex);
            start = tag.lastIndex;
        }
    }
    if (start < html.length)
        yield html.slice(start);
}

/** Calls work(piece) for each, as long as isWanted(). The first piece is painted before the others are looked at. */
export async function inSlices(pieces, work, isWanted) {
    let end = 0;
    for (const piece of pieces) {
        if (end > 0 && performance.now() >= end) {
            await new Promise(resolve => setTimeout(resolve));
            end = performance.now() + SLICE_MS;
        }
        if (!isWanted())
            return;
        work(piece);
        end ||= performance.now();
    }
}
