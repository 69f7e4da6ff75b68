import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { chromiumPath } from "../support/browser.ts";
import { besidePage } from "./beside.ts";
import { takeConsole } from "./console-pictures.ts";
import { drawSample, type DrawnSample } from "./draw.ts";
import { galleryPage } from "./page.ts";
import { takeBest, takePictures } from "./pictures.ts";
import { samples } from "./samples.ts";
import { drawnScenes, drawnViews } from "./views.ts";

// `npm run gallery`: one HTML page with every sample reply and alert on all four surfaces, in `gallery.html` or
// `-- --out FILE`. `--beside OTHER` puts an earlier page next to it, `--pictures FOLDER` takes a screenshot of each
// sample with Chromium, `--best FOLDER` those of the README and docs/, `--only WORD` keeps the samples whose name holds
// this word.

// Discord, Slack and browsers show times in the reader's zone; the page is the same everywhere.
process.env["TZ"] = "UTC";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "gallery.html" },
    beside: { type: "string" },
    pictures: { type: "string" },
    best: { type: "string" },
    only: { type: "string", default: "" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log("npm run gallery -- [--out FILE] [--beside OTHER] [--pictures FOLDER] [--best FOLDER] [--only WORD]");
  process.exit(0);
}

// Said before the samples are made, which takes a while.
const faults = [
  values.beside !== undefined && !existsSync(values.beside) ? `There is no ${values.beside} to put beside it.` : "",
  (values.pictures ?? values.best) !== undefined && chromiumPath === undefined
    ? "Without a Chromium there are no pictures."
    : "",
].filter((fault) => fault !== "");
if (faults.length > 0) {
  console.error(faults.join("\n"));
  process.exit(1);
}

const drawn: DrawnSample[] = [];
for await (const sample of samples()) if (sample.id.includes(values.only)) drawn.push(drawSample(sample));
drawn.push(...[...(await drawnViews()), ...drawnScenes()].filter(({ id }) => id.includes(values.only)));
const page = galleryPage(drawn);
const whole = values.beside === undefined ? page : besidePage(readFileSync(values.beside, "utf8"), page);
writeFileSync(values.out, whole);
console.log(`${values.out}: ${drawn.length} samples, ${(whole.length / 1e6).toFixed(1)} MB.`);

if (values.pictures !== undefined) {
  console.log(`${values.pictures}: ${await takePictures(drawn, values.pictures)} pictures.`);
}
if (values.best !== undefined) {
  const count = (await takeBest(drawn, values.best)) + (await takeConsole(values.best));
  console.log(`${values.best}: ${count} pictures.`);
}
