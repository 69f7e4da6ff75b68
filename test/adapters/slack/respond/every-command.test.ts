import { describe, expect, test } from "vitest";

import { commands } from "../../../../commands/index.ts";
import { decodePress } from "../../../../src/adapters/slack/render/press.ts";
import type { AnyCommand } from "../../../../src/bot/command.ts";
import { errorReply } from "../../../../src/bot/error-reply.ts";
import { isRequired } from "../../../../src/bot/grammar/usage.ts";
import type { Option } from "../../../../src/bot/options/options.ts";
import { silentLog } from "../../../../src/log.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { buttonsOf, type Dialog, labelsOf, type Person } from "../../../support/fake-slack/person.ts";
import { until } from "../../../support/fake-discord/until.ts";
import type { Element, StoredMessage } from "../../../support/fake-slack/state.ts";
import { said } from "../shown.ts";
import { stage } from "../stage.ts";

// Everything that can be asked, filled in and pressed, over the wire from end to end. The fake Slack judges what it is
// sent and complains of what was not acknowledged in time.

const { title } = errorReply(new Error("a bug"), { log: silentLog(), command: "", signal: AbortSignal.any([]) });
const BUG = plainText(title);

/** A value that a field takes: what is offered first, else the option's own example. */
async function valueFor(ann: Person, name: string, option: Option): Promise<string> {
  switch (option.kind) {
    case "text": {
      if (option.suggest === undefined && option.saved === undefined) return option.example;
      const [offered = option.example] = await ann.complete(await ann.form(), name, "");
      return offered;
    }
    case "integer":
      return String(option.min);
    case "choice":
      return option.choices[0]?.value ?? "";
    default:
      return "yes";
  }
}

/** Fills in the form that stands open and sends it; gives the errors at its fields. */
async function fillIn(ann: Person, command: AnyCommand): Promise<Record<string, string>> {
  const form = await ann.form();
  const values: Record<string, string> = {};
  for (const [name, option] of Object.entries(command.options)) {
    if (isRequired(option)) values[name] = await valueFor(ann, name, option);
  }
  return ann.submit(form, values);
}

/** A button by what it says and what it is about: pages of the same list are pressed once. */
function nameOf({ text, value }: Element): string {
  const press = decodePress(value);
  const about = press !== undefined && "ask" in press ? `${press.kind} ${press.ask.command}` : "stored";
  return `${text?.text ?? ""}: ${about}`;
}

/** Buttons, and what a menu of them offers. */
function pressablesOf({ blocks }: StoredMessage): Element[] {
  const elements = blocks.flatMap((block) => [
    ...(block.elements ?? []),
    ...(block.accessory === undefined ? [] : [block.accessory]),
  ]);
  const menus = elements.filter((one) => one.action_id === "menu");
  const offered = menus.flatMap(({ options = [] }) => options.map((one) => ({ ...one, type: "option" })));
  return [...buttonsOf(blocks), ...offered];
}

/** Asks and fills in all that these commands take, and presses what their answers offer; gives the labels. */
async function tryOut(asked: readonly AnyCommand[]): Promise<string[]> {
  await using scene = await stage();
  const { channel, fake } = scene;
  const ann = fake.person("ann");
  const pressed = new Set<string>();
  const waiting: StoredMessage[] = [];
  const take = ({ messages }: Dialog): void => {
    for (const message of messages) expect(said(message)).not.toContain(BUG);
    waiting.push(...messages);
  };
  const pressAll = async (message: StoredMessage): Promise<void> => {
    for (;;) {
      // Read anew each time: a page may have taken the place of the one before.
      const next = pressablesOf(message).find((one) => one.url === undefined && !pressed.has(nameOf(one)));
      if (next === undefined || message.gone) return;
      pressed.add(nameOf(next));
      const press = decodePress(next.value);
      const dialog = ann.startPress(message, next.text?.text ?? "");
      // It names a thing to change: its form begins with what that has, and is sent as it stands.
      const edits = press?.kind === "ask" && commands.some(({ name, edits }) => name === press.ask.command && edits);
      // Of one that is stored, only what comes of it tells.
      const isStored = press === undefined || press.kind === "stored";
      if (isStored) await until(() => fake.state.views.size > 0 || dialog.messages.length > 0, "a form or an answer");
      if (
        (edits || (isStored && fake.state.views.size > 0)) &&
        Object.keys(await ann.submit(await ann.form(), {})).length > 0
      ) {
        // It was removed by another button.
        fake.state.views.clear();
        continue;
      }
      if (press?.kind === "form") {
        const command = commands.find(({ name }) => name === press.ask.command)!;
        const errors = await fillIn(ann, command);
        fake.state.views.clear();
        if (Object.keys(errors).length > 0) continue;
      }
      await dialog.answered();
      take(dialog);
    }
  };
  for (const command of asked) {
    const lines = command.examples.filter((example) => !example.includes("<"));
    for (const line of lines) take(await ann.run(channel, line));
    if (!Object.values(command.options).some(isRequired)) continue;
    const dialog = ann.type(channel, command.name);
    const refused = Object.keys(await fillIn(ann, command));
    expect(refused.filter((name) => !(name in command.options))).toEqual([]);
    if (refused.length > 0) {
      // An example is no order of this network, for instance: the form says so, and a line does.
      fake.state.views.clear();
      const needed = Object.keys(command.options).filter((name) => isRequired(command.options[name]!));
      const values = [...new Set([...needed, ...refused])].map((name) => `${name}:zzz`);
      take(await ann.run(channel, `${command.name} ${values.join(" ")}`));
      continue;
    }
    await dialog.answered();
    take(dialog);
  }
  for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) await pressAll(message);
  return [...pressed].map((name) => name.slice(0, name.indexOf(":")));
}

const isAlerts = ({ name }: AnyCommand): boolean => name.startsWith("alerts ");

describe("every command is answered, every form filled in, every button pressed", () => {
  test("of the alerts", async () => {
    const labels = await tryOut(commands.filter(isAlerts));
    expect(labels).toEqual(expect.arrayContaining(["Refresh", "Share", "Fill in", "Pause", "Remove"]));
  });

  test("of everything else", async () => {
    const labels = await tryOut(commands.filter((command) => !isAlerts(command)));
    expect(labels).toEqual(expect.arrayContaining(["Refresh", "Share", "Send as file", "Fill in", "Next (older)"]));
  });
});

test("where no data node answers, each command says so, to the asker alone", async () => {
  await using scene = await stage();
  const ann = scene.fake.person("ann");
  await scene.simulator.close();
  const lines = ["market list", "market show BTC/USDT", "stake", "snapshots", "checkpoints"];
  const dialogs = lines.map((line) => ann.type(scene.channel, `${line} private:no`));
  for (const dialog of dialogs) {
    await dialog.answered();
    expect(said(dialog.last)).not.toContain(BUG);
    expect(dialog.last.onlyFor).toBe(ann.id);
    expect(labelsOf(dialog.last.blocks)).toContain("Ask again");
  }
});
