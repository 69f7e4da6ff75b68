// Run after `npm ci` and `npm install`, through bin/run.mjs: joins the program's modules and those of its packages into
// few files, because finding and compiling hundreds of small ones is a third of every start. bin/run.mjs takes the
// bundle as long as no source differs from what was bundled, else the sources themselves.
import { statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { rolldown } from "rolldown";

import { BUNDLE, ENTRY, MANIFEST, ROOT } from "./bundle-files.mjs";

const bundle = await rolldown({
  input: path.join(ROOT, ENTRY),
  platform: "node",
  // Packages that a start without a platform does not load, and those that look for their own files.
  external: [
    "discord.js",
    "@discordjs/ws",
    "@slack/bolt",
    "@slack/web-api",
    "pino-pretty",
    "pg",
    "prom-client",
    "@resvg/resvg-js",
  ],
  plugins: [
    {
      name: "source-url",
      // A module finds files beside itself, not beside the bundle.
      transform(code, id) {
        if (!code.includes("import.meta.url") || id.includes("node_modules")) return null;
        const fromBundle = path.relative(BUNDLE, id).split(path.sep).join("/");
        return code.replaceAll("import.meta.url", `new URL(${JSON.stringify(fromBundle)}, import.meta.url).href`);
      },
    },
  ],
});
const { output } = await bundle.write({
  dir: BUNDLE,
  // Node loads CommonJS in fewer steps: it links nothing, and looks at no export of its own modules beforehand.
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "[name]-[hash].cjs",
  // What the entry shares with others, since it runs where it is loaded.
  codeSplitting: { groups: [{ name: "entry", tags: ["$initial"], test: (id) => !id.endsWith(path.normalize(ENTRY)) }] },
  cleanDir: true,
});

const sources = new Set(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
const sizes = [...sources]
  .filter((id) => id.startsWith(ROOT) && !id.includes("node_modules"))
  .map((id) => {
    const { mtimeMs, size } = statSync(id);
    return [path.relative(ROOT, id), mtimeMs, size];
  });
await writeFile(MANIFEST, JSON.stringify(sizes));

// Fills the compile cache. The entry would run.
const chunks = output.filter((file) => file.type === "chunk" && !file.isEntry);
await Promise.allSettled(chunks.map(({ fileName }) => import(pathToFileURL(path.join(BUNDLE, fileName)).href)));
// Some of them hold timers.
process.exit();
