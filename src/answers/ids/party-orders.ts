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
import { inTime } from "../../in-time.ts";
import { paragraph } from "../../reply/block.ts";
import { plainText } from "../../reply/plain-text.ts";
import { type Action, buttonsOrChoice, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { commandLine, shortenId, text, type TextPart } from "../../reply/text.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { marketAmounts } from "../amounts.ts";
import { askFor } from "../answer.ts";
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
      return [{ label: cutShort(`${plainText(words)} · ${shortenId(order.id)}`, MAX_CHOICE_LENGTH), value: order.id }];
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
  const { audience, network, options: asked, parties, platforms, here } = context;
  const state = asked.state?.trim().toLowerCase();
  if (audience === "channel") {
    const invocation = { state, party: asked.party };
    return asking("Which order?", text`They are shown to you alone.`, [
      commandAction("Show my orders", "order", invocation),
    ]);
  }
  const isChat = platforms.chat(here.platform) !== undefined;
  const byId: Action[] = isChat
    ? [{ ...commandAction("By its id", "order", { version: asked.version }), form: true }]
    : [];
  if (asked.party === undefined) return chooseParty(context, state, byId);
  const partyId = await resolveId(PARTY, asked.party, context, "party");
  const orders = (await ordersOf(partyId, context, state)).slice(0, MAX_CHOICES);
  const saved = (await parties.list().catch(() => [])).find(({ id }) => id === partyId);
  const party = saved?.name ?? shortenId(partyId);
  if (orders.length > 0) {
    const words = text`The newest ${orders.length} of ${party} on ${network}.`;
    return asking("Which order?", words, [...choiceOf(context, "Choose one", "id", orders), ...byId]);
  }
  const why = text`Nodes drop orders after a month, and some list none. ${commandLine("order <id>")} shows one by its id.`;
  return asking(text`${network} lists no orders of ${party}`, why, byId);
}

/** Without a party: the orders that were shown before, and whose orders to look through. */
async function chooseParty(context: ChoosingContext, state = "", byId: readonly Action[] = []): Promise<Reply> {
  const [seen, stakers] = await Promise.all([ORDER, PARTY].map((kind) => suggestIds(kind)("", context)));
  const isMeant = ({ label }: Choice): boolean => state !== "" && label.toLowerCase().startsWith(state);
  const orders = (seen ?? []).toSorted((a, b) => Number(isMeant(b)) - Number(isMeant(a)));
  return asking(
    orders.length > 0 ? "Which order?" : "Whose order?",
    "Choose a party, or save yours: then its orders are offered at once.",
    [
      ...choiceOf(context, "One shown before", "id", orders),
      ...choiceOf(context, "Of a party", "party", stakers ?? [], state),
      SAVE_PARTY_ACTION,
      ...byId,
    ],
  );
}

function choiceOf(
  context: ChoosingContext,
  label: string,
  option: "id" | "party",
  choices: readonly Choice[],
  state?: string,
): Action[] {
  const prepared = choices.map(({ label: named, value }) => ({
    label: named,
    invocation: askFor(context, "order", { state: state === "" ? undefined : state, [option]: value }),
  }));
  return buttonsOrChoice(label, prepared, "reply");
}

function asking(title: TextPart, words: TextPart, actions: readonly Action[]): Reply {
  return reply({ asks: true, title, blocks: [paragraph(words)], actions: [...actions] });
}
