import { FINAL_STATUSES } from "../src/alerts/judge/kinds/event.ts";
import { marketAmounts } from "../src/answers/amounts.ts";
import { answer, askFor, watchAction } from "../src/answers/answer.ts";
import { extraFields } from "../src/answers/cells.ts";
import { enumWords } from "../src/answers/enum-words.ts";
import { askAboutId, resolveId, suggestIds } from "../src/answers/ids/typed-ids.ts";
import { marketsById, noteSeen, ORDER } from "../src/answers/ids/ids.ts";
import {
  changesBetween,
  endReasonBlocks,
  orderFacts,
  orderFields,
  orderHeadline,
  orderTermFields,
  orderTone,
} from "../src/answers/orders.ts";
import type { Answer } from "../src/api/api-client.ts";
import { ApiError, asApiError } from "../src/api/api-error.ts";
import type { MarketNames } from "../src/api/model/names.ts";
import { Order } from "../src/api/model/order.ts";
import { command, type CommandContext } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { type Block, details, facts, fields, paragraph } from "../src/reply/block.ts";
import { type Action, buttonsOrChoice } from "../src/reply/reply.ts";
import { strong, text } from "../src/reply/text.ts";

/** The interface's version is an int32. */
const MAX_VERSION = 2 ** 31 - 1;
/** How many of the newest versions can be chosen. */
const MAX_VERSIONS = 20;

const options = {
  id: {
    kind: "text",
    required: true,
    description: "The order's id, or the beginning of one shown before",
    example: "a1b2c3d4…",
    suggest: suggestIds(ORDER),
  },
  version: { kind: "integer", description: "An earlier version; left out = the current one", min: 1, max: MAX_VERSION },
} as const;
type Context = CommandContext<typeof options>;

export const order = command({
  name: "order",
  alsoCalled: ["orders", "filled", "left"],
  summary: "One order: what is left, why it ended, its versions",
  verb: "Show order",
  examples: ["order <id>", "order <id> version:1"],
  options,
  run: async (context) => {
    const orderId = await resolveId(ORDER, context.options.id, context, "id");
    const [{ shown, currentVersion }, markets] = await Promise.all([
      getVersions(context, orderId),
      marketsById(context),
    ]);
    const { value: found, asOf } = shown;
    const market = markets.get(found.marketId ?? "");
    const amounts = marketAmounts(market);
    const isFinal = found.status !== undefined && FINAL_STATUSES.has(found.status);
    const previous = await getPrevious(context, orderId, found);
    noteSeen(context, "order", [{ id: found.id ?? orderId, label: seenLabel(found, market?.code) }]);
    noteSeen(context, "party", [{ id: found.partyId }]);
    noteSeen(context, "market", [{ id: found.marketId, label: market?.code }]);
    const version = found.version ?? BigInt(context.options.version ?? 1);
    const older = currentVersion !== undefined && version < currentVersion;
    return answer(context, asOf, {
      title: text`${orderHeadline(found, market?.code ?? "units", amounts)}${older ? ` – version ${version} of ${currentVersion}` : ""}`,
      // What is final can no longer change.
      ...(isFinal ? { lasting: true as const } : {}),
      tone: orderTone(found.status),
      blocks: [
        ...(older ? [paragraph(text`${strong("An earlier version")}: it no longer holds.`)] : []),
        ...endReasonBlocks(found),
        ...facts(orderFacts(found, amounts)),
        ...details(detailBlocks(found, previous, market)),
      ],
      actions: [
        ...versionActions(context, orderId, version, currentVersion ?? version),
        ...(found.status === undefined || older || isFinal
          ? []
          : [watchAction(context, "Tell me when it ends", "order.final", orderId)]),
      ],
      ask: askFor(context, "order", { id: orderId, version: context.options.version }),
    });
  },
});

function detailBlocks(found: Order, previous: Order | undefined, market: MarketNames | undefined): Block[] {
  const amounts = marketAmounts(market);
  const blocks: Block[] = [
    fields(orderFields(found, market?.code, amounts)),
    fields(orderTermFields(found, amounts), text`Terms`),
  ];
  if (previous !== undefined) {
    const before = previous.version ?? (found.version ?? 1n) - 1n;
    const changes = changesBetween(previous, found, amounts);
    blocks.push({
      kind: "list",
      title: text`Changed since version ${before}`,
      items: changes.length === 0 ? [text`Nothing that is shown here.`] : changes,
    });
  }
  const unknown = [
    ...extraFields(found, Order.shape),
    ...extraFields(found.peggedOrder, { offset: true, reference: true }, "peggedOrder."),
  ];
  if (unknown.length > 0) blocks.push(fields(unknown, text`Further fields of the node`));
  return blocks;
}

/** `rejected BTC/USDT`: a final status, which holds for good, and the market. */
function seenLabel({ status }: Order, code: string | undefined): string {
  const final = status !== undefined && FINAL_STATUSES.has(status) ? [enumWords(status, "STATUS")] : [];
  return [...final, ...(code === undefined ? [] : [code])].join(" ");
}

/** The version asked for, and the number of the current one where it is known. */
async function getVersions(context: Context, orderId: string) {
  const { api, signal, options: asked } = context;
  const current = api.getOrder(orderId, undefined, { signal });
  const hint = "A standard node drops orders after a month.";
  if (asked.version === undefined) {
    const shown = await askAboutId(ORDER, orderId, "id", context, current, hint);
    return { shown, currentVersion: shown.value.version };
  }
  const [versioned, newest] = await Promise.allSettled([api.getOrder(orderId, asked.version, { signal }), current]);
  const known = newest.status === "fulfilled" ? newest.value.value.version : undefined;
  if (versioned.status === "fulfilled") return { shown: versioned.value, currentVersion: known };
  const refused: unknown = versioned.reason;
  const wrongVersion = refused instanceof ApiError && (refused.kind === "not-found" || refused.kind === "invalid");
  if (wrongVersion && newest.status === "fulfilled") {
    throw new UserError(`This order has no version ${asked.version}.`, {
      option: "version",
      cause: refused,
      remedy: known === undefined ? "Leave version out for the current one." : `Its versions are 1 to ${known}.`,
    });
  }
  const shown = await askAboutId<Answer<Order>>(ORDER, orderId, "id", context, Promise.reject(refused), hint);
  return { shown, currentVersion: known };
}

/** The previous version, to show the changes of an amendment; undefined where it cannot be read. */
async function getPrevious(context: Context, orderId: string, found: Order): Promise<Order | undefined> {
  const { version } = found;
  if (version === undefined || version < 2n || version > BigInt(MAX_VERSION)) return undefined;
  const before = await context.api.getOrder(orderId, Number(version) - 1, { signal: context.signal }).catch(asApiError);
  return before instanceof ApiError ? undefined : before.value;
}

/** The current version first, then the others from the newest on, and the first of all. */
function versionActions(context: Context, orderId: string, version: bigint, current: bigint): Action[] {
  const versions: bigint[] = [];
  for (let one = current; one > 1n && versions.length < MAX_VERSIONS; one -= 1n) versions.push(one);
  const choices = [...versions, 1n]
    .filter((one) => one !== version && (one === current || one <= BigInt(MAX_VERSION)))
    .map((one) => ({
      label: one === current ? "Current version" : `Version ${one}`,
      invocation: askFor(context, "order", { id: orderId, version: one === current ? undefined : Number(one) }),
    }));
  return buttonsOrChoice("Other versions", choices, "replace");
}
