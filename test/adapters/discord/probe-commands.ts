import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";

import { command } from "../../../src/bot/command.ts";
import { UserError } from "../../../src/errors.ts";
import { type Attachment, memoryAttachment, reply, type Reply } from "../../../src/reply/reply.ts";
import { paragraph } from "../../../src/reply/block.ts";
import { id, text } from "../../../src/reply/text.ts";

// Commands that provoke the rare cases of real ones.

const nothing = {
  examples: [],
  access: "everyone",
  audience: "channel",
} as const;

/** Counts the files that were disposed of. */
export const disposed: string[] = [];

function watched(attachment: Attachment): Attachment {
  return { ...attachment, open: () => attachment.open(), dispose: async () => void disposed.push(attachment.name) };
}

/** Bytes that no archive makes smaller, made as they are read. */
function noise(name: string, sizeBytes: number): Attachment {
  const pattern = randomBytes(1 << 20);
  async function* bytes(): AsyncGenerator<Buffer> {
    for (let sent = 0; sent < sizeBytes; sent += pattern.length) {
      yield pattern.subarray(0, Math.min(pattern.length, sizeBytes - sent));
    }
  }
  return {
    name,
    mediaType: "text/csv",
    sizeBytes,
    sha256: createHash("sha256").digest("hex"),
    open: () => Readable.from(bytes()),
    dispose: async () => void disposed.push(name),
  };
}

export const LONG_ID = "ab".repeat(32);

export const probes = [
  command({
    ...nothing,
    name: "probe fail",
    summary: "Fails as asked",
    options: {
      how: {
        kind: "choice",
        description: "How",
        required: true,
        choices: ["caller", "bug", "shapeless"].map((value) => ({ label: value, value })),
      },
    },
    run: async ({ options }) => {
      if (options.how === "caller") throw new UserError("That was a mistake.", { remedy: "Try the other one." });
      // No command may return it, and no renderer can show it.
      if (options.how === "shapeless") return { ...reply({ title: "x" }), blocks: undefined } as unknown as Reply;
      throw new Error("the inner words of a bug");
    },
  }),
  command({
    ...nothing,
    name: "probe slow",
    summary: "Shows progress until it is told to go on",
    options: { steps: { kind: "integer", description: "How many", min: 1, max: 1000, required: true } },
    run: async (context) => {
      const { options, signal } = context;
      for (let step = 1; step <= options.steps; step += 1) {
        context.progress(reply({ title: `Step ${step}` }));
        await sleep(10, undefined, { signal });
      }
      return reply({ title: "Done" });
    },
  }),
  command({
    ...nothing,
    name: "probe buttons",
    summary: "Every kind of button",
    options: { page: { kind: "integer", description: "Page", min: 1, max: 99 } },
    run: async ({ options, caller }) =>
      reply({
        title: `Page ${options.page ?? 1} for ${caller.name}`,
        blocks: [paragraph(text`Party ${id(LONG_ID)}, asset ${id("cd".repeat(32))}`)],
        actions: [
          {
            label: "Next",
            invocation: { command: "probe buttons", options: { page: (options.page ?? 1) + 1 } },
            effect: "replace",
          },
          { label: "Below", invocation: { command: "probe buttons", options: { page: 50 } }, effect: "reply" },
          {
            label: "Delete",
            invocation: { command: "probe buttons", options: { page: 66 } },
            effect: "replace",
            confirm: "Really delete it all?",
          },
          { label: "Broken", invocation: { command: "probe fail", options: { how: "bug" } }, effect: "replace" },
          {
            label: "Shapeless",
            invocation: { command: "probe fail", options: { how: "shapeless" } },
            effect: "replace",
          },
          { label: "Wrong", invocation: { command: "probe buttons", options: { page: 1000 } }, effect: "replace" },
          { label: "Gone", invocation: { command: "probe of an older version", options: {} }, effect: "replace" },
          { label: "Site", url: "https://example.net/" },
        ],
      }),
  }),
  command({
    ...nothing,
    audience: "caller",
    name: "probe files",
    summary: "Files of chosen sizes",
    options: {
      noise: { kind: "integer", description: "Bytes that cannot be compressed", min: 0, max: 100_000_000 },
      zeros: { kind: "integer", description: "Bytes that can", min: 0, max: 100_000_000 },
      count: { kind: "integer", description: "How many small ones", min: 0, max: 50 },
      ids: { kind: "flag", description: "With a long id", default: false },
      from: { kind: "time", description: "Start" },
      to: { kind: "time", description: "End" },
    },
    run: async ({ options }) =>
      reply({
        title: "Files",
        blocks: options.ids ? [paragraph(text`Party ${id(LONG_ID)}`)] : [],
        attachments: [
          ...(options.noise === undefined ? [] : [noise("noise.csv", options.noise)]),
          ...(options.zeros === undefined
            ? []
            : [watched(memoryAttachment("zeros.csv", "text/csv", "0".repeat(options.zeros)))]),
          ...Array.from({ length: options.count ?? 0 }, (_, index) =>
            watched(memoryAttachment(`small-${index}.csv`, "text/csv", `row\n${index}\n`)),
          ),
        ],
        picture: watched(
          memoryAttachment("chart.png", "image/png", "not really a picture", { alt: "Mark price over a day, rising" }),
        ),
      }),
  }),
  command({
    ...nothing,
    name: "probe ids",
    summary: "Many ids",
    options: { count: { kind: "integer", description: "How many", min: 1, max: 100, required: true } },
    run: async ({ options }) => {
      const ids = Array.from({ length: options.count }, (_, index) => id(index.toString(16).padStart(64, "e")));
      return reply({ title: "Ids", blocks: [{ kind: "list", items: ids.map((one) => text`${one}`) }] });
    },
  }),
  command({
    ...nothing,
    name: "probe hold",
    summary: "Answers after so many milliseconds",
    options: { millis: { kind: "integer", description: "How long", min: 0, max: 100_000, required: true } },
    run: async ({ options, signal }) => {
      if (options.millis > 0) await sleep(options.millis, undefined, { signal });
      return reply({ title: "At last", attachments: [watched(memoryAttachment("late.csv", "text/csv", "a\n1\n"))] });
    },
  }),
  command({
    ...nothing,
    name: "probe complete",
    summary: "Slow completion",
    options: {
      word: {
        kind: "text",
        description: "A word",
        example: "x",
        suggest: async (typed, { signal }) => {
          if (typed === "never") await sleep(60_000, undefined, { signal });
          return Array.from({ length: 40 }, (_, index) => ({
            label: `${typed} ${"x".repeat(120)}`,
            value: index === 3 ? "y".repeat(101) : `${typed}${index}`,
          }));
        },
      },
    },
    run: async () => reply({ title: "Completed" }),
  }),
  command({
    ...nothing,
    access: "channel-manager",
    name: "probe manage",
    summary: "For managers only",
    options: {},
    run: async () => reply({ title: "Managed" }),
  }),
];
