import { setTimeout as sleep } from "node:timers/promises";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { SlackContext } from "../../../src/adapters/slack/context.ts";
import { renderForm } from "../../../src/adapters/slack/render/form.ts";
import { handleForm, suggestOptions } from "../../../src/adapters/slack/respond/form-handler.ts";
import type { AnyCommand } from "../../../src/bot/command.ts";
import type { Option, Options } from "../../../src/bot/options/options.ts";
import { memoryAttachment, reply, type Reply } from "../../../src/reply/reply.ts";
import { field, paragraph } from "../../../src/reply/block.ts";
import { toText } from "../../../src/reply/text.ts";
import { anyReply, anyString } from "../../support/arbitrary-reply.ts";
import { judgeAnswer } from "../../support/fake-slack/judge-traffic.ts";
import { judgeOptions, judgeView } from "../../support/fake-slack/judge.ts";
import { everywhere } from "./everywhere.ts";
import { probe, titled } from "./probe-commands.ts";
import { stage } from "./stage.ts";
import { runs } from "../../support/runs.ts";

// Every payload to Slack, for anything that the types allow. The fake Slack judges each payload as it comes in; these tests
// make sure that all kinds of them are sent.

const anyChoice = fc.record({ label: anyString(), value: anyString() });
const anyOption: fc.Arbitrary<Option> = fc
  .record({
    description: anyString(100),
    example: anyString(),
    maxLength: fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined }),
    required: fc.boolean(),
    min: fc.integer(),
    width: fc.nat(),
    choices: fc.array(anyChoice, { maxLength: 130 }),
    completes: fc.boolean(),
    kind: fc.constantFrom("text", "integer", "choice", "flag", "time", "network"),
    on: fc.boolean(),
    several: fc.constantFrom(undefined, "suggested" as const, "listed" as const),
    label: fc.option(anyString(150), { nil: undefined }),
    section: fc.constantFrom(undefined, undefined, "One", "Two", "x".repeat(200), " "),
  })
  .map((all): Option => {
    const { description: described, example, maxLength, required, min, width, choices, completes, kind, on } = all;
    const { label, section, several } = all;
    const description = {
      description: described,
      ...(label === undefined ? {} : { label }),
      ...(section === undefined ? {} : { section }),
    };
    const groups = [choices.slice(0, 110), [], choices.slice(110)].map((some) => ({ heading: example, choices: some }));
    const need = required ? ({ required: true } as const) : {};
    switch (kind) {
      case "text":
        return {
          kind,
          ...description,
          example,
          ...need,
          ...(several === undefined ? {} : { several: several === "listed" ? groups : several }),
          ...(on ? { moment: true } : { none: "off" }),
          ...(maxLength === undefined ? {} : { maxLength }),
          ...(completes ? { suggest: () => Promise.resolve(choices) } : {}),
        };
      case "integer":
        return { kind, ...description, min, max: min + width, ...need };
      case "choice":
        return { kind, ...description, choices, ...need };
      case "flag":
        return { kind, ...description, default: on };
      case "time":
        return { kind, ...description, ...need };
      default:
        return { kind: "network", ...description, ...(on ? { narrows: true } : {}) };
    }
  });
const anyOptions: fc.Arbitrary<Options> = fc.dictionary(fc.stringMatching(/^[a-z][a-z-]{0,31}$/u), anyOption, {
  maxKeys: 12,
});
const anyCommand: fc.Arbitrary<AnyCommand> = fc
  .record({ name: anyString(40), summary: anyString(200), options: anyOptions })
  .map((parts) => ({ ...probe("probe", () => Promise.resolve(titled("x"))), ...parts }));
const metadata = {
  command: "probe",
  shared: true,
  channel: "C1",
  response: { url: "https://hooks.slack.com/x", since: 1, used: 0 },
};

/** A context with the members that forms use. */
function contextWith(bot: Partial<SlackContext["bot"]>): SlackContext {
  const { signal } = new AbortController();
  return {
    bot: { commands: [], ...bot },
    command: "/bell",
    stopping: signal,
    suggestMillis: 1000,
    formMillis: 1000,
  } as unknown as SlackContext;
}

const anyFault = fc.record({
  option: fc.option(fc.oneof(fc.constantFrom("first", "second"), anyString()), { nil: undefined }),
  sentence: anyString(),
});

describe("forms", () => {
  test("a text that was typed before and is blank once it is cut is left out", () => {
    const option = { kind: "text", description: "a", example: "a", none: "off", maxLength: 1 } as const;
    const asking = { ...probe("probe", () => Promise.resolve(titled("x"))), options: { a: option } };
    expect(judgeView(renderForm(asking, { a: " cut" }, [], metadata))).toEqual([]);
  });

  test("of any command, with anything typed before, pass the judge", () => {
    fc.assert(
      fc.property(
        anyCommand,
        fc.array(
          fc.oneof(
            anyString(),
            fc.integer(),
            fc.boolean(),
            fc.constantFrom("2026-02-30", "2026-05-01", "1800000000", "0000000001", "ops,ops", "a,,b"),
          ),
        ),
        fc.array(anyString(), { maxLength: 5 }),
        fc.constantFrom({}, { begins: "7k2mq" }),
        fc.boolean(),
        (asking, typed, networks, begun, isOpen) => {
          const headings = Object.values(asking.options).flatMap(({ section }) => section ?? []);
          const more = { ...begun, ...(isOpen ? { open: ["–", "Further settings", ...headings] } : {}) };
          const names = Object.keys(asking.options);
          const given = Object.fromEntries(typed.slice(0, names.length).map((value, at) => [names[at] ?? "", value]));
          const values = () => Promise.resolve(undefined);
          for (const command of [asking, { ...asking, edits: { option: names[0] ?? "id", values } }]) {
            expect(judgeView(renderForm(command, given, networks, { ...metadata, ...more }))).toEqual([]);
          }
        },
      ),
    );
  });

  test("offer any values within the limits, what is typed among them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyChoice, { maxLength: 150 }), anyString(), async (choices, typed) => {
        const view = { id: "V1", private_metadata: JSON.stringify({ v: 1, ...metadata }), blocks: [] };
        const slack = contextWith({ suggest: () => Promise.resolve(choices) });
        const options = await suggestOptions(slack, view, "option:note", typed, { id: "U1", workspace: "T1" });
        expect(judgeOptions(options)).toEqual([]);
        const given = typed.trim();
        const carried = given !== "" && given.length <= 75 && given.isWellFormed();
        expect(options.some(({ value }) => value === given)).toBe(
          carried || options.some((one) => one.value === given),
        );
      }),
      runs(100),
    );
  });

  test("say any error at a field that is there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyFault, { minLength: 1 }), fc.boolean(), async (faults, isLate) => {
        const run = async () => ({ reply: reply({ title: "refused" }), faults });
        const submitted = isLate
          ? ({ ok: true, visibility: "caller", run } as const)
          : ({ ok: false, faults } as const);
        const slack = contextWith({ submit: async () => submitted });
        const view = {
          id: "V1",
          private_metadata: JSON.stringify({ v: 1, ...metadata, response: undefined }),
          blocks: [{}, { block_id: "option:first" }, { block_id: "option:second" }],
        };
        const outcome = await handleForm(slack, view, { id: "U1", workspace: "T1" });
        const { errors } = outcome as { errors: Record<string, string> };
        expect(judgeAnswer({ response_action: "errors", errors })).toEqual([]);
        expect(Object.keys(errors).filter((at) => !["option:first", "option:second"].includes(at))).toEqual([]);
      }),
      runs(40),
    );
  });
});

describe("any reply, wherever it goes", () => {
  test("is taken by Slack, below the limit of a whole message: asked, shared, mentioned, late, sent, edited", async () => {
    await everywhere(3);
  });

  test("is taken even when there is too much of everything in it", async () => {
    const words = "<&> ".repeat(200);
    const cell = "<&> ".repeat(5);
    const file = (name: string) => memoryAttachment(`${name}${"n".repeat(110)}`, "text/csv", "a\n", { alt: words });
    const ask = { command: "time", options: { note: words } };
    const fullest = reply({
      title: words,
      tone: "warning",
      blocks: [
        ...Array.from({ length: 30 }, () => paragraph(words)),
        { kind: "fields", title: toText(words), fields: Array.from({ length: 90 }, () => field(words, words)) },
        { kind: "list", items: Array.from({ length: 90 }, () => toText(words)) },
        ...["a", "b"].map((name) => ({
          kind: "table" as const,
          columns: Array.from({ length: 24 }, () => ({ title: cell })),
          rows: Array.from({ length: 120 }, () => Array.from({ length: 24 }, () => toText(cell))),
          name,
        })),
        { kind: "code", text: `${words}\n`.repeat(20) },
      ],
      footer: words,
      attachments: Array.from({ length: 8 }, (_, index) => file(`${index}-`)),
      actions: Array.from({ length: 12 }, (_, index) => ({
        label: `${index} ${words}`,
        invocation: ask,
        effect: "reply" as const,
      })),
    });
    await everywhere(1, fc.constant(fullest));
  });

  test("shows progress of any wording", async () => {
    let current: Reply = titled("x");
    const { promise: never } = Promise.withResolvers<Reply>();
    const slow = probe("probe slow", (context) => {
      context.progress(current);
      return Promise.race([never, sleep(15, titled("done"))]);
    });
    await using scene = await stage({ extra: [slow], timing: { progressAtMillis: [2], progressEveryMillis: 2 } });
    const { channel, fake } = scene;
    const ann = fake.person("ann");
    await fc.assert(
      fc.asyncProperty(anyReply, async (arbitrary) => {
        const { title, blocks } = arbitrary;
        current = { ...arbitrary, ...reply({ title, blocks }) };
        await ann.run(channel, "probe slow");
        expect(fake.state.violations.splice(0)).toEqual([]);
      }),
      runs(15),
    );
  });
});
