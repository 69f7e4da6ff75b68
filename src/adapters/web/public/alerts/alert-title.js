// @ts-check
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
import { isSimulated } from "../reply/reply.js";
import { plainOf } from "../reply/render-text.js";
import { localTime } from "../reply/times.js";

/**
 * Without the mark of a simulation and the word that it is resolved, which stand beside it already.
 *
 * @param {AlertJson} alert
 * @param {number} now
 * @param {string} [timeZone] An IANA name; left out = the browser's.
 */
export function titleOf(alert, now, timeZone) {
  const { title } = replyOf(alert, timeZone);
  const own = isSimulated(alert.reply) ? title.slice(1) : title;
  return plainOf(own, { now, timeZone }).replace(/^(?: · )?(DRILL · )?(?:Resolved: )?/u, "$1");
}

/**
 * Without its severity, which the badge says as it is now: the message is as old as its delivery. Its clocks, which chats
 * show in UTC, are the reader's.
 *
 * @param {AlertJson} alert
 * @param {string} [timeZone] An IANA name; left out = the browser's.
 * @returns {AlertJson["reply"]}
 */
export function replyOf({ reply: given, state }, timeZone) {
  const reply = inReadersZone(given, timeZone);
  if (state !== "firing" && state !== "escalated") return reply;
  const [first, ...rest] = reply.blocks;
  const [word, ...others] = first?.kind === "paragraph" ? first.text : [];
  const says = first?.kind === "paragraph" && word?.kind === "strong" && /^(?:Info|Warning|Critical)$/u.test(word.text);
  const [next, ...more] = others;
  const figures = next?.kind === "text" ? [{ ...next, text: next.text.replace(/^ · /u, "") }, ...more] : others;
  const head = first === undefined ? [] : !says ? [first] : figures.length === 0 ? [] : [{ ...first, text: figures }];
  return { ...reply, tone: "neutral", blocks: [...head, ...rest] };
}

/** A clock in UTC as words have it: a time of day, with or without its date and the zone. */
const CLOCK = /^(?<date>\d{4}-\d{2}-\d{2} )?(?<clock>\d{2}:\d{2}(?::\d{2})?)(?<zone> UTC)?$/u;

/**
 * A value of a reply with each clock in it as the reader's.
 *
 * @template T
 * @param {T} value
 * @param {string | undefined} timeZone
 * @returns {T}
 */
function inReadersZone(value, timeZone) {
  const json = JSON.stringify(value, (_, part) =>
    typeof part?.at === "string" && part.kind === "text"
      ? { kind: "text", text: localClock(part.text, part.at, timeZone) }
      : part,
  );
  return JSON.parse(json);
}

/**
 * @param {string} words
 * @param {string} at
 * @param {string | undefined} timeZone
 */
function localClock(words, at, timeZone) {
  const { date = "", clock = "", zone = "" } = CLOCK.exec(words)?.groups ?? {};
  if (clock === "") return words;
  const local = localTime(at, timeZone);
  const day = date === "" ? "" : `${local.slice(0, 10)} `;
  return `${day}${local.slice(11, 11 + clock.length)}${zone === "" ? "" : local.slice(19)}`;
}
