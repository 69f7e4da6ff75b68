import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { discordPlatform } from "../../../../src/adapters/discord/platform.ts";
import { labelsOf, type Person, textOf } from "../../../support/fake-discord/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { saying } from "../../../support/said.ts";
import { disposed, probes } from "../probe-commands.ts";
import { stage, type Stage } from "../stage.ts";

let on: Stage;
let ann: Person;
let channel: string;

beforeAll(async () => {
  on = await stage({ extra: probes, simulated: false, timing: { lateAfterMillis: 300 } });
  ann = on.fake.person("Ann");
});
beforeEach(() => {
  channel = on.fake.channel();
  disposed.length = 0;
});
afterAll(() => on[Symbol.asyncDispose]());

describe("long work", () => {
  test("shows progress by editing, and ends with the answer", async () => {
    const dialog = ann.start(channel, "probe slow", { steps: 15 });
    const seen = new Set<string>();
    await until(() => {
      for (const message of dialog.messages) seen.add(textOf(message));
      return [...seen].some((one) => one.startsWith("Done"));
    }, "the end");
    const steps = [...seen].filter((one) => one.startsWith("Step"));
    expect(steps.length).toBeGreaterThan(2);
    expect(dialog.messages).toHaveLength(1);
    expect(dialog.last.edits).toBeLessThan(16);
  });

  test("promises no direct message to who takes none", async () => {
    on.fake.expected.add(50_007);
    const bob = on.fake.person("Bob");
    on.fake.state.channels.get(on.fake.direct(bob))!.gone = "no-access";
    const dialog = bob.start(channel, "probe hold", { millis: 900, private: true });
    await until(() => dialog.messages.some((one) => textOf(one).includes("direct message")), "the notice");
    expect(textOf(dialog.last)).not.toContain("Nothing is lost");
    expect(textOf(dialog.last)).toContain(discordPlatform.directMessagesRemedy);
    await until(() => disposed.includes("late.csv"), "the answer");
  });

  test("beyond the token it says so in time and comes as a direct message, with its files", async () => {
    const dialog = ann.start(channel, "probe hold", { millis: 700, private: true });
    await until(() => dialog.messages.some((one) => textOf(one).includes("direct message")), "the notice");
    on.fake.state.advance(16 * 60_000);
    const direct = (): string | undefined =>
      [...on.fake.state.channels.values()].find(
        (one) =>
          one.recipient === ann.id &&
          one.guild === undefined &&
          ann.sees(one.id).some((message) => textOf(message).includes("At last")),
      )?.id;
    await until(() => direct() !== undefined, "the direct message");
    const message = ann.sees(direct()!).at(-1)!;
    expect(textOf(message)).toContain("probe hold");
    // What a locked phone shows.
    expect(message.content).toContain("At last");
    expect(ann.sees(direct()!).map(({ content }) => content)).not.toContain("");
    expect(message.files.map((file) => file.name)).toEqual(["late.csv"]);
    // Nobody else is there.
    expect(labelsOf(message)).not.toContain("Share");
    await until(() => disposed.includes("late.csv"), "the file to be given up");
  });
});

describe("files", () => {
  const MiB = 1024 * 1024;
  test("carry alternative text, and are given up once sent", async () => {
    const dialog = await ann.run(channel, "probe files", { count: 1 });
    expect(dialog.last.files.map((file) => [file.name, file.description])).toEqual([
      ["small-0.csv", undefined],
      ["chart.png", "Mark price over a day, rising"],
    ]);
    await until(() => disposed.length === 2, "the files to be given up");
  });

  test("that are too large come compressed", async () => {
    const dialog = await ann.run({ channel, maxBytes: MiB }, "probe files", { zeros: 3 * MiB });
    expect(dialog.last.files.map((file) => file.name)).toEqual(["zeros.csv.zip", "chart.png"]);
    expect(dialog.last.files[0]?.bytes.subarray(0, 4).toString("hex")).toBe("504b0304");
  });

  test("that are too large even so are named, with their sizes", async () => {
    const dialog = await ann.run({ channel, maxBytes: MiB }, "probe files", { noise: 2 * MiB + 5 });
    expect(dialog.last.files.map((file) => file.name)).toEqual(["chart.png"]);
    expect(textOf(dialog.last)).toMatch(saying("noise.csv", "2.1 MB", "2.1 MB", "Discord", "1.0 MB"));
  });

  test("that are too large only together come compressed where that helps", async () => {
    const sizes = { noise: 2 * MiB, zeros: 24 * MiB };
    const dialog = await ann.run({ channel, maxBytes: 24 * MiB }, "probe files", sizes);
    await until(() => dialog.last.files.length > 0, "the files");
    expect(dialog.last.files.map((file) => file.name)).toEqual(["noise.csv", "zeros.csv.zip", "chart.png"]);
    expect(textOf(dialog.last)).toBe("Files");
  });

  test("that are too many go into one archive", async () => {
    const dialog = await ann.run(channel, "probe files", { count: 20 });
    expect(dialog.last.files).toHaveLength(10);
    expect(dialog.last.files.map((file) => file.name)).toContain("more-files.zip");
  });
});

test.each([
  ["too long to keep", { first: 1000 }],
  ["that is kept", { first: 100 }],
])("a public list %s has at most 1,200 characters, and loses no row", async (_what, options) => {
  const { last } = await ann.run(channel, "checkpoints", options);
  expect(textOf(last).length).toBeLessThanOrEqual(1200);
  const count = options.first.toLocaleString("en");
  const isKept = labelsOf(last).includes("Details");
  expect(isKept).toBe(options.first < 1000);
  const { edits } = last;
  // What is kept has its file with Details, which are a copy for whoever asks for them.
  const whole = isKept ? (await ann.press(last, "Details")).last : last;
  const csv = whole.files.find(({ name }) => name === "checkpoints.csv")?.bytes.toString();
  expect(csv?.trim().split("\n")).toHaveLength(options.first + 1);
  expect(textOf(last)).toContain(`15 of ${count} rows shown${isKept ? "" : "; all of it in checkpoints.csv"}`);
  if (!isKept) return;
  expect([last.files.length, whole.onlyFor, last.edits]).toEqual([0, ann.id, edits]);
});
