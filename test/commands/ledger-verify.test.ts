import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";

import { describe, expect, test } from "vitest";

import { fitFiles } from "../../src/adapters/discord/render/files.ts";
import { fileAt } from "../../src/adapters/terminal/line-runner.ts";
import { withTablesAsFiles } from "../../src/adapters/terminal/write-files.ts";
import type { Target } from "../../src/bot/invocation.ts";
import { silentLog } from "../../src/log.ts";
import { memoryAttachment } from "../../src/reply/reply.ts";
import { saying } from "../support/said.ts";
import { talkToSimulator } from "./conversation.ts";

const files = { maxBytes: 1e9, maxCount: 10 };
const IN_SERVER: Target = { platform: "discord", workspace: "99", channel: "5", files };
const ann = { id: "1", name: "ann", mayManageChannel: true };
const bob = { id: "2", name: "bob", mayManageChannel: true };
const sha256 = (bytes: string): string => createHash("sha256").update(bytes).digest("hex");

/** A conversation in which ann exported a ledger, with the file's text, and a way to give a file back. */
async function exported() {
  const talk = await talkToSimulator();
  talk.become({ here: IN_SERVER, caller: ann });
  const { attachments } = await talk.askFor(`ledger export ${talk.samples.partyId} USDT from:1d`);
  const csv = (await buffer(attachments[0]!.open())).toString();
  const verify = async (given: string, name = "given.csv"): Promise<string> => {
    const file = path.join(path.dirname(talk.database), name);
    await writeFile(file, given);
    talk.become({ openFile: () => fileAt(file) });
    return talk.ask("ledger verify given");
  };
  const failure = (): string | undefined => talk.lastReply.failure;
  return { ...talk, csv, verify, failure, name: attachments[0]!.name };
}

describe("a file that is given back", () => {
  const lines = (csv: string): string[] => csv.trimEnd().split(/\r?\n/u);

  test("is recognised byte for byte, by its hash alone, too", async () => {
    const { csv, verify, ask, name } = await exported();
    expect(await verify(csv)).toMatch(saying("✓", "given.csv", "00000001", sha256(csv)));
    expect(await ask(`ledger verify sha256:${sha256(csv).toUpperCase()}`)).toMatch(
      saying("•", "00000001", name, "No file was read"),
    );
    expect(await ask(`ledger verify sha256:${sha256("other")}`)).toMatch(saying("!", sha256("other")));
  });

  test("is recognised as a table of the answer, and as an archive that a platform made", async () => {
    const { lastReply, verify, ask } = await exported().then((talk) => ({ ...talk, lastReply: talk.lastReply }));
    const tables = withTablesAsFiles(lastReply).attachments.slice(1);
    expect(tables.map((file) => file.name)).toEqual(["transfer-types.csv", "balances.csv"]);
    for (const file of tables) {
      const csv = (await buffer(file.open())).toString();
      const said = await verify(csv, file.name);
      expect(said).toMatch(saying("✓", file.name, "00000001"));
      expect([/^Rows +(\d+)$/mu.exec(said)?.[1], said.includes("Span")]).toEqual([`${lines(csv).length - 1}`, false]);
      expect(await ask(`ledger verify sha256:${file.sha256}`)).toMatch(saying("•", file.name, "00000001"));
    }
    const given = lastReply.attachments.map((attachment) => ({ name: attachment.name, alt: undefined, attachment }));
    const more = [...Array(10).keys()].map((index) => {
      const attachment = memoryAttachment(`other-${index}.csv`, "text/csv", "a");
      return { name: attachment.name, alt: undefined, attachment };
    });
    const fitted = await fitFiles([...more, ...given], { log: silentLog(), signal: new AbortController().signal });
    const archive = fitted.files.at(-1)!;
    expect(archive.name).toBe("more-files.zip");
    const { sha256: hash } = archive.attachment;
    await fitted.dispose();
    expect(await ask(`ledger verify sha256:${hash}`)).toMatch(saying("•", "more-files.zip", "00000001"));
  });

  test.each<[string, (csv: string) => string, RegExp]>([
    ["with other line ends", (csv) => csv.replaceAll("\n", "\r\n"), saying("✓", "00000001")],
    [
      "in another order",
      (csv) => `${[lines(csv)[0], ...lines(csv).slice(1).toReversed()].join("\r\n")}\r\n`,
      saying("✓", "00000001"),
    ],
    ["without a row", (csv) => `${lines(csv).slice(0, -1).join("\r\n")}\r\n`, saying("✗", "00000001", 23, 24)],
    [
      "without a row, and renamed",
      (csv) => `${lines(csv).toSpliced(3, 1).join("\n")}\n`,
      saying("✗", "renamed.csv", "00000001", 23, 24),
    ],
    [
      "with another quantity",
      (csv) =>
        csv.replace(/(\n[^,]*,)(\d)/u, (_, before: string, digit: string) => `${before}${(Number(digit) + 1) % 10}`),
      saying("✗", "00000001", "quantity"),
    ],
  ])("%s is told from the original", async (what, change, said) => {
    const { csv, verify, name } = await exported();
    const changed = change(csv);
    expect(changed).not.toBe(csv);
    const called = what.includes("renamed") ? "renamed.csv" : name.replace(".csv", " (1).csv");
    expect((await verify(changed, called)).replaceAll(/\s+/gu, " ")).toMatch(said);
  });

  test("of which several exports were made is that of the first of them, and names the others", async () => {
    const { ask, askFor, advance, become, verify, samples } = await exported();
    const line = `ledger export ${samples.partyId} USDT from:yesterday`;
    const { attachments } = await askFor(line);
    const csv = (await buffer(attachments[0]!.open())).toString();
    advance(60_000);
    await ask(line);
    become({ here: IN_SERVER, caller: ann });
    const [headline = "", ...below] = (await verify(csv)).split("\n\n");
    expect(headline).toMatch(saying("✓", "00000002"));
    expect(below.join("\n\n")).toMatch(saying("00000003"));
  });

  test("fails its check where it is not the one: a script goes on only with a file that is", async () => {
    const { csv, verify, failure } = await exported();
    const failureOf = async (given: string): Promise<string | undefined> => {
      await verify(given);
      return failure();
    };
    expect(await failureOf(csv)).toBeUndefined();
    expect(await failureOf(csv.replaceAll("\n", "\r\n"))).toBeUndefined();
    expect(await failureOf(`${lines(csv).slice(0, -1).join("\n")}\n`)).toBe("caller");
    expect(await failureOf("a,b\n1,2\n")).toBe("caller");
  });

  test("that is no export's is not taken for one, whatever it is", async () => {
    const { verify, askFor } = await exported();
    for (const given of ["", "a,b\n1,2\n", "\u0000\u0001"])
      expect(await verify(given)).toMatch(saying("!", sha256(given)));
    expect(await askFor("ledger verify")).toMatchObject({ failure: "caller" });
    expect(await askFor("ledger verify sha256:abc")).toMatchObject({ failure: "caller" });
  });

  test("that is a header alone is of no export: one without entries delivered no file", async () => {
    const { become, askFor, csv, verify, failure, samples } = await exported();
    await askFor(`ledger export ${samples.partyId} USDT from:2026-01-15T11:59:59 to:2026-01-15T12:00`);
    become({ caller: ann });
    expect(await verify(`${lines(csv)[0]}\n`)).not.toContain("00000002");
    expect(failure()).toBe("caller");
  });

  test("is recognised a year later, when nothing else is left of its export", async () => {
    const { csv, verify, advance, store, samples, now } = await exported();
    const day = 86_400_000;
    for (const days of [2, 365]) {
      advance(days * day);
      const at = Number(now() / 1_000_000n);
      await store.exports.prune(at, at - 400 * day);
      expect(await verify(csv)).toMatch(saying("✓", "00000001"));
    }
    expect(JSON.stringify(await store.exports.get("00000001"))).not.toContain(samples.partyId);
    advance(400 * day);
    const at = Number(now() / 1_000_000n);
    await store.exports.prune(at, at - 400 * day);
    expect(await verify(csv)).toMatch(/^!/u);
  });

  test("where no file can be given, its hash serves", async () => {
    const { askFor } = await exported();
    expect(await askFor("ledger verify report.csv")).toMatchObject({ failure: "caller" });
  });
});

test("who has the very bytes may verify them within the workspace; nobody learns of what others exported", async () => {
  const { csv, verify, become, name } = await exported();
  const changed = csv.replace(/\r?\n[^\n]*\n$/u, "\n");
  become({ caller: bob });
  expect(await verify(csv)).toMatch(saying("✓", "00000001"));
  expect(await verify(changed, name)).toMatch(/^!/u);
  for (const here of [
    { ...IN_SERVER, workspace: "100" },
    { platform: "discord", channel: "7", files },
  ]) {
    become({ here, caller: bob });
    expect(await verify(csv)).toMatch(/^!/u);
    become({ here, caller: ann });
    expect(await verify(csv)).toMatch(saying("✓", "00000001"));
  }
  become({ here: { platform: "slack", workspace: "99", files }, caller: ann });
  expect(await verify(csv)).toMatch(/^!/u);
  become({ here: { platform: "web", files }, caller: { id: "console", name: "console", mayManageChannel: true } });
  expect(await verify(changed, name)).toMatch(saying("✗", "00000001"));
});
