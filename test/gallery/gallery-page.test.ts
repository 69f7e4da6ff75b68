import { describe, expect, test } from "vitest";

import { AlertMessage } from "../../src/alerts/message/message.ts";
import { alertMessages } from "../support/gallery/alert-messages.ts";
import { drawAnsi } from "./ansi.ts";
import { besidePage } from "./beside.ts";
import { describePage, unbalanced } from "./describe-page.ts";
import { galleryPage } from "./page.ts";
import { alertSamples, answersTo, type Sample } from "./samples.ts";

// gallery-page.slow.test.ts draws all samples.

async function* alertsAndAnswers(): AsyncGenerator<Sample> {
  yield* answersTo("answers", ["time", "market list"]);
  yield* alertSamples();
}

describePage("all alerts and a few answers", alertsAndAnswers, 1000, ({ drawn }) => {
  test("has every type of message, and every phase and change that one may be about", () => {
    const told = alertMessages.map(([message]) => message);
    const known = <T extends string>(options: readonly { readonly value: T }[]) => options.map(({ value }) => value);
    const typesOf = AlertMessage.options.map(({ shape }) => shape.type);
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(known(typesOf)));
    const phases = told.flatMap((message) => ("phase" in message ? [message.phase] : []));
    expect(new Set(phases)).toEqual(new Set(["trigger", "escalation", "reminder", "resolve", "state"]));
    const changes = told.flatMap((message) => (message.type === "change" ? [message.change.what] : []));
    expect(new Set(changes).size).toBe(8);
  });

  test("stands next to another page, with the samples that only one of them has", () => {
    const [first, second, third] = drawn;
    if (first === undefined || second === undefined || third === undefined) throw new Error("too few samples");
    const beside = besidePage(galleryPage([first, second]), galleryPage([second, third]));
    expect(beside).toContain(`<a href="#${first.id}">${first.title}</a> (only before)`);
    expect(beside).toContain(`<a href="#${second.id}">${second.title}</a></li>`);
    expect(beside).toContain(`<a href="#${third.id}">${third.title}</a> (only after)`);
    expect(unbalanced(beside.replace(/<script>[^]*<\/script>/u, ""))).toEqual([]);
  });
});

describe("what a terminal shows", () => {
  test("is drawn with its styles and links", () => {
    expect(drawAnsi("a\u001B[1;31mb\u001B[22;39mc\u001B]8;;https://x.example/\u001B\\d\u001B]8;;\u001B\\")).toEqual([
      "a",
      { tag: "span", attrs: { class: "bold red" }, children: ["b"] },
      "c",
      { tag: "a", attrs: { href: "https://x.example/" }, children: ["d"] },
    ]);
  });

  test("is refused where a code is not known", () => {
    expect(() => drawAnsi("\u001B[7mx")).toThrow(RangeError);
    expect(() => drawAnsi("\u001B[2Jx")).toThrow(RangeError);
  });
});
