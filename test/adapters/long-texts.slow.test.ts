import { expect, test } from "vitest";

import { renderAnswer } from "../../src/adapters/discord/render/render.ts";
import { renderSlack } from "../../src/adapters/slack/render/render.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { toText } from "../../src/reply/text.ts";
import { nanoseconds } from "../../src/units/time.ts";

// A node's text may be as long as its whole answer. An expression that goes back over what it has read takes minutes for
// such a text, and nothing else is answered meanwhile.

const LENGTH = 300_000;
/** What reads a text of that length once takes a tenth of it; what goes back over it takes minutes. */
const MOST_MILLIS = 30_000;

const surfaces: Readonly<Record<string, (reply: Reply) => unknown>> = {
  Discord: (reply) => renderAnswer(reply, { keeps: true }),
  Slack: (reply) => renderSlack(reply),
  terminal: (reply) => renderTerminal(reply, { width: 60, colour: false, links: false, now: nanoseconds(0n) }),
};

test.each([" ", "\n ", "a", ":a", "1", "_", "*", "a-", "/", "<", "@", "`"])(
  "a text of many %j has an end",
  (unit) => {
    const long = `:${unit.repeat(LENGTH / unit.length)}!\n:`;
    const text = toText(long);
    const reply: Reply = {
      tone: "neutral",
      title: text,
      blocks: [
        { kind: "paragraph", text },
        { kind: "list", items: [text] },
        { kind: "fields", fields: [{ name: text, value: text }] },
        { kind: "code", text: long },
        { kind: "table", name: "long", columns: [{ title: "a" }, { title: "b" }], rows: [[text, text]] },
      ],
      attachments: [],
      actions: [{ label: long, invocation: { command: "time", options: { network: long } }, effect: "reply" }],
    };
    for (const render of Object.values(surfaces)) expect(render(reply)).toBeDefined();
  },
  MOST_MILLIS,
);
