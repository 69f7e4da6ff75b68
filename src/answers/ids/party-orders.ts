import { FINAL_STATUSES } from "../../alerts/judge/kinds/event.ts";
import type { Order } from "../../api/model/order.ts";
import type { CommandContext } from "../../bot/command.ts";
import { stem } from "../../bot/grammar/stem.ts";
import { cutShort } from "../../bot/nearest.ts";
import {
  type Choice,
  MAX_CHOICE_LENGTH,
  type Options,
  plainChoices,
  type SuggestContext,
  type TextOption,
} from "../../bot/options/options.ts";
import { SAVE_PARTY_ACTION } from "../../bot/options/saved-parties.ts";
import { MAX_CHOICES } from "../../bot/options/suggest-values.ts";
import { inTime } from "../../units/in-time.ts";
import { paragraph } from "../../reply/block.ts";
import { plainText } from "../../reply/plain-text.ts";
import { type Action, type Ask, askedBack, choiceActions, commandAction, type Reply } from "../../reply/reply.ts";
import { shortenId, text, type TextPart } from "../../reply/text.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { marketAmounts } from "../amounts.ts";
import { askFor, formActions } from "../answer.ts";
import { orderState, orderWords } from "../order-words.ts";
import { marketsById, type NamesContext, ORDER, PARTY } from "./ids.ts";
import { askAboutId, lookUp, resolveId, suggestIds } from "./typed-ids.ts";

/** Another reason why a node knows no such order. */
export const ORDERS_ARE_DROPPED = "A standard node drops orders after a month.";

/** Asks for an order beside other values that are wrong. @throws UserError for an id that the network does not know. */
export async function findOrder(option: string, typed: string, context: SuggestContext): Promise<void> {
  const resolving = lookUp(context);
  const id = await resolveId(ORDER, typed, resolving, option);
  const question = context.api.getOrder(id, undefined, { signal: context.signal });
  await askAboutId(ORDER, id, option, resolving, question, ORDERS_ARE_DROPPED);
}

/** Shorter than the time limit of a whole completion. */
const ORDERS_WAIT_MILLIS: Milliseconds = 1000;

/** How many of the orders seen are offered in any case. */
const SEEN_OFFERED = 10;

/** Completion for an order: those of the party that the caller saved, then those seen. */
export async function suggestOrders(typed: string, context: SuggestContext): Promise<readonly Choice[]> {
  const saved = inTime(savedOrders(context), { millis: ORDERS_WAIT_MILLIS }, (): readonly Choice[] => []);
  const [orders, seen] = await Promise.all([saved, suggestIds(ORDER)(typed, context)]);
  const low = typed.trim().toLowerCase();
  const fitting = orders.filter(({ label, value }) => value.startsWith(low) || label.toLowerCase().includes(low));
  const offered = new Set(fitting.map(({ value }) => value));
  const others = seen.filter(({ value }) => !offered.has(value));
  const own = fitting.slice(0, MAX_CHOICES - Math.min(others.length, SEEN_OFFERED));
  return [...own, ...others].slice(0, MAX_CHOICES);
}

async function savedOrders(context: SuggestContext): Promise<readonly Choice[]> {
  const [party] = await context.parties.list().catch(() => []);
  return party === undefined ? [] : ordersOf(party.id, context);
}

/** The orders of a party in words: those in a state first, then live ones, then the newest. */
async function ordersOf(party: string, context: NamesContext, state = ""): Promise<readonly Choice[]> {
  const { api, signal } = context;
  const [orders, markets] = await Promise.all([api.getPartyOrders(party, { signal }), marketsById(context)]);
  const rankOf = (order: Order): number => {
    if (state !== "" && orderState(order).toLowerCase().startsWith(state)) return 0;
    return order.status !== undefined && FINAL_STATUSES.has(order.status) ? 2 : 1;
  };
  return orders
    .toSorted((a, b) => rankOf(a) - rankOf(b) || Number((b.createdAt ?? 0n) - (a.createdAt ?? 0n)))
    .flatMap((order) => {
      if (order.id === undefined) return [];
      const market = markets.get(order.marketId ?? "");
      const words = text`${orderState(order)} · ${orderWords(order, market?.code, marketAmounts(market))}`;
      // The beginning of the id is enough, and leaves the words whole within the 75 characters of a choice on Slack.
      return [{ label: cutShort(`${plainText(words)} · ${order.id.slice(0, 8)}`, MAX_CHOICE_LENGTH), value: order.id }];
    });
}

/** How an order ends without having traded, by the words of those who ask why. */
const STATE_WORDS = new Map([
  ...["rejected", "refused", "declined", "denied", "bounced"].map((word) => [stem(word), "rejected"] as const),
  ...["cancelled", "stopped", "expired"].map((word) => [stem(word), word] as const),
]);

/** Which of a party's orders are offered first. */
export const STATE_OPTION = {
  kind: "text",
  description: "Those in this state come first: rejected, stopped",
  example: "rejected",
  suggest: async () => plainChoices([...new Set(STATE_WORDS.values())]),
  said: (words) => {
    const word = words.find((one) => STATE_WORDS.has(stem(one)));
    return word === undefined ? undefined : { value: STATE_WORDS.get(stem(word)) ?? "", words: [word] };
  },
} as const satisfies TextOption;

type ChoosingContext = Omit<CommandContext<Options>, "options"> & {
  readonly options: { readonly [name in "party" | "state"]?: string | undefined } & {
    readonly version?: number | undefined;
  };
};

/**
 * Which order is meant: of those of the caller's party, or of the one that was named; without one, of those shown before.
 * Nobody else sees them.
 */
export async function chooseOrder(context: ChoosingContext): Promise<Reply> {
  const { network, parties } = context;
  const { party: typed, version } = context.options;
  const state = context.options.state?.trim().toLowerCase();
  const which = (words: TextPart, actions: readonly Action[], title: TextPart = "Which order?"): Reply =>
    askedBack(title, [paragraph(words)], actions);
  if (context.audience === "channel") {
    return which("They are shown to you alone.", [
      commandAction("Show my orders", "order", { state, party: typed, network }),
    ]);
  }
  const byId = formActions(context, "By its id", "order", { version, network });
  const withId = (id: string): Ask => askFor(context, "order", { id });
  const ofParty = (party: string): Ask => askFor(context, "order", { state, party });
  if (typed === undefined) {
    const [seen = [], stakers = []] = await Promise.all([ORDER, PARTY].map((kind) => suggestIds(kind)("", context)));
    const isMeant = ({ label }: Choice): boolean => state !== undefined && label.toLowerCase().startsWith(state);
    const orders = seen.toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a)));
    const choices = [
      ...choiceActions("One shown before", orders, withId),
      ...choiceActions("Of a party", stakers, ofParty),
    ];
    const words = "Choose a party, or save yours: then its orders are offered at once.";
    return which(words, [...choices, SAVE_PARTY_ACTION, ...byId], orders.length > 0 ? undefined : "Whose order?");
  }
  const partyId = await resolveId(PARTY, typed, context, "party");
  const orders = (await ordersOf(partyId, context, state)).slice(0, MAX_CHOICES);
  const saved = (await parties.list().catch(() => [])).find(({ id }) => id === partyId);
  const party = saved?.name ?? shortenId(partyId);
  if (orders.length > 0) {
    const words = text`The newest ${orders.length} of ${party} on ${network}.`;
    return which(words, [...choiceActions("Choose one", orders, withId), ...byId]);
  }
  const others = (await suggestIds(PARTY)("", context)).filter(({ value }) => value !== partyId);
  const why = "Nodes drop orders after a month, and some list none; by its id one is found all the same.";
  return which(
    why,
    [...choiceActions("Of another party", others, ofParty), ...byId],
    text`${network} lists no orders of ${party}`,
  );
}
