import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

// Makes block-schema.json beside this file: what Slack takes as blocks and views, as JSON Schema. It is generated from the
// types that Slack publishes; the limits are read from their doc comments. To make it anew, after an update of @slack/types:
//
//   npm install --no-save --prefix /tmp/generator ts-json-schema-generator@2.9.0
//   node test/support/fake-slack/make-block-schema.ts /tmp/generator
//
// The generator brings a TypeScript of its own, so it is no dependency of this project.

type Schema = { [key: string]: unknown; description?: string; properties?: Record<string, Schema>; items?: Schema };

const ROOT = path.resolve(import.meta.dirname, "../../..");
const [generator] = process.argv.slice(2);
if (generator === undefined) throw new Error("say in which folder ts-json-schema-generator is installed");

const folder = mkdtempSync(path.join(os.tmpdir(), "block-schema-"));
const options = { strict: true, module: "nodenext", moduleResolution: "nodenext", types: [] };
writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["judged.ts"] }));
writeFileSync(
  path.join(folder, "judged.ts"),
  'import type * as slack from "@slack/types";\n' +
    ["KnownBlock", "HomeView", "ModalView", "Option"]
      .map((name) => `export type Judged${name} = slack.${name};\n`)
      .join(""),
);
symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"), "dir");
const made = execFileSync(
  process.execPath,
  [
    path.join(generator, "node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js"),
    "--path=judged.ts",
    "--tsconfig=tsconfig.json",
    "--type=*",
    "--no-type-check",
  ],
  { cwd: folder, encoding: "utf8", maxBuffer: 1e8 },
);
rmSync(folder, { recursive: true });

const schema = JSON.parse(made) as { definitions: Record<string, Schema> };
for (const definition of Object.values(schema.definitions)) limit(definition);
const { version } = JSON.parse(readFileSync(path.join(ROOT, "node_modules/@slack/types/package.json"), "utf8")) as {
  version: string;
};
writeFileSync(
  path.join(import.meta.dirname, "block-schema.json"),
  `${JSON.stringify({ $comment: `@slack/types ${version}; made by make-block-schema.ts`, ...schema }, undefined, 2)}\n`,
);

/** Puts the limits that a property's comment names into its schema, and drops the comment. */
function limit(schema: Schema): void {
  for (const property of Object.values(schema.properties ?? {})) {
    const said = (property.description ?? "").replaceAll(/\s+/gu, " ");
    const most = /max(?:imum)? length (?:for [^.]*? )?(?:is|of) (\d+)/iu.exec(said)?.[1];
    const least = /minimum length (?:for [^.]*? )?is (\d+)/iu.exec(said)?.[1];
    const count =
      /maximum (?:number of [^.]*? is|of)? ?(\d+)(?: \w+)? (?:items|rows|blocks|cards|options|elements)/iu.exec(
        said,
      )?.[1] ??
      /maximum number of [^.]*? is (\d+)/iu.exec(said)?.[1] ??
      /(?:maximum of|up to) (\d+)/iu.exec(said)?.[1];
    const bounds = {
      ...(most === undefined ? {} : { maxLength: Number(most) }),
      ...(least === undefined ? {} : { minLength: Number(least) }),
    };
    if (property["type"] === "string") Object.assign(property, bounds);
    else if (property["type"] === "array") {
      if (count !== undefined) property["maxItems"] = Number(count);
      const cells = /each row object is an array with a max of (\d+)/iu.exec(said)?.[1];
      if (cells !== undefined && property.items !== undefined) property.items["maxItems"] = Number(cells);
      const each = /text in each item is (\d+)/iu.exec(said)?.[1];
      if (each !== undefined && property.items !== undefined) {
        property.items = { allOf: [property.items, { properties: { text: { maxLength: Number(each) } } }] };
      }
      if (property.items !== undefined) limit(property.items);
    } else if (Object.keys(bounds).length > 0 && ("$ref" in property || "anyOf" in property)) {
      // The limit of a text object is that of its text.
      const { description: _said, ...rest } = property;
      for (const key of Object.keys(property)) delete property[key];
      property["allOf"] = [rest, { properties: { text: bounds } }];
    }
    limit(property);
    delete property.description;
  }
  delete schema.description;
}
