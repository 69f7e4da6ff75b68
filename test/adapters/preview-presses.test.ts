import { describe, expect, test } from "vitest";

import { commands } from "../../commands/index.ts";
import type { AnswerAudience, PreviewPress } from "../../src/adapters/adapter.ts";
import { createDiscordPreview } from "../../src/adapters/discord/preview.ts";
import { createSlackPreview } from "../../src/adapters/slack/preview.ts";
import { draw as drawDiscord } from "../../src/adapters/discord/page/page.js";
import { draw as drawSlack } from "../../src/adapters/slack/page/page.js";
import { asButtons } from "../../src/reply/fold.ts";
import { gallery } from "../support/gallery.ts";
import { ask, hex } from "../support/gallery/parts.ts";
import { paragraph } from "../../src/reply/block.ts";
import { reply, type Reply } from "../../src/reply/reply.ts";
import { elementsOf, textsOf } from "./web/print-tree.ts";

interface Payload {
  readonly presses: Readonly<Record<string, PreviewPress>>;
  readonly whole?: Payload;
}

const PLATFORMS = [
  ["Discord", createDiscordPreview(commands), drawDiscord],
  ["Slack", createSlackPreview(), drawSlack],
] as const;

describe.each(PLATFORMS)("the buttons of a preview of %s", (platform, preview, draw) => {
  const payloadOf = (given: Reply, as: "alert" | "answer"): Payload =>
    JSON.parse(
      JSON.stringify(preview.render(given, as === "alert" ? as : { visibility: "caller", isDefault: true })),
    ) as Payload;
  /** The buttons drawn, with what each does; undefined where it is seen to do nothing. */
  const pressed = (payload: Payload): [label: string, does: PreviewPress | undefined][] =>
    elementsOf(draw(payload, 0)).flatMap((element): [string, PreviewPress | undefined][] => {
      if (element.tag !== "button") return [];
      const { "data-press": name = "", "aria-disabled": off, title } = element.attrs;
      const does = Object.hasOwn(payload.presses, name) ? payload.presses[name] : undefined;
      expect([does === undefined, off, title?.includes("preview")]).toEqual(
        does === undefined ? [true, "true", true] : [false, undefined, undefined],
      );
      return [[textsOf(element).join(""), does]];
    });

  test.each(gallery.map((entry) => [entry.name, entry.reply] as const))(
    "%s: each asks what the reply's action asks, or says that it does nothing",
    (_name, given) => {
      for (const as of ["answer", "alert"] as const) {
        const payload = payloadOf(given, as);
        const shown = [payload, ...(payload.whole === undefined ? [] : [payload.whole])].flatMap(pressed);
        const asked = shown.map(([, does]) => does);
        const wanted = asButtons(given.actions).filter((action) => "invocation" in action);
        expect(asked).toEqual(expect.arrayContaining(wanted.map(({ label: _label, ...action }) => action)));
        const dead = shown.filter(([, does]) => does === undefined).map(([label]) => label);
        expect(["Share", "Fill in", "Other values", "Send as file", "Full id", "Full ids"]).toEqual(
          expect.arrayContaining(dead),
        );
      }
    },
  );

  test("Share is for what is shown to its asker alone, and not for what is their own business", () => {
    const labels = (as: AnswerAudience): string[] =>
      pressed(JSON.parse(JSON.stringify(preview.render(reply({ title: "Time" }), as))) as Payload).map(
        ([label]) => label,
      );
    expect(labels({ visibility: "caller", isDefault: false })).toContain("Share");
    expect(labels({ visibility: "caller", isDefault: false, personal: true })).not.toContain("Share");
  });

  test("Details shows the whole message, and Less the first again", () => {
    const given = reply({
      title: "Time",
      blocks: [paragraph("first"), { kind: "paragraph", text: [{ kind: "text", text: "behind it" }], detail: true }],
    });
    const payload = payloadOf(given, "answer");
    const said = (one: Payload): string => textsOf(draw(one, 0)).join(" ");
    expect([said(payload).includes("behind it"), said(payload.whole!).includes("behind it")]).toEqual([false, true]);
    expect(pressed(payload)).toContainEqual(["Details", { fold: true }]);
    expect(pressed(payload.whole!)).toContainEqual(["Less", { fold: true }]);
  });

  test("Refresh asks the question again, where there is one", () => {
    const question = { command: "market list", options: {} };
    const given = reply({ title: "16 live markets" });
    const refreshOf = (more: object): (PreviewPress | undefined)[] =>
      pressed(
        JSON.parse(
          JSON.stringify(preview.render(given, { visibility: "caller", isDefault: true, ...more })),
        ) as Payload,
      ).flatMap(([label, does]) => (label === "Refresh" ? [does] : []));
    expect(refreshOf({ ask: question })).toEqual([{ invocation: question, effect: "replace" }]);
    expect(refreshOf({})).toEqual([]);
  });

  test("an action whose options do not fit into a button is asked all the same", () => {
    const options = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`o${index}`, hex(`${index}`)]));
    const long = { label: "Go", invocation: { command: "order", options }, effect: "reply" } as const;
    const payload = payloadOf(reply({ title: "x", actions: [long, ask("Time", "time")] }), "answer");
    expect(pressed(payload)).toContainEqual(["Go", { invocation: long.invocation, effect: "reply" }]);
  });

  test(`a destructive one asks first on ${platform}, and so here`, () => {
    const action = { ...ask("Remove", "alerts remove"), confirm: "Remove it?" };
    const payload = payloadOf(reply({ title: "x", actions: [action] }), "answer");
    expect(pressed(payload).find(([label]) => label === "Remove")?.[1]).toMatchObject({ confirm: "Remove it?" });
  });
});
