import { describe, expect, test } from "vitest";

import { UserError } from "../../../src/errors.ts";
import {
  amended,
  type Attachment,
  commandAction,
  memoryAttachment,
  reply,
  type Reply,
} from "../../../src/reply/reply.ts";
import { field, paragraph } from "../../../src/reply/block.ts";
import { ReplyJson } from "../../../src/reply/document.ts";
import { number, text } from "../../../src/reply/text.ts";
import { saying } from "../../support/said.ts";
import { talk } from "./fake-terminal.ts";

const good = reply({ title: "All is well" });
const failed = (failure: "caller" | "network" | "bug"): Reply => reply({ tone: "bad", title: `A ${failure}`, failure });

/** An answer that comes only when the question is aborted. */
const untilAborted = (_line: string, { signal }: { signal: AbortSignal }): Promise<Reply> =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(reply({ tone: "warning", title: "Cancelled", failure: "caller" })));
  });

describe("one question", () => {
  test("is answered on standard output", async () => {
    const terminal = talk(["market list"], { answers: { "market list": good } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.out()).toBe("• All is well\n");
    expect(terminal.err()).toBe("");
    expect(terminal.closed()).toBe(true);
  });

  test("is answered at once, and what is added comes below; JSON has both as one document", async () => {
    const coming = Promise.withResolvers<Reply | undefined>();
    const given = reply({ title: "Subscribed", actions: [commandAction("Remove", "remove")] });
    const whole = amended(given, text`It would have told you twice.`, [commandAction("Undo", "undo")]);
    const answers = { add: { ...given, later: () => coming.promise } };
    const [terminal, json] = [talk(["add"], { answers }), talk(["add", "--json"], { answers })];
    await terminal.sees("Remove");
    expect(json.out()).toBe("");
    coming.resolve(whole);
    expect(await Promise.all([terminal.exit, json.exit])).toEqual([0, 0]);
    expect(terminal.out()).toMatch(/Subscribed[^]*\n• It would have told you twice\.\n[^]*Undo[^\n]*undo"\n/u);
    expect(ReplyJson.parse(JSON.parse(json.out()))).toMatchObject({ added: whole.added, actions: whole.actions });
  });

  test("waits for what is added until it is interrupted", async () => {
    const waiting = Promise.withResolvers<undefined>();
    const left = Promise.withResolvers<undefined>();
    const never = (signal: AbortSignal): Promise<undefined> => {
      signal.addEventListener("abort", () => left.resolve(undefined));
      waiting.resolve(undefined);
      return left.promise;
    };
    const terminal = talk(["add"], { answers: { add: { ...good, later: never } } });
    await waiting.promise;
    expect(terminal.out()).toBe("• All is well\n");
    terminal.interrupt();
    expect(await terminal.exit).toBe(0);
  });

  test("shows the answer, and its details with --full", async () => {
    const folded = reply({
      title: text`Trades at ${number("1.25000", "1.25")}`,
      blocks: [
        { kind: "fields", fields: [field("Bid", number("1.20000", "1.2"))] },
        { ...paragraph("Opened in 2023"), detail: true },
      ],
    });
    const answers = { price: folded };
    const short = talk(["price"], { answers });
    expect(await short.exit).toBe(0);
    expect(short.out()).toMatch(saying("1.25", "Bid", "1.2", "--full"));
    expect(short.out()).not.toMatch(saying("1.20000", "2023"));
    const whole = talk(["price", "--full"], { answers });
    expect(await whole.exit).toBe(0);
    expect(whole.out()).toMatch(saying("1.25", "Bid", "1.20000", "2023"));
    const quoted = talk(["price --full"], { answers });
    expect(await quoted.exit).toBe(0);
    expect(quoted.out()).toBe(whole.out());
    const prompt = talk([], { answers });
    prompt.type("price\nfull\n");
    prompt.end();
    expect(await prompt.exit).toBe(0);
    expect(prompt.out()).toMatch(saying("1.2", "full", "1.20000", "2023"));
    expect(prompt.asked).toHaveLength(1);
    const atOnce = talk([], { answers });
    atOnce.type("price --full\n");
    atOnce.end();
    expect(await atOnce.exit).toBe(0);
    expect(atOnce.out()).toMatch(saying("1.25", "Bid", "1.20000", "2023"));
  });

  test.each([
    ["caller", 1],
    ["network", 2],
    ["bug", 3],
  ] as const)("that fails by the %s exits with %i and says so on standard error", async (failure, code) => {
    const terminal = talk(["time"], { answers: { time: failed(failure) } });
    expect(await terminal.exit).toBe(code);
    expect(terminal.out()).toBe("");
    expect(terminal.err()).toBe(`✗ A ${failure}\n`);
  });

  test.each([
    [["market", "show", "BTC/USD"], "market show BTC/USD"],
    [["market", "show", "BTC / USD", "--network", "testnet"], 'market show "BTC / USD"'],
    [["ledger", "export", "asset:a b", "--from", "7d"], 'ledger export asset:"a b" --from 7d'],
    [['market show "BTC / USD"'], 'market show "BTC / USD"'],
    [["market show BTC/USD", "--jason"], "market show BTC/USD --jason"],
    [['market show "BTC / USD"', "testnet"], 'market show "BTC / USD" testnet'],
    [["--json", "time", "--", "--json"], "time --json"],
    [["order", 'say "hi"'], 'order "say \\"hi\\""'],
    [[""], ""],
  ])("%j is the line %j", async (argv, line) => {
    const terminal = talk(argv, { answers: { [line]: good } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked.map((asked) => asked.line)).toEqual([line]);
  });

  test.each([[["time", "--network", "testnet"]], [["--network=testnet", "time"]]])("%j asks testnet", async (argv) => {
    const terminal = talk(argv, { answers: { time: good } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked).toEqual([{ line: "time", network: "testnet", takesFiles: false }]);
  });

  test.each([
    [["time", "--network"], "--network"],
    [["time", "--out", "--json"], "--out"],
    [["time", "--out=a", "--out", "b"], "--out"],
    [["time", "--help=me"], "--help"],
  ])("%j is refused before anything is opened", async (argv, option) => {
    const terminal = talk(argv, {
      open: () => {
        throw new Error("must not be opened");
      },
    });
    expect(await terminal.exit).toBe(1);
    const said = terminal.out() + terminal.err();
    expect(said).toContain(option);
    expect(said).toMatchSnapshot();
  });

  test("--help says how to ask, without opening anything", async () => {
    const terminal = talk(["--help"], {
      open: () => {
        throw new Error("must not be opened");
      },
    });
    expect(await terminal.exit).toBe(0);
    expect(terminal.out()).toContain("Usage:");
  });

  test("--help beside a command is that command's", async () => {
    const terminal = talk(["--help", "time"], { answers: { "time --help": good } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.asked).toMatchObject([{ line: "time --help" }]);
  });

  test("--version alone says which, without opening anything", async () => {
    const terminal = talk(["--version"], {
      open: () => {
        throw new Error("must not be opened");
      },
    });
    expect(await terminal.exit).toBe(0);
    expect(terminal.out()).toBe("Bellwether 1.2.3\n");
  });

  test("that cannot be asked says what the user can fix", async () => {
    const terminal = talk(["time"], {
      open: async () => {
        throw new UserError("DEFAULT_NETWORK is wrong.", { remedy: "Set it to mainnet." });
      },
    });
    expect(await terminal.exit).toBe(1);
    expect(terminal.err()).toContain("DEFAULT_NETWORK is wrong.");
    expect(terminal.err()).toContain("Set it to mainnet.");
  });

  test("that meets a bug shows its number and never its message", async () => {
    const terminal = talk(["boom"]);
    expect(await terminal.exit).toBe(3);
    expect(terminal.err()).toMatch(/[\da-f]{8}/u);
    expect(terminal.err()).not.toContain("no answer");
  });
});

describe("--json", () => {
  test("prints the reply as one document", async () => {
    const terminal = talk(["time", "--json"], { answers: { time: good } });
    expect(await terminal.exit).toBe(0);
    expect(ReplyJson.parse(JSON.parse(terminal.out())).title).toEqual([{ kind: "text", text: "All is well" }]);
  });

  test.each([[["time"]], [["--network"]], [["boom"]]])("prints failures of %j there, too", async (argv) => {
    const terminal = talk([...argv, "--json"], { answers: { time: failed("network") } });
    const code = await terminal.exit;
    const { failure } = ReplyJson.parse(JSON.parse(terminal.out()));
    expect({ caller: 1, network: 2, bug: 3 }[failure ?? "bug"]).toBe(code);
    expect(terminal.err()).toBe("");
  });
});

describe("Ctrl-C", () => {
  test("ends the question through its signal and exits with 130", async () => {
    const terminal = talk(["slow"], { answers: { slow: untilAborted } });
    await new Promise(setImmediate);
    terminal.interrupt();
    // npm and the launcher pass the signal on, so that one key press arrives more than once.
    terminal.interrupt();
    expect(await terminal.exit).toBe(130);
    expect(terminal.err()).toContain("Cancelled");
    expect(terminal.closed()).toBe(true);
  });
});

describe("progress", () => {
  const slow = async (_line: string, { progress }: { progress?: (report: Reply) => void }): Promise<Reply> => {
    progress?.(reply({ title: "Export", blocks: [paragraph("12 rows, \u001B[31m東京 and a sentence that goes on")] }));
    return good;
  };

  test("is one line on a terminal's standard error, cut to its width and erased at the end", async () => {
    const terminal = talk(["slow"], { answers: { slow }, tty: true, columns: 30 });
    expect(await terminal.exit).toBe(0);
    expect(terminal.err()).toBe("\r\u001B[2KExport: 12 rows, ␛[31m東京 a…\r\u001B[2K");
    expect(terminal.out()).toBe("• All is well\n");
  });

  test("is not shown where nobody watches", async () => {
    const terminal = talk(["slow"], { answers: { slow } });
    expect(await terminal.exit).toBe(0);
    expect(terminal.err()).toBe("");
  });
});

describe("looks", () => {
  const bold = "\u001B[1;34m•";
  test.each([
    ["a terminal", { tty: true, preferences: {} }, true],
    ["a pipe", { preferences: {} }, false],
    ["NO_COLOR", { tty: true, preferences: { noColor: "1" } }, false],
    ["an empty NO_COLOR", { tty: true, preferences: { noColor: "" } }, true],
    ["FORCE_COLOR in a pipe", { preferences: { forceColor: "1" } }, true],
    ["FORCE_COLOR over NO_COLOR", { preferences: { forceColor: "", noColor: "1" } }, true],
    ["FORCE_COLOR=0", { tty: true, preferences: { forceColor: "0" } }, false],
    ["a dumb terminal", { tty: true, preferences: { term: "dumb" } }, false],
  ])("%s", async (_what, given, coloured) => {
    const terminal = talk(["time"], { answers: { time: good }, ...given });
    await terminal.exit;
    expect(terminal.out().includes(bold)).toBe(coloured);
  });

  test.each([
    [{ preferences: {} }, 200],
    [{ preferences: { columns: "40" } }, 40],
    [{ tty: true, columns: 0, preferences: { noColor: "1" } }, 80],
    [{ tty: true, columns: 0, preferences: { columns: "100", noColor: "1" } }, 100],
    [{ tty: true, columns: 33, preferences: { columns: "99", noColor: "1" } }, 33],
  ])("%j is %i columns wide", async (given, width) => {
    const wide = reply({
      title: "T",
      blocks: [
        {
          kind: "table",
          name: "t",
          columns: [{ title: "A" }],
          rows: [["word ".repeat(60)].map((text) => [{ kind: "text" as const, text }])],
        },
      ],
    });
    const terminal = talk(["time"], { answers: { time: wide }, ...given });
    await terminal.exit;
    expect(
      Math.max(
        ...terminal
          .out()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeGreaterThan(width - 6);
    expect(
      Math.max(
        ...terminal
          .out()
          .split("\n")
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(width);
  });
});

test("files are given up once the answer is shown", async () => {
  let disposed = 0;
  const file: Attachment = {
    ...memoryAttachment("a.csv", "text/csv", "1"),
    dispose: async () => {
      disposed += 1;
    },
  };
  const terminal = talk(["export"], { answers: { export: reply({ title: "Done", attachments: [file] }) } });
  expect(await terminal.exit).toBe(0);
  expect(disposed).toBe(1);
  expect(terminal.out()).toContain("--out DIR");
});
