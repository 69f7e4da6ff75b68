import { describe, expect, test } from "vitest";

import type { Reply } from "../../src/reply/reply.ts";
import { FakeSender } from "../support/fake-sender.ts";
import { linesOf, saying } from "../support/said.ts";
import type { Talk } from "../support/talk.ts";
import { ann, bob, deliver, idIn, OPS, shown, talkInOps } from "./alert-channel.ts";

// What the channel was told of a change, and offered to undo, is settled by whoever undoes it first.

/** The channel as people see it: the last state of each message, in order. */
function channel(talk: Talk) {
  const sender = new FakeSender({ platform: "discord", now: () => Number(talk.now() / 1_000_000n) });
  return {
    sender,
    messages: async (): Promise<Reply[]> => {
      await deliver(talk, sender);
      return sender.posts.map(
        ({ message, reply }) => sender.edits.findLast((edit) => edit.message === message)?.reply ?? reply,
      );
    },
  };
}

/** What a message says, beside what can be pressed there. */
const seen = (reply: Reply | undefined): [string, string[]] => [shown(reply!), linesOf(reply!)];

describe("the message that announced a silence", () => {
  test("says who ended it, and offers that no more", async () => {
    const talk = await talkInOps();
    const { messages } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    const id = idIn(talk.lastReply);
    expect((await messages()).map(linesOf)).toEqual([[`alerts unsilence id:${id}`]]);
    talk.become({ caller: { ...bob, mayManageChannel: true } });
    await talk.ask(`alerts unsilence ${id}`);
    const [announced, ended, ...more] = await messages();
    expect(seen(announced)).toEqual([expect.stringMatching(saying("ann", "node outages", "bob", "ended")), []]);
    expect(seen(ended)).toEqual([expect.stringMatching(saying("bob", "node outages")), []]);
    expect(more).toEqual([]);
  });

  test("leaves the button to the message of a longer one", async () => {
    const talk = await talkInOps();
    const { messages } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    const id = idIn(talk.lastReply);
    await messages();
    await talk.ask("alerts silence node.down 2h");
    expect((await messages()).map(seen)).toEqual([
      [expect.stringMatching(saying("ann", "lengthened")), []],
      [expect.stringMatching(saying("ann", "node outages")), [`alerts unsilence id:${id}`]],
    ]);
    await talk.ask(`alerts unsilence ${id}`);
    expect((await messages()).flatMap(linesOf)).toEqual([]);
  });

  test("that was not sent yet says both in one message", async () => {
    const talk = await talkInOps();
    const { messages, sender } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    await talk.ask(`alerts unsilence ${idIn(talk.lastReply)}`);
    expect((await messages()).map(linesOf)).toEqual([[], []]);
    expect(sender.edits).toEqual([]);
  });

  test("says that it ended by itself, and when", async () => {
    const talk = await talkInOps();
    const { messages } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    await messages();
    const ended = Number(talk.now() / 1_000_000n) + 3_600_000;
    talk.advance(3_600_000);
    await talk.engine.upkeep();
    const [announced, ...more] = await messages();
    const when = new Date(ended).toISOString().slice(0, 19).replace("T", " ");
    expect(seen(announced)).toEqual([expect.stringMatching(saying("ann", "node outages", "ended", when)), []]);
    expect(more).toEqual([]);
    expect(await talk.engine.silences()).toEqual([]);
  });

  test("is settled by the operators, too, who announce nothing there", async () => {
    const talk = await talkInOps();
    const { messages } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    const id = idIn(talk.lastReply);
    await messages();
    const [silence] = await talk.engine.silences();
    await talk.engine.putSilence({ ...silence!, from: silence!.from - 1, until: silence!.from }, "ops");
    expect((await messages()).map(seen)).toEqual([[expect.stringMatching(saying("node outages", "ops", "ended")), []]]);
    expect(await talk.ask(`alerts unsilence ${id}`)).toMatch(saying("•", "node outages"));
  });
});

describe("a silence that two people change at once", () => {
  test("is ended once: one message tells it, and the other person learns that it is over already", async () => {
    const talk = await talkInOps();
    const { messages } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    const options = { id: idIn(talk.lastReply) };
    await messages();
    const here = { here: OPS, signal: AbortSignal.timeout(5000) };
    const [first, second] = await Promise.all(
      [ann, { ...bob, mayManageChannel: true }].map((caller) =>
        talk.bot.run({ ...here, caller, command: "alerts unsilence", options }),
      ),
    );
    expect([first!.failure, second!.failure]).toEqual([undefined, undefined]);
    expect(shown(second!)).toMatch(saying("•", "node outages", "2026-01-15 12:00:00 UTC"));
    expect((await messages()).map(seen)).toEqual([
      [expect.stringMatching(saying("ann", "node outages", "ended")), []],
      [expect.stringMatching(saying("ann", "node outages")), []],
    ]);
    expect(await talk.engine.silences()).toEqual([]);
  });

  test.each([0, 1, 2])(
    "lasts until the later end, where another process lengthens it after %i transactions of the first",
    async (passed) => {
      const talk = await talkInOps();
      await talk.ask("alerts silence node.down 1h");
      const [read] = await talk.engine.silences();
      const until = read!.until + 2 * 3_600_000;
      const transaction = talk.store.transaction.bind(talk.store);
      let begun = 0;
      const interrupted: typeof transaction = async (work) => {
        begun += 1;
        if (begun === passed + 1) await talk.engine.putSilence({ ...read!, until }, "ops");
        return transaction(work);
      };
      Object.assign(talk.store, { transaction: interrupted });
      const lengthened = await talk.askFor("alerts silence node.down 2h");
      expect(await talk.engine.silences()).toMatchObject([{ id: read!.id, until }]);
      expect(shown(lengthened)).toMatch(passed < 2 ? "until 15:00" : "until 14:00");
    },
  );

  test("and that is lengthened while it is being ended offers its end no more", async () => {
    const talk = await talkInOps();
    const { messages } = channel(talk);
    await talk.ask("alerts silence node.down 1h");
    const [read] = await talk.engine.silences();
    await messages();
    await talk.ask("alerts silence node.down 2h");
    await talk.engine.putSilence({ ...read!, from: read!.from - 1, until: read!.from }, "ops");
    expect((await messages()).flatMap(linesOf)).toEqual([]);
  });
});

test("of a silence of many places no message offers its end any more, even where they are not written yet", async () => {
  const talk = await talkInOps();
  const now = Number(talk.now() / 1_000_000n);
  const silence = { id: "s", scope: {}, from: now, until: now + 3_600_000, by: "ops", created: now };
  const announced = Array.from({ length: 600 }, (_, n) => ({
    destination: { platform: "discord", channel: `${n}` },
    message: { type: "change", change: { what: "silenced", silence }, by: "ops", at: "1" } as const,
  }));
  await talk.engine.putSilence(silence, "ops", announced);
  await talk.engine.putSilence({ ...silence, from: now - 1, until: now }, "ops");
  const { messages } = channel(talk);
  let all: Reply[] = [];
  while (all.length < announced.length) all = await messages();
  expect([all.length, all.flatMap(linesOf)]).toEqual([600, []]);
});

test.each(["resume", "remove"])("the message that announced a pause is settled by %s", async (word) => {
  const talk = await talkInOps();
  const { messages } = channel(talk);
  await talk.ask("alerts add node.down");
  const id = idIn(talk.lastReply);
  await talk.ask(`alerts pause ${id}`);
  expect((await messages()).map(linesOf)).toEqual([[], [`alerts resume id:${id}`]]);
  await talk.ask(`alerts edit ${id} severity:critical`);
  expect((await messages()).flatMap(linesOf)).toEqual([`alerts resume id:${id}`]);
  await talk.ask(`alerts ${word} ${id}`);
  const [, paused, ...others] = await messages();
  expect(seen(paused)).toEqual([expect.stringMatching(saying("ann paused", "ann", `${word}d`)), []]);
  expect(others.flatMap(linesOf)).toEqual([]);
});

describe("a button that was left behind", () => {
  test("says that its silence is over, and when that ended; elsewhere it tells nothing", async () => {
    const talk = await talkInOps();
    await talk.ask("alerts silence node.down 1h");
    const { actions } = talk.lastReply;
    await talk.press("alerts unsilence");
    const [button] = actions;
    if (button === undefined || !("invocation" in button)) throw new Error("no button");
    const pressed = { here: OPS, caller: ann, signal: AbortSignal.timeout(5000), ...button.invocation };
    const answer = await talk.bot.run(pressed);
    expect(answer.failure).toBeUndefined();
    expect(shown(answer)).toMatch(saying("•", "node outages", "2026-01-15 12:00:00 UTC"));
    expect(answer.actions).toEqual([]);
    const away = await talk.bot.run({ ...pressed, here: { ...OPS, channel: "5555555555555555555" } });
    expect([away.failure, shown(away).includes("node outages")]).toEqual(["caller", false]);
  });

  test.each(["remove", "pause"])("%s says that its subscription is removed", async (word) => {
    const talk = await talkInOps();
    await talk.ask("alerts add node.down");
    const id = idIn(talk.lastReply);
    await talk.ask(`alerts remove ${id}`);
    expect(await talk.ask(`alerts ${word} ${id}`)).toMatch(saying("•", id, "removed"));
    expect(talk.lastReply.failure).toBeUndefined();
  });
});

test("the welcome says how the network stood then, which it may not do now", async () => {
  const talk = await talkInOps();
  await talk.ask("alerts add");
  const [welcome] = await channel(talk).messages();
  expect(shown(welcome!)).toMatch(saying("ann", "mainnet", "was"));
  expect(shown(welcome!)).not.toMatch(/\bis (?:open|healthy|not)\b/u);
});
