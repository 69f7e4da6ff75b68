import { inTime } from "../units/time.ts";
import type { Ask } from "../reply/reply.ts";
import { completions, type LineCompletion } from "./grammar/complete-line.ts";
import type { Invocation } from "./invocation.ts";
import type { Choice, SuggestContext } from "./options/options.ts";
import { suggestSavedParties, takesParty } from "./options/saved-parties.ts";
import { MAX_CHOICES, suggestValues } from "./options/suggest-values.ts";
import type { Asker, BotSetup } from "./setup.ts";

type Question = Omit<Invocation, "progress">;

/** A request for completion: the values so far and the option being typed. */
export type SuggestRequest = Question & { readonly option: string; readonly typed: string };

/** Discord and Slack close the list of suggestions after 3 s. */
export const SUGGEST_MILLIS = 1500;

export type Suggestions = ReturnType<typeof createSuggestions>;

export function createSuggestions(setup: BotSetup) {
  const { commands, networks, byName, log, alerts, exports, platforms } = setup;

  /** The context of completion for a question. */
  function context({ caller, here, options, signal }: Question): SuggestContext {
    const seen = setup.seenBy(here);
    const api = setup.clientOf(options["network"]);
    const parties = setup.partiesOf({ here, caller });
    return { api, seen, alerts, exports, platforms, here, caller, parties, options, commands, signal };
  }

  /**
   * The present values of the thing that a command would change, or of its caller: a form begins with them. Undefined where
   * the command changes no such thing, the question names none, or it is not known in time. Never rejects, nor takes long.
   */
  async function present(asked: Question): Promise<Ask["options"] | undefined> {
    const { edits, begins } = byName.get(asked.command) ?? {};
    const named = edits === undefined ? undefined : asked.options[edits.option];
    const { here } = asked;
    try {
      const values =
        edits === undefined || named === undefined
          ? begins?.({ here, chosen: setup.chosen, platforms, zone: () => setup.zoneOf(asked) })
          : edits.values(String(named).trim(), context(asked));
      if (values === undefined) return undefined;
      return await inTime(values, { millis: SUGGEST_MILLIS, signal: asked.signal }, () => undefined);
    } catch (thrown) {
      log.debug({ err: thrown, command: asked.command }, "completion failed");
      return undefined;
    }
  }

  /** Never rejects, nor takes long; an empty list where there is nothing to offer in time. */
  async function suggest(request: SuggestRequest): Promise<readonly Choice[]> {
    const option = byName.get(request.command)?.options[request.option];
    if (option === undefined) return [];
    try {
      const offer = (choices: Promise<readonly Choice[]>): Promise<readonly Choice[]> =>
        inTime(choices, { millis: SUGGEST_MILLIS, signal: request.signal }, () => []);
      const [saved, others] = await Promise.all([
        takesParty(option) ? offer(suggestSavedParties(request.typed, setup.partiesOf(request))) : [],
        offer(suggestValues(option, request.typed, networks, context(request))),
      ]);
      const values = new Set(saved.map((choice) => choice.value));
      return [...saved, ...others.filter((choice) => !values.has(choice.value))].slice(0, MAX_CHOICES);
    } catch (thrown) {
      log.debug({ err: thrown, command: request.command, option: request.option }, "completion failed");
      return [];
    }
  }

  return {
    context,
    present,
    suggest,
    /** Completion of a typed line: whole lines to offer, best first, and what each stands for. Never rejects. */
    completions: async (line: string, asker: Asker): Promise<readonly LineCompletion[]> => {
      try {
        return await completions(line, commands, setup.now(), (ask, option, typed) =>
          suggest({ ...asker, ...ask, option, typed }),
        );
      } catch {
        // A line that cannot be parsed cannot be completed; running it says why.
        return [];
      }
    },
  };
}
