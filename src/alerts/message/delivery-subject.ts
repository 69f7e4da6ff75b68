import type { DeliveryRow, Urgency } from "../../store/alert-tables/alert-tables.ts";
import type { Nanoseconds } from "../../units/time.ts";
import { severityOfEvent } from "../judge/kinds/event.ts";
import { type AlertKind, KINDS } from "../judge/kinds/kinds.ts";
import { compareSeverity, type Severity } from "../judge/kinds/kind.ts";
import type { DeliverySubject } from "../sender.ts";
import type { AlertsConfig } from "../alerts-config.ts";
import type { AlertMessage, ChangeMessage, MessageOf } from "./message.ts";
import type { MessageGroup } from "./message-group.ts";
import { NOTICE_SEVERITIES } from "./notice.ts";

const BOT_EVENT = { kind: "bot", network: "", subject: "", state: "event", severity: "info" } as const;

/** The subject of a delivery, for programs. Pure and total. */
export function deliverySubject(message: AlertMessage, phase: string): DeliverySubject {
  switch (message.type) {
    case "condition":
      return conditionSubject(message, phase);
    case "event": {
      const { kind, network, subject, at } = message.event;
      return { kind, network, subject, state: "event", severity: severityOfEvent(message.event), at };
    }
    case "digest":
      return digestSubject(message);
    case "rolling": {
      const at = message.events.at(-1)?.at ?? "0";
      return { kind: message.kind, network: message.network, subject: "", state: "digest", severity: "info", at };
    }
    case "flapping": {
      const { id, kind, network, subject, severity, detected } = message.episode;
      return { kind, network, subject, state: "digest", severity, at: detected, episode: id };
    }
    case "calm": {
      const { kind, network, subject, at } = message;
      return { kind, network, subject, state: "digest", severity: "info", at };
    }
    case "away":
      return { ...BOT_EVENT, at: message.to };
    case "notice":
      return noticeSubject(message);
    case "token":
      return tokenSubject(message);
    case "change": {
      const network = changedNetwork(message);
      const episode = message.change.what === "acknowledged" ? { episode: message.change.episode.id } : {};
      return { ...BOT_EVENT, network, at: message.at, ...episode };
    }
    case "export":
      return { ...BOT_EVENT, subject: message.job, at: message.at };
    case "test":
      return { ...BOT_EVENT, at: message.at };
  }
}

function conditionSubject(message: MessageOf<"condition">, phase: string): DeliverySubject {
  const { id, kind, network, subject, severity, detected, escalated, ended } = message.episode;
  const about = { kind, network, subject, severity, episode: id };
  if (phase === "resolve" || phase === "fired and resolved" || ended !== undefined) {
    return { ...about, state: "resolved", at: ended ?? detected };
  }
  return (message.phase === "escalation" || phase === "escalation") && phase !== "trigger"
    ? { ...about, state: "escalated", at: escalated ?? detected }
    : { ...about, state: "firing", at: detected };
}

function digestSubject({ network, reason, episodes, events }: MessageOf<"digest">): DeliverySubject {
  const severity = episodes.map((one) => one.severity).reduce<Severity>(worse, "info");
  const last = events.at(-1);
  const kind = reason === "catch-up" && last !== undefined ? last.kind : "bot";
  const at = last?.at ?? episodes.at(-1)?.ended ?? "0";
  return { kind, network, subject: "", state: "digest", severity, at };
}

function tokenSubject({ platform, channel, change, operator, at }: MessageOf<"token">): DeliverySubject {
  const about = { kind: "bot", network: "", subject: channel ?? platform, at } as const;
  if (change.what !== "refused" && change.what !== "revoked") return { ...about, state: "resolved", severity: "info" };
  return { ...about, state: "firing", severity: channel === undefined || operator === true ? "critical" : "warning" };
}

function noticeSubject({ notice, at }: MessageOf<"notice">): DeliverySubject {
  const network = notice.about === "unacknowledged" ? notice.episode.network : "";
  const subject = notice.about === "lost" ? notice.channel : notice.about === "refused" ? notice.platform : "";
  return { ...BOT_EVENT, network, subject, severity: NOTICE_SEVERITIES[notice.about], at };
}

/**
 * How urgent a message is. It follows from the kind: messages about one episode, and events of one kind, stay in order.
 * Pure and total.
 */
export function messageUrgency(message: AlertMessage): Urgency {
  switch (message.type) {
    case "condition":
    case "flapping":
      return mayBeCritical(message.episode.kind) ? 2 : 1;
    case "calm":
      return mayBeCritical(message.kind) ? 2 : 1;
    case "event":
      return mayBeCritical(message.event.kind) ? 2 : 0;
    case "digest":
      return message.events.some(({ kind }) => mayBeCritical(kind)) ? 2 : 0;
    case "notice":
      return NOTICE_SEVERITIES[message.notice.about] === "critical" ? 2 : 0;
    case "rolling":
    case "away":
    case "token":
    case "change":
    case "export":
    case "test":
      return 0;
  }
}

function mayBeCritical(kind: AlertKind): boolean {
  return KINDS[kind].worst === "critical";
}

function changedNetwork({ change }: ChangeMessage): string {
  switch (change.what) {
    case "acknowledged":
      return change.episode.network;
    case "silenced":
    case "unsilenced":
      return change.silence.scope.network ?? "";
    case "added":
    case "edited":
    case "removed":
    case "paused":
    case "resumed":
      return change.subscription.network;
  }
}

function worse(a: Severity, b: Severity): Severity {
  return compareSeverity(a, b) >= 0 ? a : b;
}

/** Facts about one delivery that its wording depends on, besides the message. */
export interface DeliveryContext {
  /** It was over before it was sent: the message says both. */
  readonly merged?: true;
  /** It may have arrived before. */
  readonly repeat?: true;
  /** It was sent twice, and the other message goes on. */
  readonly twice?: true;
  /** It is sent as text alone, since the platform refused its usual form. */
  readonly plain?: true;
  /** Its edit was refused as plain text, too: the message says no more than that it is out of date. */
  readonly outdated?: true;
  /** When the trigger arrived here. */
  readonly triggeredAt?: Nanoseconds;
  /** The message says more than its own delivery. */
  readonly group?: MessageGroup;
  /** More may join it soon: its file follows then. */
  readonly growing?: true;
  /** It lost the buttons that act. */
  readonly spent?: true;
  /** Of a short post: the address of its card. */
  readonly card?: string;
  /** The configured guidance, by kind. */
  readonly guidance?: AlertsConfig["kinds"];
}

/** Whether what follows was merged into this trigger before it was sent. */
export function isMerged(message: AlertMessage, { phase }: Pick<DeliveryRow, "phase">): boolean {
  if (message.type !== "condition") return false;
  return phase === "fired and resolved" || (phase === "trigger" && message.phase === "escalation");
}
