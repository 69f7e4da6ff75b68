import { readFileSync } from "node:fs";
import path from "node:path";

import { escapeHtml } from "../support/html.ts";
import { type Drawing, type DrawnSample, SCREENS, type Screen } from "./draw.ts";
import { type Surface, SURFACES } from "./samples.ts";

const PUBLIC = path.resolve(import.meta.dirname, "../../src/adapters/web/public");
/** The console's own sheets, in the order in which its page loads them. */
const SHEETS = [
  "base.css",
  "reply/reply.css",
  "reply/reply-copy.css",
  "reply/reply-table.css",
  "preview/preview.css",
  "../../discord/page/page.css",
  "../../slack/page/page.css",
];
const NAMES: Readonly<Record<Surface, string>> = {
  discord: "Discord",
  slack: "Slack",
  web: "Console",
  terminal: "Terminal",
};
const THEMES = ["system", "light", "dark"];

/** One HTML page that needs no other file, no network and no script. */
export function galleryPage(samples: readonly DrawnSample[]): string {
  const groups = [...Map.groupBy(samples, ({ group }) => group)];
  const screens = Object.keys(SCREENS) as Screen[];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bellwether: every reply and alert</title>
<style>
${styles()}
${[...SURFACES, ...screens].map((name) => `body:has(#show-${name}:not(:checked)) .${name}-screen { display: none; }`).join("\n")}
</style>
</head>
<body class="gallery">
<header class="gallery-bar">
<h1>Every reply and alert</h1>
<fieldset><legend>Theme</legend>${THEMES.map((theme) => input("radio", `theme-${theme}`, theme, theme === "system")).join("")}</fieldset>
<fieldset><legend>Surfaces</legend>${SURFACES.map((surface) => input("checkbox", `show-${surface}`, NAMES[surface], true)).join("")}</fieldset>
<fieldset><legend>Screens</legend>${screens.map((screen) => input("checkbox", `show-${screen}`, screen, true)).join("")}</fieldset>
</header>
<nav class="gallery-index" aria-label="Samples">
<details open><summary>${samples.length} ${samples.length === 1 ? "sample" : "samples"}</summary>
${groups.map(([group, members]) => indexOf(group, members)).join("\n")}
</details>
</nav>
<main class="samples">
${samples.map(sectionOf).join("\n")}
</main>
</body>
</html>
`;
}

function input(type: string, id: string, label: string, isChecked: boolean): string {
  return `<label><input type="${type}" name="${type === "radio" ? "theme" : id}" id="${id}"${isChecked ? " checked" : ""}> ${label}</label>`;
}

function indexOf(group: string, samples: readonly DrawnSample[]): string {
  const items = samples.map(({ id, title }) => `<li><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<h2>${group}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}

function sectionOf({ id, title, drawings }: DrawnSample): string {
  const rows = Map.groupBy(drawings, ({ screen }) => screen);
  return `<section class="sample" id="${id}">
<h2><a href="#${id}">${escapeHtml(title)}</a></h2>
${[...rows.values()].map((row) => `<div class="screens">\n${row.map(screenOf).join("\n")}\n</div>`).join("\n")}
</section>`;
}

function screenOf({ surface, screen, html }: Drawing): string {
  const { pixels, columns } = SCREENS[screen];
  const size = surface === "terminal" ? `${columns} columns` : `${pixels} px`;
  return `<figure class="${surface}-screen ${screen}-screen"><figcaption>${NAMES[surface]}, ${size}</figcaption><div class="screen ${screen}" style="width: ${pixels}px">${html}</div></figure>`;
}

function styles(): string {
  const own = SHEETS.map((sheet) => readFileSync(path.join(PUBLIC, sheet), "utf8"))
    .join("\n")
    .replaceAll("@media (width", "@container screen (width");
  return `${own}\n${readFileSync(path.join(import.meta.dirname, "gallery.css"), "utf8")}`;
}
