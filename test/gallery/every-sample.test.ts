import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { commands } from "../../commands/index.ts";
import type { Block } from "../../src/reply/block.ts";
import { shortenId } from "../../src/reply/text.ts";
import { DEFAULT_SEED } from "../../src/simulator/simulator.ts";
import { sampleIds } from "../support/sample-ids.ts";
import { keysIn, textsShown, unnamedIdsIn, zonesIn } from "./doubts.ts";
import { HEADLINES, NAMES_THE_FAULT, QUESTIONS, TELLS } from "./headlines.ts";
import { type Sample, samples, type Shown, SURFACES } from "./samples.ts";
import { viewTexts } from "./views.ts";

/** What is shown with nothing below the fold. */
function withDetails(shown: Shown): Shown {
  const blocks = shown.reply.blocks.map((block): Block => {
    const { detail: _, page: __, ...whole } = block;
    return whole;
  });
  return { ...shown, reply: { ...shown.reply, blocks } };
}

/** The command that a line begins with. */
function commandIn(line: string): string {
  const names = commands.map(({ name }) => name).toSorted((a, b) => b.length - a.length);
  return names.find((name) => line === name || line.startsWith(`${name} `)) ?? "";
}

describe("every sample, on all four surfaces", () => {
  const zones: string[] = [];
  const keys: string[] = [];
  const ids: string[] = [];
  const unanswered: string[] = [];
  const asked = new Set<string>();
  let read = 0;

  beforeAll(async () => {
    // The previews of the chats show times in the reader's zone.
    vi.stubEnv("TZ", "UTC");
    for await (const sample of samples()) {
      for (const surface of SURFACES) {
        const shown = sample.shown[surface];
        const lines = textsShown(surface, shown);
        look(`${sample.id} ${surface}`, lines);
        // Chats show the details in the place of what is folded.
        if (surface !== "web") look(`${sample.id} ${surface}, its details`, textsShown(surface, withDetails(shown)));
        // A form stands in the place of that answer.
        if (surface === "discord" && shown.form !== undefined) continue;
        const fault = headlineFault(sample, lines, shown);
        if (fault !== undefined) unanswered.push(`${sample.id} ${surface}: ${fault}`);
      }
    }
    for (const { id, texts } of await viewTexts()) look(id, texts);
  }, 120_000);
  afterAll(() => void vi.unstubAllEnvs());

  function look(where: string, lines: readonly string[]): void {
    read += 1;
    const found = zonesIn(lines);
    if (found.size > 1 || found.has("none")) zones.push(`${where}: ${[...found].join(" | ")}`);
    keys.push(...keysIn(lines).map((line) => `${where}: ${line}`));
    ids.push(...unnamedIdsIn(lines).map((line) => `${where}: ${line}`));
  }

  /** The headline as the surface shows it, where it does not answer. */
  function headlineFault({ title }: Sample, lines: readonly string[], { reply, as }: Shown): string | undefined {
    const first = lines.filter((line) => line !== "Only visible to you").slice(0, 2);
    const said = first.join(" ").replaceAll(/\s+/gu, " ");
    const command = commandIn(title);
    if (as !== "alert" && reply.failure === undefined) asked.add(command);
    const wanted =
      as === "alert" ? TELLS : reply.failure === undefined ? (QUESTIONS[title] ?? HEADLINES[command]) : NAMES_THE_FAULT;
    if (wanted === undefined) return "no headline is listed for it";
    return wanted.test(said) ? undefined : said;
  }

  test("are all read", () => {
    expect(read).toBeGreaterThan(300 * SURFACES.length);
    expect(Object.keys(HEADLINES).filter((name) => !asked.has(name))).toEqual([]);
  });

  test("have one zone each", () => {
    expect(zones).toEqual([]);
  });

  test("show no key of the program or of the wire", () => {
    expect(keys).toEqual([]);
  });

  test("show no id of what they name", () => {
    expect(ids).toEqual([]);
  });

  test("answer in their first line", () => {
    expect(unanswered).toEqual([]);
  });
});

describe("what no sample may show is found", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["UTC beside a drawn time", ["Until ⟨drawn⟩", "As of 12:00:00 UTC"], ["the reader's", "UTC"]],
    ["an ISO time with Z", ["Until ⟨drawn⟩", "2026-01-14T12:00Z to 2026-01-15T12:00Z"], ["the reader's", "UTC"]],
    ["two zones by name", ["12:00 UTC", "from 13:00 by the clock of Europe/Zurich"], ["UTC", "Europe/Zurich"]],
    ["a moment without a zone", ["Until 2026-01-15 12:00:00"], ["none"]],
    ["what repeats has a zone of its own", ["quiet 22:00 to 07:00 Europe/Zurich", "⟨drawn⟩"], ["the reader's"]],
    ["a zone that is named once", ["Until 2026-01-15 12:00:00", "times in UTC"], ["UTC"]],
  ])("%s", (_, lines, zones) => {
    expect([...zonesIn(lines).keys()]).toEqual(zones);
  });

  test.each([
    "ORDER_ERROR_SELF_TRADING",
    "network.stalled|mainnet||7",
    "is undefined",
    "networkAssetId",
    "[object Object]",
  ])("the key in %s", (line) => {
    expect(keysIn([line])).toEqual([line]);
  });

  test("an id beside which its name is missing", () => {
    const { marketId, marketCode } = sampleIds(DEFAULT_SEED).mainnet;
    const short = shortenId(marketId);
    expect(unnamedIdsIn([marketCode, `Market ${short}`, `${marketCode} ${short}`, "Market id", marketId])).toEqual([
      `Market ${short}`,
    ]);
  });
});
