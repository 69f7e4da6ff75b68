import { describe, expect, test } from "vitest";

import { Cancellation } from "../../src/api/cancellation.ts";

describe("a cancellation", () => {
  test("notifies every listener once, with the reason", () => {
    const cancellation = new Cancellation();
    const heard: string[] = [];
    cancellation.addEventListener("abort", () => heard.push(`first ${String(cancellation.reason)}`));
    cancellation.addEventListener("abort", () => heard.push("second"));
    cancellation.throwIfAborted();
    cancellation.abort("why");
    cancellation.abort("again");
    expect(heard).toEqual(["first why", "second"]);
    expect(cancellation).toMatchObject({ aborted: true, reason: "why" });
    expect(() => cancellation.throwIfAborted()).toThrow("why");
  });

  test.each([0, 1, 2])("tells those who stopped listening nothing: number %i of three", (gone) => {
    const cancellation = new Cancellation();
    const heard: number[] = [];
    const listeners = [0, 1, 2].map((number) => () => void heard.push(number));
    for (const listener of listeners) cancellation.addEventListener("abort", listener);
    cancellation.removeEventListener("abort", listeners[gone]!);
    cancellation.abort("why");
    expect(heard).toEqual([0, 1, 2].filter((number) => number !== gone));
  });

  test("does not notify listeners added later, like a signal", () => {
    const cancellation = new Cancellation();
    cancellation.abort("why");
    cancellation.addEventListener("abort", () => expect.unreachable());
    cancellation.abort("why");
  });
});
