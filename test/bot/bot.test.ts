import { Writable } from "node:stream";

import { describe, expect, test } from "vitest";

import type { ApiClient } from "../../src/api/api-client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import { createBot } from "../../src/bot/bot.ts";
import type { InvocationOutcome } from "../../src/bot/invocation.ts";
import { type AnyCommand, command } from "../../src/bot/command.ts";
import { markSimulated } from "../../src/bot/simulated.ts";
import { BotStopping, UserError } from "../../src/errors.ts";
import { createLog } from "../../src/log.ts";
import { amended, memoryAttachment, reply, type Reply } from "../../src/reply/reply.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { SeenIds } from "../../src/store/store.ts";
import { noAlertService } from "../support/alert-service.ts";
import { saying } from "../support/said.ts";
import { NO_EXPORTS } from "../support/export-jobs.ts";
import { PLATFORMS } from "../support/platforms.ts";

// These tests ask no network: the commands below never touch their client.
const client = (network: string, simulated = false) => ({ network, simulated }) as ApiClient;
const seen: SeenIds = { note: async () => {}, find: async () => [] };

function sample(name: string, run: AnyCommand["run"], more: Partial<AnyCommand> = {}): AnyCommand {
  return {
    ...command({
      name,
      summary: name,
      examples: [name],
      access: "everyone",
      audience: "channel",
      options: { who: { kind: "text", description: "Who", example: "me" } },
      run: async () => reply({ title: name }),
    }),
    run,
    ...more,
  };
}

function talk(commands: readonly AnyCommand[], simulated = false) {
  const logged: string[] = [];
  const outcomes: InvocationOutcome[] = [];
  const log = createLog(
    "debug",
    new Writable({
      write(chunk, _encoding, done) {
        logged.push(String(chunk));
        done();
      },
    }),
  );
  const bot = createBot({
    platforms: PLATFORMS,
    commands,
    clients: [client("mainnet", simulated), client("testnet", simulated)],
    seen,
    parties: {
      save: async () => "saved",
      list: async () => [],
      forget: async () => false,
      erase: async () => undefined,
    },
    exports: NO_EXPORTS,
    alerts: noAlertService(),
    log,
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const rest = {
    here: { platform: "terminal" as const, files: { maxBytes: 1, maxCount: 1 } },
    caller: { id: "u1", name: "Ann", mayManageChannel: false },
    signal: new AbortController().signal,
  };
  return { bot, logged, outcomes, rest, ask: async (line: string) => bot.runLine(line, rest) };
}

const said = (answer: Reply): string =>
  [
    plainText(answer.title),
    ...answer.blocks.map((block) =>
      block.kind === "paragraph" ? plainText(block.text) : block.kind === "code" ? block.text : block.kind,
    ),
  ].join(" | ");

describe("a bot", () => {
  test("asks the network that was named, the first one otherwise", async () => {
    const { ask } = talk([sample("where", async (context) => reply({ title: context.network }))]);
    expect(said(await ask("where"))).toBe("mainnet");
    expect(said(await ask("where network:test"))).toBe("testnet");
    expect(said(await ask("where network:tesnet"))).toMatch(saying("tesnet", "testnet", "mainnet, testnet"));
    expect(said(await ask("where network:tesnet"))).toMatchSnapshot();
  });

  test("what is added to an answer ends at the signal, never rejects, and is marked as the answer is", async () => {
    const added = {
      title: "Done",
      later: async () => amended(reply({ title: "Done" }), [{ kind: "text", text: "Twice." }]),
    };
    const broken = new Error("secret internals");
    const { ask, logged } = talk(
      [
        sample("adds", async () => reply(added)),
        sample("refuses", async () =>
          reply({ title: "a", later: async () => Promise.reject(new UserError("Later.", { remedy: "Wait." })) }),
        ),
        sample("breaks", async () => reply({ title: "a", later: async () => Promise.reject(broken) })),
        sample("waits", async () => reply({ title: "a", later: () => Promise.withResolvers<undefined>().promise })),
      ],
      true,
    );
    const never = new AbortController();
    expect(said((await (await ask("adds")).later?.(never.signal))!)).toBe("SIMULATED · Done | Twice.");
    expect(await (await ask("refuses")).later?.(never.signal)).toBeUndefined();
    expect(logged).toEqual([]);
    expect(await (await ask("breaks")).later?.(never.signal)).toBeUndefined();
    expect(logged.join("")).toContain("answer not amended");
    const waiting = (await ask("waits")).later?.(never.signal);
    never.abort();
    expect(await waiting).toBeUndefined();
    expect(await (await ask("adds")).later?.(never.signal)).toBeUndefined();
  });

  test("answers a line that is too long", async () => {
    const { ask } = talk([sample("where", async (context) => reply({ title: context.network }))]);
    for (const line of ["W".repeat(5000), `where note:"${"W".repeat(5000)}"`]) {
      expect(await ask(line)).toMatchObject({ failure: "caller" });
    }
  });

  test("turns each kind of error into a reply that says who can act", async () => {
    const api = new ApiError("server", "n1 failed: boom", {
      network: "mainnet",
      node: "n1",
      httpStatus: 500,
      code: 13,
    });
    const { ask, logged, outcomes } = talk([
      sample("caller", async () => Promise.reject(new UserError("Wrong.", { remedy: "Do this.", suggestion: "help" }))),
      sample("network", async () => Promise.reject(api)),
      sample("bug", async () => Promise.reject(new Error("secret internals"))),
    ]);
    const caller = await ask("caller");
    expect([caller.failure, caller.tone, said(caller)]).toEqual(["caller", "warning", "Wrong. | Do this. | help"]);
    const network = await ask("network");
    expect([network.failure, network.tone, said(network)]).toEqual([
      "network",
      "bad",
      expect.stringMatching(/ \| n1 failed: boom \| fields$/u),
    ]);
    const bug = await ask("bug");
    expect([bug.failure, said(bug).includes("secret internals")]).toEqual(["bug", false]);
    const id = /\b[0-9a-f]{8}\b/u.exec(said(bug))?.[0];
    expect(logged.join("")).toMatch(saying(`bug":"${id}`));
    expect(logged.join("")).toContain("secret internals");
    expect(outcomes.map(({ command: name, outcome }) => `${name} ${outcome}`)).toEqual([
      "caller caller",
      "network network",
      "bug bug",
    ]);
  });

  test("changes nothing for an address or an old button, and offers its form or the line to type", async () => {
    const done: string[] = [];
    const run = async (): Promise<Reply> => reply({ title: `done ${done.push("change")}` });
    const { bot, rest } = talk([sample("change", run, { changes: true, alsoCalled: ["alter"] }), sample("read", run)]);
    for (const line of ["change who:me", "alter who:me"]) {
      const answer = await bot.runLine(line, { ...rest, again: true });
      expect([line, answer.failure, said(answer)]).toEqual([line, "caller", expect.stringContaining("change who:me")]);
    }
    const fields = () => ["who"];
    const filled = talk([sample("change", run, { changes: true, fields })]);
    const { actions } = await filled.bot.runLine("change who:me", { ...filled.rest, again: true });
    const invocation = { command: "change", options: { who: "me" } };
    expect(actions).toEqual([{ label: "Fill in the form", form: true, invocation, effect: "reply" }]);
    expect(done).toEqual([]);
    await bot.runLine("read", { ...rest, again: true });
    await bot.runLine("change", rest);
    expect(done).toHaveLength(2);
  });

  test("answers a line however long it is", async () => {
    const ask = sample("ask", async () => reply({ title: "x" }));
    const { bot, rest } = talk([ask]);
    for (const line of ["x".repeat(500), "x".repeat(5000), "word ".repeat(2000)]) {
      const answer = await bot.runLine(line, rest);
      expect([answer.failure, said(answer)]).toEqual(["caller", expect.not.stringContaining("question has")]);
    }
  });

  test("decides before running who will see the answer", () => {
    const { bot, rest } = talk([
      sample("open", async () => reply({ title: "x" })),
      sample("quiet", async () => reply({ title: "x" }), { audience: "caller" }),
    ]);
    const visibility = (name: string, options: Record<string, boolean>) => {
      const prepared = bot.prepare({ command: name, options, ...rest });
      return prepared.ok ? prepared.visibility : "refused";
    };
    expect(visibility("open", {})).toBe("channel");
    expect(visibility("open", { private: true })).toBe("caller");
    expect(visibility("quiet", {})).toBe("caller");
    expect(visibility("quiet", { private: false })).toBe("channel");
  });

  test("keeps what changes a channel's alerts to those who manage it", async () => {
    const { bot, rest } = talk([sample("change", async () => reply({ title: "done" }), { access: "channel-manager" })]);
    const ask = { command: "change", options: {} };
    const refused = await bot.run({ ...ask, ...rest });
    expect([refused.failure, said(refused)]).toEqual(["caller", expect.stringMatching(saying("change"))]);
    expect(said(refused)).toMatchSnapshot();
    const guest = { ...rest, caller: { ...rest.caller, mayNotManage: "Guests may not." } };
    expect(said(await bot.run({ ...ask, ...guest }))).toContain("Guests may not.");
    const manager = { ...rest, caller: { ...rest.caller, mayManageChannel: true } };
    expect(said(await bot.run({ ...ask, ...manager }))).toBe("done");
  });

  test("names the option at fault, so that a form can show it there", () => {
    const { bot, rest } = talk([sample("open", async () => reply({ title: "x" }))]);
    const prepared = bot.prepare({ command: "open", options: { private: "perhaps" }, ...rest });
    expect(prepared.ok ? undefined : prepared.option).toBe("private");
  });

  test("says of everything simulated that it is", async () => {
    const run: AnyCommand["run"] = async (context) => {
      context.progress(reply({ title: "half" }));
      return reply({
        title: "done",
        blocks: [{ kind: "table", name: "rows", columns: [], rows: [] }],
        attachments: [memoryAttachment("ledger.csv", "text/csv", "a")],
      });
    };
    const { bot, rest } = talk([sample("make", run)], true);
    const progress: string[] = [];
    const answer = await bot.runLine("make", { ...rest, progress: (step) => progress.push(said(step)) });
    expect(progress).toEqual(["SIMULATED · half"]);
    expect(said(answer)).toBe("SIMULATED · done | table");
    expect(answer.attachments.map((file) => file.name)).toEqual(["SIMULATED-ledger.csv"]);
    expect(answer.blocks[0]).toMatchObject({ name: "SIMULATED-rows" });
    // A kept export is marked already by its own network.
    expect(markSimulated(answer)).toBe(answer);
  });

  test("answers a cancelled question as cancelled, not as a bug", async () => {
    const controller = new AbortController();
    const { bot, rest } = talk([
      sample("long", async () => {
        controller.abort();
        throw new Error("whatever fell over");
      }),
    ]);
    const answer = await bot.runLine("long", { ...rest, signal: controller.signal });
    expect([said(answer), answer.failure]).toEqual(["Cancelled", "caller"]);
  });

  test("says of a question that its own stop breaks off that it can be asked again, and is nobody's mistake", async () => {
    const controller = new AbortController();
    const { bot, rest } = talk([
      sample("long", async () => {
        controller.abort(new BotStopping());
        throw new Error("whatever fell over");
      }),
    ]);
    const answer = await bot.runLine("long", { ...rest, signal: AbortSignal.any([controller.signal]) });
    expect(said(answer)).not.toContain("whatever fell over");
    expect(said(answer)).toMatchSnapshot();
    expect(answer.failure).toBe("network");
  });

  test.each<[name: string, values: () => Promise<Record<string, string> | undefined>, present: unknown]>([
    ["what the thing has", async () => ({ note: "x" }), { note: "x" }],
    ["nothing where there is no such thing", async () => undefined, undefined],
    ["nothing where it cannot be read", async () => Promise.reject(new Error("down")), undefined],
  ])("begins the form that changes a thing with %s", async (_name, values, present) => {
    const who = { kind: "text", description: "Who", example: "me" } as const;
    const run = async () => reply({ title: "x" });
    const asked: string[] = [];
    const edits = {
      option: "who",
      values: (id: string) => {
        asked.push(id);
        return values();
      },
    };
    const { bot, rest } = talk([sample("pick", run, { options: { who }, edits }), sample("plain", run)]);
    expect(await bot.present({ command: "pick", options: { who: " ann " }, ...rest })).toEqual(present);
    expect(await bot.present({ command: "pick", options: {}, ...rest })).toBeUndefined();
    expect(await bot.present({ command: "plain", options: {}, ...rest })).toBeUndefined();
    expect(asked).toEqual(["ann"]);
  });

  test("offers nothing where completion fails", async () => {
    const { bot, rest } = talk([
      sample("pick", async () => reply({ title: "x" }), {
        options: {
          who: {
            kind: "text",
            description: "Who",
            example: "me",
            suggest: async () => Promise.reject(new Error("down")),
          },
        },
      }),
    ]);
    expect(await bot.suggest({ command: "pick", options: {}, option: "who", typed: "a", ...rest })).toEqual([]);
    expect((await bot.completions("pick ", rest)).map(({ line }) => line)).toEqual([
      "pick who:",
      "pick network:",
      "pick private:yes",
    ]);
  });
});
