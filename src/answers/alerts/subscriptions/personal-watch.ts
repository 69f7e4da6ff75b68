import { FINAL_STATUSES, parseBundleSubject } from "../../../alerts/judge/kinds/event.ts";
import { KINDS, type PersonalKind } from "../../../alerts/judge/kinds/kinds.ts";
import { compareSeverity } from "../../../alerts/judge/kinds/kind.ts";
import { isAlive } from "../../../alerts/route/subscription.ts";

import { ApiError, asApiError } from "../../../api/api-error.ts";
import { UserError } from "../../../errors.ts";
import { type Block, paragraph } from "../../../reply/block.ts";
import { reply, type Reply } from "../../../reply/reply.ts";
import { code, shortenId, strong, text, type Text } from "../../../reply/text.ts";
import { askAboutId, type ResolveContext } from "../../ids/typed-ids.ts";
import { ORDER } from "../../ids/ids.ts";
import { resolveSubjects } from "../alert-subjects.ts";
import { type AlertCommandContext, runExclusive, testAnnouncement } from "../alerts.ts";
import { destinationWords, directMessages, isOperator, isSameDestination, parseDestination } from "../destination.ts";
import { unreachable } from "../suspension-words.ts";
import { type AddValues, newSubscription, unreachableReply } from "./add-subscription.ts";
import { inCallersZone, DEFAULT_NOTIFICATION_SETTINGS } from "./notification-settings.ts";
import {
  awaitFirstDelivery,
  countedWith,
  deliveryNote,
  MAX_PERSONAL_WATCHES,
  requireCapacity,
  subscriptionReply,
} from "./subscription-checks.ts";
import { contentKey } from "./subscriptions.ts";
import type { Destination } from "../../../alerts/destination.ts";
import { enumWords } from "../../../reply/enum-words.ts";

interface CurrentState {
  /** The final state, where nothing more can happen. */
  readonly over?: Text;
  /** The state so far. */
  readonly now?: Text;
}

/** What one person can watch. */
interface PersonalWatch {
  readonly what: string;
  readonly example: string;
  /** Follows `when`. */
  happens(subject: string): Text;
  /** The current state of the watched thing. A node that cannot answer does not prevent the watch. */
  current?(subject: string, context: AlertCommandContext): Promise<CurrentState>;
}

const PERSONAL_WATCHES: Readonly<Record<PersonalKind, PersonalWatch>> = {
  "order.final": {
    what: "an order",
    example: "alerts add order.final <id>",
    happens: (subject) => text`order ${code(shortenId(subject))} is filled, stopped, expired or rejected`,
    current: currentOrder,
  },
  "stake.changed": {
    what: "a party",
    example: "alerts add stake.changed <party>",
    happens: (subject) => text`stake of ${code(shortenId(subject))} is linked or unlinked`,
  },
  "bundle.signed": {
    what: "an asset or a proposal",
    example: "alerts add bundle.signed USDT",
    happens: (subject) => {
      const bundle = parseBundleSubject(subject);
      return text`the ${bundle.bundle} bundle of ${code(shortenId(bundle.id))} is signed`;
    },
    current: currentBundle,
  },
};

const DEFAULTS = { ...DEFAULT_NOTIFICATION_SETTINGS, events: "each" } as const;

const UNKNOWN = text`How it stands now cannot be asked at the moment; it is watched all the same.`;

async function currentOrder(subject: string, context: AlertCommandContext): Promise<CurrentState> {
  const asked = context.api.getOrder(subject, undefined, { signal: context.signal });
  const found = await askAboutId(ORDER, subject, "subjects", context, asked).catch(asApiError);
  if (found instanceof ApiError) return { now: UNKNOWN };
  const { status } = found.value;
  const words = enumWords(status ?? "", "STATUS");
  return status !== undefined && FINAL_STATUSES.has(status)
    ? { over: text`Order ${code(shortenId(subject))} is ${strong(words)} already` }
    : { now: text`The order is ${words === "" ? "open" : strong(words)} now.` };
}

async function currentBundle(subject: string, { api, signal }: AlertCommandContext): Promise<CurrentState> {
  const { bundle, id: of } = parseBundleSubject(subject);
  const asked =
    bundle === "list-asset" ? api.getListAssetBundle(of, { signal }) : api.getAssetLimitsBundle(of, { signal });
  const found = await asked.catch(asApiError);
  if (found instanceof ApiError) {
    return { now: found.kind === "not-found" ? text`The network knows of no such bundle yet.` : UNKNOWN };
  }
  if (found.value.signatures === undefined) return { now: text`It is not signed yet.` };
  return { over: text`That bundle is signed already: ${code(`bundle ${bundle} ${of}`)}` };
}

/** Subscribes one person to one order, stake or bundle, by direct message. */
export async function addPersonalWatch(
  context: AlertCommandContext,
  kind: PersonalKind,
  given: AddValues,
): Promise<Reply> {
  const { alerts } = context;
  const values = await inCallersZone(context, given);
  const watch = PERSONAL_WATCHES[kind];
  if (values.subjects === undefined) {
    throw new UserError(`${kind} needs ${watch.what} to watch.`, {
      option: "subjects",
      remedy: "For example:",
      suggestion: watch.example,
    });
  }
  const subjects = await resolveSubjects([kind], values.subjects, context);
  const [named] = subjects;
  if (named === undefined || subjects.length > 1) {
    throw new UserError("A watch has one subject.", {
      option: "subjects",
      remedy: "Add them one after the other.",
    });
  }
  const destination = values.to === undefined ? directMessages(context) : parseDestination(values.to, context);
  const subject = kind === "bundle.signed" ? await resolveBundleSubject(named, values.subjects, context) : named;
  const { over, now } = (await watch.current?.(subject, context)) ?? {};
  if (over !== undefined) {
    return reply({ title: over, blocks: [paragraph("There is nothing left to wait for, so nothing is watched.")] });
  }
  const added = await runExclusive(alerts, () => addOnce(context, kind, subject, values, destination));
  if (!("subscription" in added)) return added;
  const { subscription, watched, isProven } = added;
  const isServed = alerts.platforms().includes(destination.platform);
  const delivery =
    isProven && isServed
      ? ({ state: "arrived" } as const)
      : await awaitFirstDelivery(context, destination, subscription.created);
  if (delivery.state === "lost") return unreachableReply(context, subscription, delivery.why, {});
  const where = isOperator(context) ? text`in ${destinationWords(destination, context)}` : text`by direct message`;
  const happens = watch.happens(subject);
  const lasts =
    KINDS[kind].final === true ? "It ends by itself once that has happened" : "It goes on until you remove it";
  return subscriptionReply(
    context,
    subscription,
    {},
    {
      tone: "good",
      title:
        delivery.state === "arrived"
          ? text`You will be told ${where} when ${happens}`
          : text`Watched: whether ${happens}`,
      more: [
        ...(now === undefined ? [] : [paragraph(now)]),
        paragraph(`${lasts}. This is ${watched} of the ${MAX_PERSONAL_WATCHES} that one person can watch.`),
        ...firstMessageNote(context, delivery.state, where, destination),
      ],
    },
  );
}

/** A note where it is not known yet whether messages arrive at the destination. */
function firstMessageNote(
  context: AlertCommandContext,
  state: "arrived" | "on its way",
  where: Text,
  destination: Destination,
): Block[] {
  const note = deliveryNote(context, destination);
  if (state === "arrived" || note.length > 0) return note;
  return [paragraph(text`Whether you can be told ${where} is not known yet: a first message is on its way there.`)];
}

/** A new watch, or the reply that says why there is none. */
async function addOnce(
  context: AlertCommandContext,
  kind: PersonalKind,
  subject: string,
  values: AddValues,
  destination: Destination,
) {
  const { alerts, caller } = context;
  const all = await alerts.subscriptions();
  const what = { destination, kinds: [kind], subjects: [subject], personal: true as const };
  const subscription = newSubscription(context, all, what, values, DEFAULTS);
  const { worst } = KINDS[kind];
  if (compareSeverity(worst, subscription.floor) < 0) {
    throw new UserError(`${kind} is never worse than ${worst}: nothing would be told.`, {
      option: "severity",
      remedy: "Leave severity out.",
    });
  }
  const own = countedWith(subscription, all, context);
  const known = own.find((one) => contentKey(one, alerts.config) === contentKey(subscription, alerts.config));
  if (known !== undefined) {
    return subscriptionReply(context, known, {}, { title: text`Nothing changed: you watch that already` });
  }
  requireCapacity(subscription, own);
  const isInUse = all.some((one) => isAlive(one) && isSameDestination(one.destination, destination));
  // No message has to show what is known: the destination is in use, and can be reached as far as anybody knows.
  const isProven =
    isSameDestination(destination, context.platforms.console) ||
    (isInUse && (await unreachable(alerts, destination)) === undefined);
  const announced = isProven ? [] : [testAnnouncement(context, destination, { subscription })];
  await alerts.putSubscriptions([subscription], caller.name, announced);
  return { subscription, watched: own.length + 1, isProven };
}

/**
 * The subject of a bundle. A bare id is an asset's, unless the network knows it as a proposal to set an asset's limits:
 * without this check the caller would wait for a bundle that never comes.
 */
async function resolveBundleSubject(subject: string, typed: string, context: ResolveContext): Promise<string> {
  const { bundle, id } = parseBundleSubject(subject);
  if (bundle !== "list-asset" || typed.includes(":")) return subject;
  const { api, signal } = context;
  const listed = await api.getListAssetBundle(id, { signal }).catch(asApiError);
  if (!(listed instanceof ApiError) || listed.kind !== "not-found") return subject;
  const proposed = await api.getAssetLimitsBundle(id, { signal }).catch(asApiError);
  return proposed instanceof ApiError ? subject : `asset-limits:${id}`;
}
