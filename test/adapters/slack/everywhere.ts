import * as fc from "fast-check";
import { expect } from "vitest";

import type { Reply } from "../../../src/reply/reply.ts";
import { anyReply } from "../../support/arbitrary-reply.ts";
import { until } from "../../support/fake-discord/until.ts";
import { charactersIn } from "../../support/fake-slack/judge.ts";
import { decodePress } from "../../../src/adapters/slack/render/press.ts";
import { buttonsOf } from "../../support/fake-slack/person.ts";
import { probe, titled } from "./probe-commands.ts";
import { forgedIn } from "./shown.ts";
import { stage } from "./stage.ts";

/**
 * Any reply on every way to Slack: to a command, shared, to a mention, late by direct message, sent and edited with a
 * mention. The fake Slack judges each payload; these tests check that each way is taken, that all stay below the limit of a
 * whole message, and that only permitted mentions and links are active.
 */
export async function everywhere(numRuns: number, replies: fc.Arbitrary<Reply> = anyReply): Promise<void> {
  let current: Reply = titled("x");
  const asked = probe("probe any", () => Promise.resolve(current));
  await using scene = await stage({ extra: [asked], timing: { editMillis: 0 } });
  const { adapter, channel, fake } = scene;
  const { signal } = new AbortController();
  const ann = fake.person("ann");
  await fc.assert(
    fc.asyncProperty(replies, async (any) => {
      current = any;
      fake.state.messages.length = 0;
      const { last } = await ann.run(channel, "probe any");
      // A button of the reply's own may be called the same.
      const kept = (): string[] =>
        buttonsOf(last.blocks).flatMap(({ text, value }) => {
          const press = decodePress(value);
          return press?.kind === "stored" && press.at === undefined && text !== undefined ? [text.text] : [];
        });
      for (const label of ["Share", "Details", "Less"]) if (kept().includes(label)) await ann.press(last, label);
      ann.mention(channel, "probe any private:no", "1.000001");
      const inThread = () => fake.state.messages.filter((one) => one.thread === "1.000001" && one.blocks.length > 0);
      await until(() => inThread().length > 0, "the answer to the mention");
      fake.fail({ method: "respond", answer: { status: 503 } });
      ann.type(channel, "probe any");
      await until(() => ann.directMessages().some(({ blocks }) => blocks.length > 0), "the late answer");
      const delivery = { id: "d1", destination: { platform: "slack", channel }, mention: "S0123ABCD" };
      const source = [any.url, any.blocks, any.actions, any.footer, any.title, fake.origin];
      const receipt = await adapter.send(delivery, current, signal);
      await adapter.update(receipt, current, signal);
      expect(fake.state.violations.splice(0)).toEqual([]);
      for (const { blocks, text } of fake.state.messages) {
        expect(charactersIn(blocks)).toBeLessThan(10_000);
        expect(forgedIn([blocks, text], source, [`@${ann.id}`, "!subteam^S0123ABCD"])).toEqual([]);
      }
    }),
    { numRuns },
  );
}
