import { describe, expect, test } from "vitest";

import { CONDITION_KINDS } from "../../src/alerts/judge/kinds/kinds.ts";
import type { ChangeMessage } from "../../src/alerts/message/message.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Action, Ask } from "../../src/reply/reply.ts";
import { anEpisode, aSubscription } from "../alerts/samples.ts";
import { describeAlert } from "../support/gist.ts";
import { ann, bob, OPS, talkInOps } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

const asks = (actions: readonly Action[]): Ask[] =>
  actions.flatMap((action) => ("invocation" in action ? [action.invocation] : []));

const silence = { id: "4hd9x", scope: {}, from: 1, until: 2, by: "ann", created: 1 };
const changes: ChangeMessage["change"][] = [
  ...(["added", "edited", "removed", "paused", "resumed"] as const).map((what) => ({
    what,
    subscription: aSubscription(),
  })),
  { what: "silenced", silence },
  { what: "unsilenced", silence },
  { what: "acknowledged", episode: anEpisode("node.down") },
];

describe("the buttons", () => {
  test.each(CONDITION_KINDS)("on an alert of %s are commands that can be run, by those who may", async (kind) => {
    const talk = await talkToSimulator();
    const episode = anEpisode(kind);
    const reply = describeAlert({ type: "condition", phase: "trigger", episode });
    expect(asks(reply.actions).map(({ command }) => command)).toEqual(["alerts ack", "alerts silence", "alerts why"]);
    const signal = AbortSignal.timeout(5000);
    for (const ask of asks(reply.actions)) {
      expect(talk.bot.prepare({ ...ask, here: OPS, caller: ann, signal })).toMatchObject({ ok: true });
      const { failure, title } = await talk.bot.run({ ...ask, here: OPS, caller: bob, signal });
      const refused = failure === "caller" && plainText(title).includes("manage this channel");
      expect(refused).toBe(ask.command !== "alerts why");
    }
  });

  test.each(changes.map((change) => [change.what, change] as const))(
    "on the announcement that something was %s are commands that can be run",
    async (_what, change) => {
      const talk = await talkToSimulator();
      const reply = describeAlert({ type: "change", by: "ann", at: "1700000000000000000", change });
      for (const ask of asks(reply.actions)) {
        const signal = AbortSignal.timeout(5000);
        expect(talk.bot.prepare({ ...ask, here: OPS, caller: ann, signal })).toMatchObject({ ok: true });
      }
    },
  );

  test("on every answer about alerts are commands that can be run", async () => {
    const talk = await talkInOps();
    const signal = AbortSignal.timeout(20_000);
    for (const line of [
      "alerts list",
      "alerts add",
      "alerts add ops style:plain",
      "alerts list",
      "alerts silence all for:1h",
      "alerts silences",
      "alerts status",
      "alerts log",
      "alerts drill",
      "alerts add markets",
      "alerts list",
    ]) {
      const reply = await talk.askFor(line);
      expect(reply.failure).toBeUndefined();
      for (const ask of asks(reply.actions)) {
        expect(talk.bot.prepare({ ...ask, here: OPS, caller: ann, signal })).toMatchObject({ ok: true });
      }
    }
  });
});
