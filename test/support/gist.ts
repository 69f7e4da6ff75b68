import { severityOfEvent } from "../../src/alerts/judge/kinds/event.ts";
import type { DeliveryContext } from "../../src/alerts/message/delivery-subject.ts";
import { isOpen } from "../../src/alerts/judge/rules/episode.ts";
import type { AlertMessage, ChangeMessage } from "../../src/alerts/message/message.ts";
import type { Notice } from "../../src/alerts/message/notice.ts";
import { describe } from "../../src/alerts/words/words.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Reply } from "../../src/reply/reply.ts";
import { isOfOneKind, type MessageGroup } from "../../src/alerts/message/message-group.ts";
import { PLATFORMS } from "./platforms.ts";

const described = new WeakMap<Reply, { readonly alert: AlertMessage; readonly context: DeliveryContext }>();

/** Words an alert as the program does, and remembers of which message the reply is made. */
export function describeAlert(alert: AlertMessage, context: DeliveryContext = {}): Reply {
  const reply = describe(alert, context, PLATFORMS);
  described.set(reply, { alert, context });
  return reply;
}

/** The message of which a reply was made; undefined where `describeAlert` did not make it. */
export function wordedAlert(reply: Reply): AlertMessage | undefined {
  return described.get(reply)?.alert;
}

/** The same, where it did. */
export function alertOf(reply: Reply): AlertMessage {
  const found = wordedAlert(reply);
  if (found === undefined) throw new Error(`no alert: ${plainText(reply.title)}`);
  return found;
}

/** The episodes that a reply made by `describeAlert` says. */
export function episodesIn(reply: Reply): readonly string[] {
  const { alert, context } = described.get(reply) ?? {};
  if (alert?.type !== "condition") return [];
  return context?.group?.episodes.map(({ id }) => id) ?? [alert.episode.id];
}

/** The keys of the events that such a reply says beside its own alert. */
export function eventsIn(reply: Reply): readonly string[] {
  const notices = described.get(reply)?.context.group?.notices ?? [];
  return notices.flatMap((one) =>
    one.type === "event" ? [one.event.key] : one.type === "digest" ? one.events.map(({ key }) => key) : [],
  );
}

/** Whether a reply made by `describeAlert` is marked as a possible repeat: it has one block more. */
export function isRepeat(reply: Reply): boolean {
  const made = described.get(reply);
  if (made === undefined) return false;
  const { repeat: _, ...context } = made.context;
  return reply.blocks.length > describe(made.alert, context).blocks.length;
}

/** Whether a reply made by `describeAlert` shows an end, or has lost its buttons. */
export function saysEnd(reply: Reply): boolean {
  const { alert, context } = described.get(reply) ?? {};
  return context?.spent !== undefined || (alert?.type === "condition" && alert.episode.ended !== undefined);
}

/** The gist of a reply made by `describeAlert`; the title of any other. */
export function gistOf(reply: Reply): string {
  const made = described.get(reply);
  return made === undefined ? plainText(reply.title) : gist(made.alert, made.context);
}

/** An alert's facts in one line, however it is worded: `still critical: network.stalled on mainnet`. */
export function gist(alert: AlertMessage, context: DeliveryContext = {}): string {
  const marks = `${alert.simulated === true ? "simulated " : ""}${alert.drill === true ? "drill " : ""}`;
  return marks + facts(alert, context);
}

function facts(alert: AlertMessage, { merged, group }: DeliveryContext): string {
  switch (alert.type) {
    case "condition": {
      if (group !== undefined && isOfOneKind(group)) return grouped(group);
      const { phase } = alert;
      const episode = group?.episodes[0] ?? alert.episode;
      const over = episode.ended !== undefined;
      const fired = over && merged === true ? "fired and " : "";
      const again = over
        ? ""
        : phase === "reminder"
          ? "still "
          : phase === "escalation" && merged !== true
            ? "now "
            : "";
      return `${fired}${again}${over ? episode.state : episode.severity}: ${subjectOf(episode)}`;
    }
    case "event":
      return `${severityOfEvent(alert.event)}: ${subjectOf(alert.event)}`;
    case "digest":
      return `digest: ${counted(alert)} on ${alert.network}, ${alert.reason}`;
    case "rolling":
      return `rolling: ${alert.total} ${alert.kind} on ${alert.network}, ${alert.day}`;
    case "flapping":
      return `flapping: ${likewise(group, alert.episode)}`;
    case "calm":
      return `${alert.open ? "steady" : "calm"}: ${likewise(group, alert)}`;
    case "away":
      return `away ${(BigInt(alert.to) - BigInt(alert.from)) / 1_000_000_000n} s: ${[
        ...alert.late.map(({ kind, count }) => `${count} ${kind} late`),
        ...(alert.unseen ?? []).map((network) => `${network} unseen`),
      ].join(", ")}`;
    case "notice":
      return noticeGist(alert.notice);
    case "token":
      return `${alert.channel === undefined ? "token" : "channel"} ${"removed" in alert.change ? "removed" : alert.change.what}: ${[alert.platform, alert.workspace ?? [], alert.channel ?? []].flat().join(" ")}`;
    case "export":
      return `export ${alert.job}`;
    case "test":
      return `test by ${alert.by}`;
    case "change":
      return `${alert.change.what} by ${alert.by}: ${changed(alert.change)}`;
  }
}

function noticeGist(notice: Notice): string {
  switch (notice.about) {
    case "unacknowledged":
      return `unacknowledged: ${subjectOf(notice.episode)}, ${notice.reminders} reminders`;
    case "lost":
      return `lost: ${notice.platform} ${notice.channel}`;
    case "silences":
      return `silences: ${notice.silences.length}`;
    case "refused":
      return `refused: ${notice.platform}${notice.places.map(({ channel, dead, plain }) => ` ${channel} ${dead} dead ${plain} plain`).join()}`;
    case "database":
      return `database ${notice.what}`;
  }
}

interface Subject {
  readonly kind: string;
  /** Of an episode: its kind with its threshold. */
  readonly rule?: string;
  readonly network: string;
  readonly subject: string;
  /** Of an event. */
  readonly key?: string;
}

function subjectOf({ kind, rule = kind, network, subject, key = "" }: Subject): string {
  return `${rule}${subject === "" ? (key === "" ? "" : ` ${name(key)}`) : ` of ${subject}`} on ${network}`;
}

/** `3 node.down on mainnet`, where a message gives several notices alike. */
function likewise(group: MessageGroup | undefined, of: Subject): string {
  return group === undefined ? subjectOf(of) : `${group.notices.length} ${of.kind} on ${of.network}`;
}

/** `warning: 2 of 3 node.down on mainnet`: so many of them are open. */
function grouped({ episodes, merged }: MessageGroup): string {
  const open = episodes.filter(isOpen);
  const [{ kind, network, state } = { kind: "", network: "", state: "" }] = episodes;
  const resolved = episodes.filter((one) => one.state === "resolved");
  const [over = state] = resolved.map((one) => one.state);
  const [word = over] = ["critical", "warning", "info"].filter((one) => open.some(({ severity }) => severity === one));
  const { length } = [open, resolved, episodes].find((those) => those.length > 0) ?? [];
  return `${merged === true && open.length === 0 ? "fired and " : ""}${word}: ${length === episodes.length ? "" : `${length} of `}${episodes.length} ${kind} on ${network}`;
}

/** Of a key such as a checkpoint's, `<block>/<hash>`: the block. */
function name(key = ""): string {
  return key.split("/", 1)[0] ?? "";
}

/** How many of each kind, the events with the keys of the first and the last one. */
function counted({ events, episodes }: Extract<AlertMessage, { type: "digest" }>): string {
  const kinds = Map.groupBy([...events, ...episodes], ({ kind }) => kind);
  return [...kinds]
    .map(([kind, all]) => {
      const keys = all.flatMap((one) => ("key" in one ? [one.key] : []));
      return `${all.length} ${kind}${keys.length === 0 ? "" : ` ${name(keys[0])} to ${name(keys.at(-1))}`}`;
    })
    .join(", ");
}

function changed(change: ChangeMessage["change"]): string {
  if ("episode" in change) return subjectOf(change.episode);
  if ("silence" in change) return Object.values(change.silence.scope).join(" ") || "everything";
  const { kinds, subjects, parameters, network } = change.subscription;
  const limits = Object.keys(parameters).length === 0 ? "" : ` ${JSON.stringify(parameters)}`;
  return (
    [kinds.join(","), ...(subjects.length === 0 ? [] : ["of", subjects.join(",")]), "on", network].join(" ") + limits
  );
}
