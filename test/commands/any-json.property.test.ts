import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { ReplyJson } from "../../src/reply/document.ts";
import { replyFromJson, replyToJson } from "../../src/reply/json.ts";
import { loopbackNode, type LoopbackNode } from "../support/loopback-node.ts";
import { nastyStrings } from "../support/nasty-strings.ts";
import { cases, pathsIn, replaced } from "../support/node-bodies.ts";
import { talk, type Talk } from "../support/talk.ts";
import { runs } from "../support/runs.ts";

// Whatever JSON stands in whatever field of whatever operation's body, a command answers: with a reply, or with one
// that says what of the node's words cannot be understood. It is never a bug.

const integers = fc.oneof(
  fc.bigInt({ min: -(2n ** 256n), max: 2n ** 256n }).map(String),
  fc.constantFrom("0", "-1", "", "1e9", "0x10", " 1", "9".repeat(400)),
);
const anyJson = fc.oneof(
  { weight: 3, arbitrary: integers },
  { weight: 2, arbitrary: fc.constantFrom(...nastyStrings) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(null, true, [], {}, 1e300, -0.5, "STATUS_", "_", "__proto__", "constructor"),
  },
);

describe("any JSON in any field", () => {
  let node: LoopbackNode;
  let conversation: Talk;
  let say: Record<string, unknown> = {};
  beforeAll(async () => {
    node = await loopbackNode(({ path }) => (Object.hasOwn(say, path) ? { body: say[path] } : undefined));
    conversation = await talk({ networks: { mainnet: [node.url] } });
  });
  afterAll(async () => {
    await conversation[Symbol.asyncDispose]();
    await node.close();
  });

  test.each(cases)("$line answers whatever $path says", async ({ line, path, body }) => {
    const bodies = Object.fromEntries(cases.map((one) => [one.path, one.body]));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...pathsIn(body)), anyJson, async (place, put) => {
        say = { ...bodies, [path]: replaced(body, place, put) };
        const screen = await conversation.ask(line);
        const reply = conversation.lastReply;
        expect(reply.failure).not.toBe("bug");
        expect(screen).not.toMatch(/\bundefined\b|\[object |\bNaN\b/u);
        const json = ReplyJson.parse(replyToJson(reply));
        const [file] = reply.attachments;
        expect(replyFromJson(json, () => file!).title).toEqual(reply.title);
      }),
      runs(50),
    );
  });
});
