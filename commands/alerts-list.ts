import { isAlive, type Subscription } from "../src/alerts/route/subscription.ts";
import { deliveryOptionWords, subscriptionWords } from "../src/alerts/words/subscription-words.ts";
import { ALL_NETWORKS_OPTION } from "../src/answers/alerts/alert-options.ts";
import { subjectLabels } from "../src/answers/alerts/alert-subjects.ts";
import {
  destinationHere,
  destinationWords,
  isOperator,
  isOwnSubscription,
  offersChanges,
} from "../src/answers/alerts/destination.ts";
import { unreachablePlaces } from "../src/answers/alerts/suspension-words.ts";
import { noiseActions, noiseList, noiseOf } from "../src/answers/alerts/subscriptions/noise.ts";
import {
  changeAsk,
  subscriptionActions,
  visibleSubscriptions,
} from "../src/answers/alerts/subscriptions/subscriptions.ts";
import { command } from "../src/bot/command.ts";
import { type Block, type CellColumn, details, paragraph, table, type Table } from "../src/reply/block.ts";
import { commandAction, reply } from "../src/reply/reply.ts";
import { code, commandLine, joinText, text, type TextPart, time } from "../src/reply/text.ts";
import { fromMillis, toMillis } from "../src/units/time.ts";

const HINT = text`${commandLine("alerts edit <id>")} changes one, ${commandLine("alerts remove <id>")} ends it.`;
const ENDED_HINT = text`${commandLine("alerts resume <id>")} brings one back.`;

export const alertsList = command({
  name: "alerts list",
  alsoCalled: ["subscriptions", "subscription", "channel", "direct message"],
  asked: [
    "subscription",
    "which|what|who|list|show subscription|subscribed",
    "is|are|am channel|here|we|us|i subscribed",
    "what|which channel|here told|receive|hear|get alert",
    "who call|page|mention|notify|wake|told",
  ],
  summary: "Subscriptions of this channel, and your own",
  verb: "List subscriptions",
  personal: true,
  options: {
    ended: { kind: "flag", description: "Also those that are over", default: false },
    network: ALL_NETWORKS_OPTION,
  },
  run: async (context) => {
    const { alerts, options, networks } = context;
    const all = await alerts.subscriptions();
    const visible = visibleSubscriptions(all, context)
      .filter((one) => isAlive(one) || options.ended)
      .filter(({ network }) => options.network === undefined || network === options.network)
      .toSorted((a, b) => a.created - b.created);
    const everywhere = isOperator(context);
    const own = everywhere ? [] : visible.filter((one) => isOwnSubscription(one, context));
    const channel = visible.filter((one) => !own.includes(one));
    const labels = await subjectLabels(
      visible
        .filter(({ network }) => network === context.network)
        .map(({ kinds, subjects }) => ({ kinds, ids: subjects })),
      context,
    );
    const where = everywhere ? text`all channels` : destinationWords(destinationHere(context), context);
    const place: CellColumn<Subscription> = ["Where", ({ destination }) => destinationWords(destination, context)];
    const offers = offersChanges(context);
    const tableOf = (rows: readonly Subscription[], name: string): Table =>
      table({
        name,
        rows,
        columns: [
          ["Tells", (one) => subscriptionWords(one, labels)],
          ["State", (one) => stateWords(one, networks)],
          ...(everywhere ? [place] : []),
          ["How", howWords, 3],
          ["Since", ({ created, by }) => text`${time(fromMillis(created))} by ${by.name}`, 3],
          ["Id", ({ id }) => code(id), 3],
        ],
        // A single one has its buttons below.
        ...(visible.length > 1 && (offers || rows === own)
          ? { rowAction: { label: "Change…", invocations: rows.map(changeAsk), effect: "reply" } }
          : {}),
      });
    const none = visible.length === 0;
    // Several are changed by their rows.
    const [only, ...others] = visible.filter(isAlive);
    const changeable = offers ? visible : own;
    const noise = await noiseOf(changeable, toMillis(context.now()), context);
    const unreachable = unreachablePlaces(
      all.filter(({ network }) => options.network === undefined || network === options.network),
      await alerts.suspensions(),
      context,
    );
    const lost: Block[] =
      unreachable.length === 0
        ? []
        : [{ kind: "list", title: text`Places that cannot be reached, or were lost`, items: unreachable }];
    return reply({
      title: none
        ? text`No subscriptions ${everywhere ? "anywhere" : text`in ${where}`}`
        : joinText(
            [
              ...(channel.length === 0 ? [] : [text`${countOf(channel, "subscription")} in ${where}`]),
              ...(own.length === 0 ? [] : [text`${countOf(own, "watch")} of your own`]),
            ],
            ", and ",
          ),
      blocks: none
        ? [
            paragraph(
              offers
                ? text`${commandLine("alerts add")} subscribes to what ops channels need and says so there.`
                : text`${commandLine("alerts add to:me")} tells you alone, by direct message.`,
            ),
            ...lost,
          ]
        : [
            ...(channel.length === 0 ? [] : [tableOf(channel, "subscriptions")]),
            ...(own.length === 0 ? [] : [{ ...tableOf(own, "own-subscriptions"), title: text`Yours alone` }]),
            ...noiseList(noise),
            ...lost,
            ...(offers || own.length > 0 ? hintOf(only !== undefined, everywhere) : []),
          ],
      actions: none
        ? [commandAction("Add the ops alerts", "alerts add")].filter(() => offers)
        : [
            ...(only === undefined || others.length > 0 || !changeable.includes(only)
              ? []
              : subscriptionActions(only, labels)),
            ...noise.flatMap((one) => noiseActions(one, noise.length === 1 ? "" : ` (${one.subscription.id})`)),
          ],
    });
  },
});

/** Operators type lines; where others ask, a form opens and says what can be changed. */
function hintOf(isAny: boolean, toOperators: boolean): Block[] {
  const hint = paragraph(isAny ? HINT : ENDED_HINT);
  return toOperators ? [hint] : details([hint]);
}

function countOf({ length }: readonly unknown[], word: "subscription" | "watch"): string {
  if (length === 1) return `1 ${word}`;
  return `${length} ${word}${word === "watch" ? "es" : "s"}`;
}

function stateWords({ state, why, network }: Subscription, networks: readonly string[]): string {
  if (why !== undefined) return `${state}: ${why}`;
  return state === "active" && !networks.includes(network)
    ? `waiting: no data node of ${network} is configured`
    : state;
}

function howWords(one: Subscription): TextPart {
  const how = deliveryOptionWords(one);
  return how.length === 0 ? "the usual way" : how;
}
