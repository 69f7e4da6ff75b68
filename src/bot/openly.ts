import { paragraph } from "../reply/block.ts";
import { alsoLater, type Ask, askedBack, commandAction, type Reply } from "../reply/reply.ts";
import { commandLine, text } from "../reply/text.ts";
import { presetAudience } from "./audience-settings.ts";
import type { AnyCommand } from "./command.ts";
import { formatLine, QUESTION } from "./grammar/grammar.ts";
import type { Invocation } from "./invocation.ts";
import { sentenceOf } from "./options/parse-options.ts";
import type { BotSetup } from "./setup.ts";

/** A longer line stands below the title. */
const MAX_IN_TITLE = 200;

/**
 * Whether everybody in the channel may see the answer to who asks in a message for everybody, unless the server chose
 * otherwise. A question in plain words may: what it runs is asked anew.
 */
export function isForEverybody({ command: asked, here, options }: Invocation, { byName, chosen }: BotSetup): boolean {
  const command = byName.get(asked);
  if (command === undefined || asked === QUESTION) return true;
  const { changes, workspaceChooses, readsHere } = command;
  const isForAll = workspaceChooses === true || readsHere === true;
  const audience = presetAudience(command, here, chosen) ?? (isForAll ? "channel" : command.audience);
  return changes !== true && audience === "channel" && options["private"] === undefined;
}

/**
 * The press that takes the place of an answer where everybody would see it and nobody knows the asker's rights: what
 * changes something, and what only the asker may see.
 */
export function pressInstead(invocation: Invocation, setup: BotSetup): Reply | undefined {
  const { command: asked, options } = invocation;
  const command = setup.byName.get(asked);
  if (command === undefined || isForEverybody(invocation, setup)) return undefined;
  if (command.changes !== true) return aloneInstead(command, options);
  const whole = formatLine({ command: asked, options });
  const isLong = whole.length > MAX_IN_TITLE;
  return askedBack(
    text`Did you mean ${commandLine(isLong ? asked : whole)}?`,
    [...(isLong ? [paragraph(text`${commandLine(whole)}`)] : []), paragraph("Nothing is done yet.")],
    [commandAction(command.title ?? command.verb ?? "Show", asked, options)],
  );
}

/** The press behind which the asker alone sees the answer, or what `ask` asks instead; a place that can answers it at once. */
export function aloneInstead(
  command: AnyCommand,
  options: Ask["options"],
  ask: Ask = { command: command.name, options },
): Reply {
  const { shows, title, verb } = command;
  const { says, press } = shows?.(options) ?? {
    says: `${sentenceOf(command, options)}: only you will see it`,
    press: title ?? verb ?? "Show",
  };
  return {
    ...askedBack(says, [], [{ label: press, invocation: ask, effect: "reply" }]),
    alone: ask,
  };
}

/** What stands in the place of an offer that all see says who took it, where it tells them of a change. */
export function telling({ caller: { id, name }, here: { platform }, taken }: Invocation) {
  let isTold = false;
  const tellHere = (): void => {
    isTold = true;
  };
  const author = paragraph(text`By ${{ kind: "person", text: name, platform, id } as const}`);
  return {
    tellHere: taken === true ? tellHere : undefined,
    by: (answer: Reply): Reply =>
      isTold && answer.failure === undefined
        ? alsoLater(answer, (one) => ({ ...one, told: true, blocks: [author, ...one.blocks] }))
        : answer,
  };
}
