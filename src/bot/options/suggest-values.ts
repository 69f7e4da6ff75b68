import type { Choice, Option, SuggestContext } from "./options.ts";

/** The lower of the limits of Discord (25) and Slack (100). */
export const MAX_CHOICES = 25;
/** Discord and Slack close the list after 3 s. */
const SUGGEST_MILLIS = 1500;

const TIMES = ["today", "yesterday", "7d", "30d", "this month", "last month", "this year", "last year", "now"];

/** Values for one option and the text typed so far, best first; empty where there are none in time. */
export async function suggestValues(
  option: Option,
  typed: string,
  networks: readonly string[],
  context: SuggestContext,
): Promise<readonly Choice[]> {
  switch (option.kind) {
    case "text":
      return option.suggest === undefined ? [] : withTimeout(option.suggest(typed, context), context.signal);
    case "choice":
      return matching(option.choices, typed);
    case "flag":
      return matching(
        ["yes", "no"].map((word) => ({ label: word, value: word })),
        typed,
      );
    case "network":
      return matching(
        networks.map((network) => ({ label: network, value: network })),
        typed,
      );
    case "time":
      return matching(
        TIMES.map((word) => ({ label: word, value: word })),
        typed,
      );
    case "integer":
      return [];
  }
}

function matching(choices: readonly Choice[], typed: string): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  return choices
    .filter(({ value, label }) => [value, ...label.split(" ")].some((word) => word.toLowerCase().startsWith(wanted)))
    .slice(0, MAX_CHOICES);
}

async function withTimeout(pending: Promise<readonly Choice[]>, signal: AbortSignal): Promise<readonly Choice[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly Choice[]>();
  const giveUp = (): void => resolve([]);
  const timer = setTimeout(giveUp, SUGGEST_MILLIS).unref();
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return (await Promise.race([pending, late])).slice(0, MAX_CHOICES);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUp);
  }
}
