import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { toMillis } from "../../src/units/time.ts";
import { DAY, keepLooks, MINUTE } from "../support/kept-looks.ts";
import { linesOf, saying } from "../support/said.ts";
import { openSimulatorTalk } from "../support/simulator-talk.ts";
import { idIn } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

const NEVER = new AbortController().signal;

/** The sentence that comes after an answer, and the lines of the buttons that come with it. */
async function addedTo(answer: Reply, signal = NEVER): Promise<[words: string, lines: readonly string[]] | undefined> {
  const whole = await answer.later?.(signal);
  if (whole?.added === undefined) return undefined;
  expect(whole.blocks[0]).toEqual({ kind: "paragraph", text: whole.added });
  expect(whole.title).toEqual(answer.title);
  return [plainText(whole.added), linesOf(whole).slice(linesOf(answer).length)];
}

describe("where looks of a month are kept", () => {
  let talk: Awaited<ReturnType<typeof openSimulatorTalk>>;
  let id: string;
  const ask = async (line: string) => {
    talk.advance(1000);
    return talk.askFor(line);
  };
  const parameters = async () => (await talk.engine.subscriptions()).find((one) => one.id === id)?.parameters;

  beforeAll(async () => {
    talk = await openSimulatorTalk();
    const lags = [20, 10, 5].map((days, at) => ({
      ago: days * DAY,
      lasts: (14 - at) * MINUTE,
      behind: (at + 1) * 100_000,
    }));
    await keepLooks(talk.store, toMillis(talk.now()), { since: 30 * DAY, troubles: lags });
  });
  afterAll(() => talk[Symbol.asyncDispose]());

  test("what is added says what it would have told, after it is stored", async () => {
    const answer = await ask("alerts add node.lagging behind:150s blocks:1000000");
    id = idIn(answer);
    expect(await parameters()).toEqual({ "node.lagging": { behind: 150_000, blocks: 1_000_000 } });
    const [words = "", lines] = (await addedTo(answer)) ?? [];
    expect(words).toMatch(/^In 30 days .* twice, 13 min at most\.$/u);
    expect(lines).toEqual([]);
    expect(await addedTo(await ask("alerts add node.lagging behind:20m blocks:1000000"))).toEqual([
      expect.stringMatching(/30 days .* nothing\.$/u),
      [],
    ]);
    expect(await addedTo(await ask("alerts add node.lagging,core.upgraded behind:250s blocks:1000000"))).toEqual([
      expect.stringMatching(/ once, 12 min at most; core\.upgraded is not counted\.$/u),
      [],
    ]);
  });

  test("what is changed says it for before and after, and is undone where it tells more often", async () => {
    const calmer = await ask(`alerts edit ${id} behind:250s`);
    expect(await addedTo(calmer)).toEqual([expect.stringMatching(/ once, was 2; /u), []]);
    const louder = await ask(`alerts edit ${id} behind:50s`);
    const undo = `alerts resume id:${id} undo:true`;
    const [said, [pressed = ""] = []] = (await addedTo(louder)) ?? [];
    expect([said, pressed]).toEqual([
      expect.stringMatching(/ 3 times, was 1; 14 min at most/u),
      expect.stringMatching(new RegExp(`^${undo} change:\\d{13}$`, "u")),
    ]);
    expect(await addedTo(await ask(`alerts edit ${id} quiet:22-7`))).toBeUndefined();
    expect(await talk.ask(undo)).toMatch(saying("!", "ten minutes", `alerts edit ${id}`));
    talk.advance(1);
    await ask(`alerts edit ${id} behind:40s severity:warning`);
    // The change of the former answer is not the last one any more.
    expect(await talk.ask(pressed)).toMatch(saying("!", "ten minutes"));
    expect(await talk.ask(undo)).toMatch(saying("✓", id));
    expect(await parameters()).toEqual({ "node.lagging": { behind: 50_000, blocks: 1_000_000 } });
    expect((await talk.engine.subscriptions()).find((one) => one.id === id)).toMatchObject({
      floor: "info",
      quietHours: { from: "22:00" },
    });
    expect(await talk.ask(undo)).toMatch(saying("!", "ten minutes"));
  });

  test("a change is tried before it is made, by anybody who sees it", async () => {
    const before = await parameters();
    const said = await ask(`alerts try id:${id} behind:150s`);
    expect(plainText(said.title)).toMatch(/ twice, 13 min at most/u);
    expect(linesOf(said)).toContain(`alerts edit behind:150s id:${id}`);
    expect(await parameters()).toEqual(before);
    expect(await talk.ask("alerts try id:zzzzz")).toMatch(saying("!", "zzzzz"));
  });

  test("ten minutes later, or paused meanwhile, it is no longer undone", async () => {
    await ask(`alerts edit ${id} behind:30s`);
    talk.advance(10 * MINUTE + 1);
    expect(await talk.ask(`alerts resume ${id} undo:yes`)).toMatch(saying("!", "ten minutes"));
    await ask(`alerts edit ${id} behind:35s`);
    await ask(`alerts pause ${id}`);
    await ask(`alerts resume ${id}`);
    expect(await talk.ask(`alerts resume ${id} undo:yes`)).toMatch(saying("!", "ten minutes"));
    expect(await parameters()).toEqual({ "node.lagging": { behind: 35_000, blocks: 1_000_000 } });
  });

  test("nothing is added to what has changed meanwhile, nor after the signal", async () => {
    const changed = await ask(`alerts edit ${id} behind:45s`);
    await ask(`alerts pause ${id}`);
    expect(await addedTo(changed)).toBeUndefined();
    await ask(`alerts resume ${id}`);
    expect(await addedTo(await ask(`alerts edit ${id} behind:44s`), AbortSignal.abort())).toBeUndefined();
  });
});

test("where less than a day is kept, and for kinds that cannot be counted, nothing is added", async () => {
  const talk = await talkToSimulator();
  expect(await addedTo(await talk.askFor("alerts add node.lagging behind:2m"))).toBeUndefined();
  expect(await addedTo(await talk.askFor("alerts add core.upgraded"))).toBeUndefined();
});
