import { type Choice, type Option, plainChoices, type SuggestContext } from "./options.ts";

/** The lower of the limits of Discord (25) and Slack (100). */
export const MAX_CHOICES = 25;

const TIMES = ["today", "yesterday", "7d", "30d", "this month", "last month", "this year", "last year", "now"];

/** Values for one option and the text typed so far, best first. */
export async function suggestValues(
  option: Option,
  typed: string,
  networks: readonly string[],
  context: SuggestContext,
): Promise<readonly Choice[]> {
  switch (option.kind) {
    case "text":
      return (await option.suggest?.(typed, context))?.slice(0, MAX_CHOICES) ?? [];
    case "choice":
      return matching(option.choices, typed);
    case "flag":
      return matching(plainChoices(["yes", "no"]), typed).map(({ value }) => ({
        label: (value === "yes" ? option.description : option.no) ?? value,
        value,
      }));
    case "network":
      return matching(plainChoices(networks), typed);
    case "time":
      return matching(plainChoices(TIMES), typed);
    case "file":
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
