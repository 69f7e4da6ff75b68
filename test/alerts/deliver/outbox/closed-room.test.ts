import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../../../../src");
const OUTBOX = "alerts/deliver/outbox/";

it("nothing outside the outbox reads its tables or knows of chunks: nothing has to be called before it is read or added to", () => {
  const outside = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.startsWith(OUTBOX) && !file.startsWith("store/"),
  );
  const knowing = outside.filter((file) =>
    /\.chunks\b|\.outbox\.|\{ outbox \}|outbox\/chunk\.ts/.test(readFileSync(path.join(ROOT, file), "utf8")),
  );
  expect(outside).toContain("alerts/engine/upkeep.ts");
  expect(knowing).toEqual([]);
});
