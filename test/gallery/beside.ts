import { escapeHtml } from "../support/html.ts";

/** A sample's place in a page of the gallery. */
const ANCHOR = /<section class="sample" id="([a-z\d-]+)">\n<h2><a href="#[a-z\d-]+">(.*)<\/a>/gu;

/**
 * One HTML page with two pages of the gallery next to each other, each in a frame of its own so that neither's styles
 * reach the other: an entry of the index brings both to the same sample.
 */
export function besidePage(before: string, after: string): string {
  const [old, fresh] = [anchorsOf(before), anchorsOf(after)];
  const items = [...new Map([...old, ...fresh])].map(([id, title]) => {
    const only = old.has(id) ? (fresh.has(id) ? "" : " (only before)") : " (only after)";
    return `<li><a href="#${id}">${title}</a>${only}</li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Bellwether: replies and alerts, before and after</title>
<style>
body { display: grid; grid-template-columns: 14rem 1fr 1fr; height: 100vh; margin: 0; font: 13px/1.5 sans-serif; }
nav { overflow-y: auto; padding: 0 0.8rem; }
ul { padding: 0; list-style: none; overflow-wrap: anywhere; }
iframe { width: 100%; height: 100%; border: 0; border-left: 1px solid #999; }
</style>
</head>
<body>
<nav>
<p><strong>Before</strong> (left) and <strong>after</strong> (right)</p>
<ul>
${items.join("\n")}
</ul>
</nav>
<iframe title="Before" srcdoc="${escapeHtml(before)}"></iframe>
<iframe title="After" srcdoc="${escapeHtml(after)}"></iframe>
<script>
const frames = [...document.querySelectorAll("iframe")];
const show = () => {
  for (const { contentDocument } of frames) contentDocument.getElementById(location.hash.slice(1))?.scrollIntoView();
};
addEventListener("hashchange", show);
addEventListener("load", () => {
  for (const { contentDocument } of frames) contentDocument.body.classList.add("beside");
  show();
});
</script>
</body>
</html>
`;
}

function anchorsOf(page: string): ReadonlyMap<string, string> {
  return new Map([...page.matchAll(ANCHOR)].map(([, id = "", title = ""]) => [id, title]));
}
