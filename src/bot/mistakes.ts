import { UserError } from "../errors.ts";
import type { Ask, Reply } from "../reply/reply.ts";
import type { AnyCommand } from "./command.ts";
import { type Asked, errorReply } from "./error-reply.ts";
import { fillExample } from "./grammar/grammar.ts";
import { withRightLine } from "./grammar/offered-line.ts";
import type { Invocation } from "./invocation.ts";
import { missingOption } from "./options/parse-options.ts";
import { neededParty, withSavedParties } from "./options/saved-parties.ts";
import type { Asker, BotSetup } from "./setup.ts";
import { SUGGEST_MILLIS, type Suggestions } from "./suggestions.ts";

export type Mistakes = ReturnType<typeof createMistakes>;

/** The replies to errors. No function rejects. */
export function createMistakes(setup: BotSetup, { suggest, context }: Suggestions) {
  const { commands, networks, log, now } = setup;

  /** The reply to an error, at once; a line that it offers is not checked. */
  function toReply(thrown: unknown, asked: Asked, signal: AbortSignal): Reply {
    return errorReply(thrown, { log, ...asked, signal });
  }

  /** An example of the command with the values that were given. */
  function filler(command: AnyCommand): (example: string, given: Ask["options"]) => string {
    return (example, given) => fillExample(example, given, command, now());
  }

  /** A mistake with a line that may be typed, as far as that is known in time; anything else as it is. */
  function withRight(thrown: unknown, asker: Asker, refused: "command" | "placeholder"): Promise<unknown> {
    return withRightLine(thrown, {
      commands,
      networks,
      now: now(),
      openFile: asker.openFile,
      limit: { millis: SUGGEST_MILLIS, signal: asker.signal },
      refused,
      suggest: (offered, option, typed) => suggest({ ...asker, ...offered, option, typed }),
      suggestContext: (offered) => context({ ...asker, ...offered }),
    });
  }

  /** The mistake of a caller who has saved no party and names none where the command needs one: it precedes others. */
  async function missedParty(invocation: Invocation): Promise<UserError | undefined> {
    const { options } = invocation;
    const command = setup.byName.get(invocation.command);
    if (command === undefined || !setup.takesParty(command)) return undefined;
    const values = await withSavedParties(command.options, options, setup.partiesOf(invocation));
    const missed = neededParty(command.options, values);
    return missed === undefined ? undefined : missingOption(command, missed, options, filler(command));
  }

  return {
    toReply,
    filler,
    /** The reply to a line that cannot be read; the line that it offers can be read. */
    async ofLine(thrown: unknown, asker: Asker): Promise<Reply> {
      return toReply(await withRight(thrown, asker, "command"), { command: "unknown" }, asker.signal);
    },
    /**
     * The reply to an error of a command. The line that it offers may be typed; with `offers`, the reply about a missing
     * value has the values to choose from.
     */
    async ofCommand(thrown: unknown, invocation: Invocation, offers: boolean): Promise<Reply> {
      const { option } = thrown instanceof UserError ? thrown : {};
      const misses = offers && option !== undefined && invocation.options[option] === undefined;
      const error = misses ? ((await missedParty(invocation)) ?? thrown) : thrown;
      const needed = misses && error instanceof UserError ? error.option : undefined;
      const [right, values] = await Promise.all([
        withRight(error, invocation, "placeholder"),
        needed === undefined ? [] : suggest({ ...invocation, option: needed, typed: "" }),
      ]);
      const meant = right instanceof UserError && values.length > 0 ? right.meaning({ typed: "", values }) : right;
      return toReply(meant, invocation, invocation.signal);
    },
  };
}
