import { describe, expect, test } from "vitest";

import { renderTerminal } from "../../../src/adapters/terminal/render/render.ts";
import { gallery, GALLERY_NOW } from "../../support/gallery.ts";

describe.each([40, 80, 120])("at %i columns", (width) => {
  test.each(gallery)("$name: $shows", async ({ name, reply }) => {
    const shown = renderTerminal(reply, { width, colour: false, links: false, now: GALLERY_NOW });
    await expect(shown).toMatchFileSnapshot(`golden/${name}.${width}.txt`);
  });
});

test("with colours and hyperlinks", async () => {
  const shown = gallery
    .filter(({ name }) => name !== "market-list")
    .map(({ reply }) => renderTerminal(reply, { width: 100, colour: true, links: true, now: GALLERY_NOW }))
    .join("\n\n");
  await expect(shown.replaceAll("\u001B", "␛")).toMatchFileSnapshot("golden/colour.100.txt");
});
