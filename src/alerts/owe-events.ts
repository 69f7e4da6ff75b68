import type { Milliseconds } from "../units/duration.ts";
import type { AlertEvent } from "./event.ts";
import type { EventKind } from "./kinds.ts";
import type { AlertMessage } from "./message.ts";
import type { OwedBook } from "./owed.ts";
import { route } from "./route.ts";
import type { Severity } from "./severity.ts";
import type { Silence } from "./silence.ts";
import { covers, isRolling, type Subscription } from "./subscription.ts";

/** More events of one kind at once than this become one digest. */
export const HANDFUL = 5;

/** Of a personal subscription these are the last word. */
const FINAL: readonly EventKind[] = ["order.final", "bundle.signed"];

export interface EventsCase {
  /** Of one round, in the order in which they happened. */
  readonly events: readonly AlertEvent[];
  readonly simulated: boolean;
  /** By the key of their destination. */
  readonly subscriptions: ReadonlyMap<string, readonly Subscription[]>;
  readonly silences: readonly Silence[];
  /** Unix milliseconds. */
  readonly at: Milliseconds;
  newId(): string;
}

/** How much an event matters. */
export function severityOfEvent(event: AlertEvent): Severity {
  switch (event.kind) {
    case "core.upgraded":
    case "rotation.new":
    case "history.reset":
      return "warning";
    case "market.state":
      return event.after.state === "STATE_SUSPENDED" ? "warning" : "info";
    case "checkpoint.new":
    case "snapshot.new":
    case "node.version":
    case "order.final":
    case "stake.changed":
    case "bundle.signed":
      return "info";
  }
}

/** Writes into the book what new events owe to whom. Pure but for the book. */
export function oweEvents(given: EventsCase, book: OwedBook): void {
  const label = given.simulated ? { simulated: true as const } : {};
  const messages = new Map(given.events.map((event) => [event, { type: "event", ...label, event } as const]));
  const digests = new Map<string, AlertMessage>();
  for (const [destination, subscriptions] of given.subscriptions) {
    const told = new Map<EventKind, { events: AlertEvent[]; subscription: Subscription; quiet: boolean }>();
    for (const event of given.events) {
      const wanting = subscriptions.filter((one) => one.kinds.includes(event.kind) && covers(one, event));
      const [subscription, ...others] = wanting;
      if (subscription === undefined) continue;
      for (const one of wanting) {
        if (one.personal === true && FINAL.includes(event.kind) && !book.ended.includes(one)) book.ended.push(one);
      }
      const news = {
        kind: event.kind,
        network: event.network,
        subject: event.subject,
        severity: severityOfEvent(event),
      };
      const all = [subscription, ...others].map((one) => ({ one, routed: route(news, one, given.silences, given.at) }));
      const yes = all.find(({ routed }) => routed.tell);
      if (yes !== undefined) {
        const group = told.get(event.kind) ?? { events: [], subscription: yes.one, quiet: news.severity === "info" };
        group.events.push(event);
        told.set(event.kind, group);
        continue;
      }
      const no = all.map(({ routed }) => routed).find((routed) => !routed.tell);
      if (no === undefined || no.tell) continue;
      const message = messages.get(event);
      const what = { network: event.network, destination, detail: `${event.kind} ${event.key}: ${no.detail}` };
      if (no.until !== undefined && message !== undefined) {
        book.held.push({ destination: subscription.destination, message, until: no.until });
        book.decisions.push({ what: "held for the digest", ...what });
      } else {
        book.decisions.push({ what: `suppressed by ${no.by}`, ...what });
      }
    }
    for (const [kind, { events, subscription, quiet }] of told) {
      const more = { destination: subscription.destination, ...(quiet ? { quiet: true as const } : {}) };
      if (events.length > HANDFUL) {
        const [first] = events;
        const key = `${kind} ${events.map((event) => event.key).join(" ")}`;
        const digest = digests.get(key) ?? {
          type: "digest",
          ...label,
          reason: "catch-up",
          network: first?.network ?? "",
          events,
          episodes: [],
        };
        digests.set(key, digest);
        book.deliveries.push({ id: given.newId(), phase: "digest", message: digest, ...more });
        continue;
      }
      for (const event of events) {
        const message = messages.get(event);
        if (message === undefined) continue;
        if (isRolling(subscription, kind)) book.rolled.push({ destination: subscription.destination, message });
        else book.deliveries.push({ id: given.newId(), phase: "event", message, ...more });
      }
    }
  }
}
