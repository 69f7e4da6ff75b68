import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";

import { commands } from "../../commands/index.ts";
import type { Block } from "../../src/reply/block.ts";
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
