import { describe, expect, test } from "vitest";

import type { Target } from "../../src/bot/invocation.ts";
import { linesOf, saying } from "../support/said.ts";
import { ann, bob, CONSOLE_PAGE, DIRECT, ELSEWHERE, OPS } from "./alert-channel.ts";
import { talkToSimulator } from "./conversation.ts";

const TERMINAL: Target = { platform: "terminal", files: OPS.files };
const WORKSPACE: Target = { platform: "slack", workspace: "99", channel: "C1", files: OPS.files };

/** A conversation in a server, and who would see the answer to a question there. */
async function inServer() {
  const talk = await talkToSimulator();
  talk.become({ here: OPS, caller: ann });
  const audience = (command: string, options: Record<string, string | boolean> = {}, here = OPS): string => {
    const prepared = talk.bot.prepare({ command, options, here, caller: bob, signal: AbortSignal.timeout(10_000) });
    return prepared.ok ? prepared.visibility : "refused";
  };
  return { talk, audience };
}

describe("who sees the answers about markets", () => {
  test("is the asker, until somebody who manages the server chooses everyone, and back", async () => {
    const { talk, audience } = await inServer();
    expect([audience("market list"), audience("market show", { market: "BTC/USDT" })]).toEqual(["caller", "caller"]);
    expect(await talk.ask("answers show")).toMatch(saying("•", "market list", "market show"));
    expect(linesOf(talk.lastReply)).toEqual(["answers set markets:everyone"]);

    const set = await talk.ask("answers set everyone");
    expect(set).toMatch(/^✓/u);
    expect(set).toContain("market list and market show");
    expect(set).toMatch(saying("ann"));
    expect([audience("market list"), audience("market show", { market: "BTC/USDT" })]).toEqual(["channel", "channel"]);
    expect(await talk.ask("answers show")).toMatch(saying("ann", "2026-01-15"));

    expect(linesOf(talk.lastReply)).toEqual(["answers set markets:asker"]);
    expect(await talk.press("answers set")).toMatch(saying("✓", "market list", "market show"));
    expect(audience("market list")).toBe("caller");
    expect(await talk.ask("answers set asker")).toMatch(saying("•", "market list", "market show"));
  });

  test("is what a question itself says, whatever was chosen", async () => {
    const { talk, audience } = await inServer();
    expect(audience("market list", { private: "no" })).toBe("channel");
    await talk.ask("answers set everyone");
    expect(audience("market list", { private: "yes" })).toBe("caller");
    expect(audience("market list", { private: false })).toBe("channel");
  });

  test("concerns nobody's orders, stake, parties or ledgers, and nothing else", async () => {
    const { talk, audience } = await inServer();
    const questions = [
      ["order", { id: "f8ac93d1" }],
      ["stake", {}],
      ["my parties", {}],
      ["ledger export", { asset: "USDT" }],
      ["help", {}],
      ["answers show", {}],
      ["time", {}],
    ] as const;
    const before = questions.map(([command, options]) => audience(command, options));
    await talk.ask("answers set everyone");
    expect(questions.map(([command, options]) => audience(command, options))).toEqual(before);
    expect(before).toEqual([...Array.from({ length: 6 }, () => "caller"), "channel"]);
  });

  test("holds in all of a server, and in no other, of no other platform", async () => {
    const { talk, audience } = await inServer();
    await talk.ask("answers set everyone");
    expect(audience("market list", {}, ELSEWHERE)).toBe("channel");
    for (const here of [{ ...OPS, workspace: "98" }, DIRECT, WORKSPACE, TERMINAL, CONSOLE_PAGE]) {
      expect(audience("market list", {}, here)).toBe("caller");
    }
    talk.become({ here: WORKSPACE });
    expect(await talk.ask("help market list")).toMatch(saying("•", "market list", "private", "yes"));
    expect(await talk.ask("answers set everyone")).toMatch(saying("ann"));
    expect(audience("market list", {}, WORKSPACE)).toBe("channel");
  });

  test("goes on in private from a market that was asked for in private", async () => {
    const { talk, audience } = await inServer();
    await talk.ask("answers set everyone");
    const buttons = async (line: string) =>
      (await talk.askFor(line)).actions.flatMap((one) =>
        // What tells at a price is always private.
        "invocation" in one && !("form" in one)
          ? [audience(one.invocation.command, { ...one.invocation.options } as never)]
          : [],
      );
    const { marketCode } = talk.samples;
    expect(new Set(await buttons(`market show ${marketCode} private:yes`))).toEqual(new Set(["caller"]));
    expect(new Set(await buttons(`market show ${marketCode}`))).toEqual(new Set(["channel"]));
  });
});

describe("choosing it", () => {
  test("is announced to the channel, and cannot be private", async () => {
    const { talk, audience } = await inServer();
    const boss = { command: "answers set", here: OPS, caller: ann, signal: AbortSignal.timeout(10_000) };
    expect(talk.bot.prepare({ ...boss, options: { markets: "everyone" } })).toMatchObject({ visibility: "channel" });
    expect(await talk.ask("answers set everyone private:yes")).toMatch(saying("!", "private"));
    expect(audience("market list")).toBe("caller");
  });

  test("is for managers of a channel; everybody may read it", async () => {
    const { talk, audience } = await inServer();
    talk.become({ caller: bob });
    expect(await talk.ask("answers set everyone")).toMatch(/^! .*manage this channel/u);
    expect(audience("market list")).toBe("caller");
    expect(await talk.ask("answers show")).toMatch(saying("•", "market list", "market show"));
    expect(talk.lastReply.actions).toEqual([]);
  });

  test.each([
    ["direct messages", DIRECT, "server"],
    ["direct messages elsewhere", { platform: "slack", channel: "D1", files: OPS.files }, "workspace"],
    ["the terminal", TERMINAL, "server or workspace"],
    ["the console", CONSOLE_PAGE, "server or workspace"],
  ])("means nothing in %s, which is said", async (_, here: Target, noun) => {
    const { talk } = await inServer();
    talk.become({ here });
    for (const line of ["answers show", "answers set everyone"]) {
      const said = await talk.ask(line);
      expect(said).toMatch(saying("!", "Discord", "Slack"));
      expect(said).toMatch(saying("!", noun));
      expect(talk.lastReply.failure).toBe("caller");
    }
  });

  test("does not take effect when it cannot be stored", async () => {
    const { talk, audience } = await inServer();
    await talk.store.close();
    expect(await talk.ask("answers set everyone")).toMatch(/^✗/u);
    expect(talk.lastReply.failure).toBe("bug");
    expect(audience("market list")).toBe("caller");
  });
});
