import { expect, test } from "vitest";

import { renderReply } from "../../../src/adapters/web/public/reply/reply.js";
import { replyToJson } from "../../../src/reply/json.ts";
import { toMillis } from "../../../src/units/time.ts";
import { gallery, GALLERY_NOW } from "../../support/gallery.ts";
import { printTree } from "./print-tree.ts";

const reader = { now: toMillis(GALLERY_NOW), timeZone: "Europe/Berlin" };

test.each(gallery)("$name: $shows", async ({ name, reply }) => {
  const tree = renderReply(
    replyToJson(reply, (file) => `/api/files/${file.sha256.slice(0, 32)}`),
    reader,
  );
  await expect(printTree(tree)).toMatchFileSnapshot(`golden/${name}.html`);
});
