import { describe, expect, test } from "vitest";

import { Cancellation } from "../../src/api/cancellation.ts";

describe("a recall", () => {
  test("tells everybody who listens, once, and why", () => {
    const recall = new Cancellation();
    const heard: string[] = [];
    recall.addEventListener("abort", () => heard.push(`first ${String(recall.reason)}`));
    recall.addEventListener("abort", () => heard.push("second"));
    recall.throwIfAborted();
    recall.abort("why");
    recall.abort("again");
    expect(heard).toEqual(["first why", "second"]);
    expect(recall).toMatchObject({ aborted: true, reason: "why" });
    expect(() => recall.throwIfAborted()).toThrow("why");
  });

  test.each([0, 1, 2])("tells those who stopped listening nothing: number %i of three", (gone) => {
    const recall = new Cancellation();
    const heard: number[] = [];
    const listeners = [0, 1, 2].map((number) => () => void heard.push(number));
    for (const listener of listeners) recall.addEventListener("abort", listener);
    recall.removeEventListener("abort", listeners[gone]!);
    recall.abort("why");
    expect(heard).toEqual([0, 1, 2].filter((number) => number !== gone));
  });

  test("tells whoever comes after it nothing, like a signal", () => {
    const recall = new Cancellation();
    recall.abort("why");
    recall.addEventListener("abort", () => expect.unreachable());
    recall.abort("why");
  });
});
