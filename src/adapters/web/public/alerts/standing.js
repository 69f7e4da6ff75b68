// @ts-check
// The open alerts: by the last state from the server, and the alerts that came since. Pure, so that tests run it in
// node.
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
/** @import { OpenAlert, WatchedNode } from "../../alerts/watch.ts" */

import { EPISODE_WORDS, RESOLVED_TONE, SEVERITY } from "../../../../reply/states.js";
import { exactUtc, localTime, machineTime } from "../reply/times.js";
import { h } from "../vnode/vnode.js";

/** An alert comes at once, the next state up to some seconds later: the latest of both counts. */
export function createStanding() {
  /** @type {ReadonlyMap<string, OpenAlert>} */
  let seen = new Map();
  /** @type {Map<string, { readonly alert: AlertJson, readonly request: number }>} By episode, with the request that was under way. */
  const since = new Map();
  let requests = 0;

  return {
    /** A request for the state begins; alerts from here on may be newer than its answer. */
    beginRequest() {
      requests += 1;
      const own = requests;
      return {
        /** @param {readonly OpenAlert[]} open The worst first. */
        received(open) {
          seen = new Map(open.map((one) => [one.episode, one]));
          for (const [episode, { request }] of since) if (request < own) since.delete(episode);
        },
      };
    },
    /** @param {AlertJson} alert */
    add(alert) {
      if (changesEpisode(alert)) since.set(alert.episode ?? "", { alert, request: requests });
    },
    /** In the order of the last state, the worst first, before it what came since: its place is known with the next state. */
    open() {
      const open = new Map(seen);
      const news = [];
      for (const [episode, { alert }] of since) {
        if (alert.state === "resolved") open.delete(episode);
        else if (!open.has(episode)) news.unshift(openOf(alert, episode));
      }
      return [...news, ...open.values()];
    },
  };
}

/**
 * @param {AlertJson} alert
 * @param {string} episode
 * @returns {OpenAlert}
 */
function openOf({ kind, network, subject, severity, at }, episode) {
  return {
    episode,
    kind: /** @type {OpenAlert["kind"]} */ (kind),
    network,
    subject,
    severity,
    state: "firing",
    // When it fired; nothing more is known until the next state.
    began: at,
    beganBefore: true,
  };
}

/** This many alike, or more, fold. */
const FOLDED_FROM = 3;

/**
 * Cards by the day of their alerts, the newest first; those of a kind that are over stand together where they are many.
 *
 * @template {{ readonly alert: Pick<AlertJson, "at" | "kind" | "state"> }} C
 * @param {readonly C[]} cards
 * @param {string} [timeZone] An IANA name; left out = the browser's.
 * @returns {readonly { readonly day: string, readonly rows: readonly (readonly C[])[] }[]}
 */
export function byDay(cards, timeZone) {
  const sorted = cards.toSorted((a, b) => Number(BigInt(b.alert.at) - BigInt(a.alert.at)));
  const days = Map.groupBy(sorted, ({ alert }) => dayWords(localTime(alert.at, timeZone).slice(0, 10)));
  return [...days].map(([day, of]) => {
    const over = Map.groupBy(of, ({ alert: { kind, state } }) => (state === "resolved" ? kind : ""));
    over.delete("");
    const rows = of.flatMap((card) => {
      const alike = over.get(card.alert.kind) ?? [];
      if (alike.length < FOLDED_FROM || !alike.includes(card)) return [[card]];
      return alike[0] === card ? [alike] : [];
    });
    return { day, rows };
  });
}

/** @param {string} day `2026-05-01` */
function dayWords(day) {
  const weekday = new Date(day).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });
  return `${weekday}, ${day}`;
}

/**
 * What the reader's clock showed; its day is the heading above.
 *
 * @param {string} at
 * @param {string} [timeZone] An IANA name; left out = the browser's.
 */
export function clockOf(at, timeZone) {
  return h("time", { datetime: machineTime(at), title: exactUtc(at) }, localTime(at, timeZone).slice(11, 16));
}

/**
 * When it began, as its message says it.
 *
 * @param {Pick<OpenAlert, "began" | "beganBefore">} alert
 * @param {string} [timeZone] An IANA name; left out = the browser's.
 */
export function beganWords({ began, beganBefore }, timeZone) {
  return `began ${localTime(began, timeZone)}${beganBefore === true ? " at the latest" : ""}`;
}

/** The id of an alert that was not delivered here. */
const STATE = "state ";

/**
 * An open alert that nothing was delivered of here, because of a silence for instance: it is listed all the same.
 *
 * @param {OpenAlert} open
 * @returns {AlertJson}
 */
export function stateAlert({ episode, kind, network, subject, severity, began, what, label = subject }) {
  const options = { episode };
  const title = what ?? `${kind}${label === "" ? "" : ` of ${label}`} on ${network}`;
  const { tone } = SEVERITY[severity];
  return {
    id: `${STATE}${episode}`,
    kind,
    network,
    subject,
    state: "firing",
    severity,
    noun: kind,
    at: began,
    episode,
    reply: {
      tone,
      title: [{ kind: "text", text: title }],
      headline: title,
      blocks: [{ kind: "paragraph", text: [{ kind: "text", text: "It is open; nothing was delivered here." }] }],
      actions: [
        { label: "Acknowledge", invocation: { command: "alerts ack", options }, effect: "reply" },
        { label: "Details", invocation: { command: "alerts why", options }, effect: "reply" },
      ],
      attachments: [],
    },
  };
}

/** @param {AlertJson} alert */
export function isStateCard({ id }) {
  return id.startsWith(STATE);
}

/** @param {Pick<AlertJson, "state">} alert */
export function isUnderWay({ state }) {
  return state === "firing" || state === "escalated";
}

/**
 * Whether it changes the state of its episode; an acknowledgement, for one, does not.
 *
 * @param {AlertJson} alert
 */
export function changesEpisode(alert) {
  return alert.episode !== undefined && (isUnderWay(alert) || alert.state === "resolved");
}

/**
 * Alerts with the same key share a card: those of an episode, and all events of a kind. What the bot says of itself has a
 * card for each message.
 *
 * @param {AlertJson} alert
 */
export function cardKey(alert) {
  if (changesEpisode(alert)) return `episode ${alert.episode}`;
  return alert.kind === "bot" ? `bot ${alert.id}` : `${alert.state} ${alert.kind} ${alert.network}`;
}

/**
 * `2 of 3 answer`: a node may answer and yet have no new block.
 *
 * @param {readonly Pick<WatchedNode, "state">[]} nodes
 */
export function answerWords(nodes) {
  const answering = nodes.filter(({ state }) => state === "ok" || state === "lagging").length;
  return `${answering} of ${nodes.length} answer`;
}

/**
 * One word for its state, and its colour.
 *
 * @param {AlertJson} alert
 * @param {OpenAlert | undefined} open
 * @returns {readonly [word: string, tone: string]}
 */
export function wordOf({ state, severity, kind }, open) {
  const { word, tone } = SEVERITY[open?.severity ?? severity];
  if (open?.state === "recovering") return [EPISODE_WORDS.recovering.toUpperCase(), tone];
  switch (state) {
    case "firing":
    case "escalated":
      return [word.toUpperCase(), tone];
    case "resolved":
      return [EPISODE_WORDS.resolved.toUpperCase(), RESOLVED_TONE];
    case "event":
      return [kind === "bot" ? "NOTE" : "EVENT", tone];
    case "digest":
      return ["DIGEST", tone];
  }
}
