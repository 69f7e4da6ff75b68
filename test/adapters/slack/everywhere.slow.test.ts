import { test } from "vitest";

import { everywhere } from "./everywhere.ts";

test("hundreds of replies are taken by Slack wherever they go", async () => {
  await everywhere(250);
});
