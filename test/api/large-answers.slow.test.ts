import { expect, test } from "vitest";

import { measureLargeAnswers } from "./large-answers.ts";

test("after six answers of 200 MB at once, each call has ended and the memory is back", async () => {
  const { failures, beforeBytes, afterBytes } = await measureLargeAnswers();
  for (const failure of failures) expect(failure).toMatch(/sent more than 67\.1 MB|did not answer|could not be read/u);
  expect((afterBytes - beforeBytes) / 1e6).toBeLessThan(100);
});
