import { paragraph } from "../reply/block.ts";
import { askedBack, commandAction, type Reply } from "../reply/reply.ts";
import { commandLine, text } from "../reply/text.ts";
import { presetAudience } from "./audience-settings.ts";
import { formatLine, QUESTION } from "./grammar/grammar.ts";
import type { Invocation } from "./invocation.ts";
import type { BotSetup } from "./setup.ts";

/** A longer line stands below the title. */
const MAX_IN_TITLE = 200;

/**
 * The press that takes the place of an answer where everybody would see it and nobody knows the asker's rights: what
 * changes something, and what only the asker may see. What everybody in the channel may see needs none. A question in plain words stays as it is: what it runs is asked anew.
 */
export function pressInstead(
  { command: asked, here, options }: Invocation,
  { byName, chosen }: BotSetup,
): Reply | undefined {
  const command = byName.get(asked);
  if (command === undefined || asked === QUESTION) return undefined;
  const { changes, name, shows, title, verb, workspaceChooses, readsHere } = command;
  // Who asks in a message for everybody asks for everybody, unless the server chose otherwise.
  const isForAll = workspaceChooses === true || readsHere === true;
  const audience = presetAudience(command, here, chosen) ?? (isForAll ? "channel" : command.audience);
  if (changes !== true && audience === "channel" && options["private"] === undefined) return undefined;
  const whole = formatLine({ command: name, options });
  const isLong = whole.length > MAX_IN_TITLE;
  const line = commandLine(isLong ? name : whole);
  const shown = shows?.(options);
  const label =
    shown === undefined ? (title ?? verb ?? "Show") : `Show ${shown.slice(0, 1).toLowerCase()}${shown.slice(1)}`;
  return askedBack(
    changes === true ? text`Did you mean ${line}?` : `${shown ?? title ?? verb ?? "Answer"}: for you alone`,
    [
      ...(isLong ? [paragraph(text`${commandLine(whole)}`)] : []),
      paragraph(changes === true ? "Nothing is done yet." : "Only you will see this."),
    ],
    [commandAction(label, name, options)],
  );
}
