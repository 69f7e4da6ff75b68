import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { renderSlack } from "../../../src/adapters/slack/render.ts";
import { anyReply } from "../../support/arbitrary-reply.ts";

/** Every string that a payload shows, with the kind of object it stands in. */
function strings(value: unknown, kind = ""): { kind: string; text: string }[] {
  if (typeof value === "string") return [{ kind, text: value }];
  if (typeof value !== "object" || value === null) return [];
  const own = "type" in value && typeof value.type === "string" ? value.type : kind;
  return Object.entries(value).flatMap(([key, part]) =>
    ["type", "value", "url"].includes(key) ? [] : strings(part, own),
  );
}

/** What stands between angle brackets, which Slack reads as mentions, links and dates. */
const CONTROL = /<([^<>]*)>/gu;

describe("any reply on Slack", () => {
  test("stays within the limits of a message", () => {
    fc.assert(
      fc.property(anyReply, fc.boolean(), (reply, asked) => {
        const ask = { command: "market list", options: { network: "testnet" } };
        const message = renderSlack(reply, asked ? { asker: "U1", ask, shareable: true } : {});
        expect(message.blocks.length).toBeLessThanOrEqual(50);
        expect(message.blocks.filter((block) => block.type === "table").length).toBeLessThanOrEqual(1);
        const all = strings(message.blocks);
        expect(all.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(12_000);
        expect(all.filter(({ text }) => text.trim() === "")).toEqual([]);
        expect(message.text.length).toBeGreaterThan(0);
        expect(message.text.length).toBeLessThanOrEqual(4000);
        expect(all.every(({ text }) => text.isWellFormed())).toBe(true);
      }),
    );
  });

  test("neither pings nor forges a link", () => {
    fc.assert(
      fc.property(anyReply, (reply) => {
        const message = renderSlack(reply);
        const links = JSON.stringify(
          [reply.url, reply.blocks, reply.actions, reply.footer, reply.title],
          (_key, part: unknown) => (typeof part === "bigint" ? String(part) : part),
        );
        for (const { text } of [...strings(message.blocks), { text: message.text }]) {
          for (const [, inside = ""] of text.matchAll(CONTROL)) {
            expect(inside).toMatch(/^(!date\^\d+\^[^|]*\||https?:\/\/)/u);
            if (inside.startsWith("http")) {
              const target = inside.slice(0, inside.indexOf("|")).replaceAll("&amp;", "&");
              const host = new URL(target).host;
              expect(links).toContain(host);
            }
          }
          // No bracket is left over that could pair with something later.
          expect(text.replaceAll(CONTROL, "")).not.toMatch(/[<>]/u);
        }
      }),
    );
  });
});
