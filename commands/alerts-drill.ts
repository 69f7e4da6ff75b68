import { isAlive } from "../src/alerts/route/subscription.ts";
import { toOption } from "../src/answers/alerts/alert-options.ts";
import { destinationHere, isOperator, parseDestination } from "../src/answers/alerts/destination.ts";
import { runDrill } from "../src/answers/alerts/episodes/drill.ts";
import { systemClock } from "../src/api/clock.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { type Destination, distinctDestinations } from "../src/alerts/destination.ts";

const options = { to: toOption("; all = everywhere") } as const;

/** The most destinations of a drill. */
const MAX_DESTINATIONS = 50;

export const alertsDrill = command({
  name: "alerts drill",
  asked: ["drill", "test|try|made-up|fake alert"],
  summary: "Send a made-up alert the whole way, and time it",
  verb: "Begin drill",
  access: "channel-manager",
  changes: true,
  shownBy: "alerts status",
  options,
  run: async (context) => runDrill(context, await destinationsOf(context), systemClock, context.options.to),
});

async function destinationsOf(context: CommandContext<typeof options>): Promise<readonly Destination[]> {
  const { to } = context.options;
  if (to === undefined) return [destinationHere(context)];
  if (!/^all$/iu.test(to.trim()) || !isOperator(context)) return [parseDestination(to, context)];
  const subscribed = (await context.alerts.subscriptions()).filter((one) => isAlive(one) && one.personal !== true);
  const all = [context.platforms.console, ...subscribed.map(({ destination }) => destination)];
  return distinctDestinations(all).slice(0, MAX_DESTINATIONS);
}
