// @ts-check
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
import { isSimulated } from "../reply/reply.js";
import { plainOf } from "../reply/render-text.js";

/**
 * Without the mark of a simulation, which stands beside it already.
 *
 * @param {AlertJson} alert
 * @param {number} now
 */
export function titleOf(alert, now) {
  const { title } = replyOf(alert);
  const own = isSimulated(alert.reply) ? title.slice(1) : title;
  return plainOf(own, { now }).replace(/^ · /u, "");
}

/**
 * Without its severity, which the badge says as it is now: the message is as old as its delivery.
 *
 * @param {AlertJson} alert
 * @returns {AlertJson["reply"]}
 */
export function replyOf({ reply, state }) {
  if (state !== "firing" && state !== "escalated") return reply;
  const [first, ...rest] = reply.blocks;
  const [word, ...others] = first?.kind === "paragraph" ? first.text : [];
  const says = first?.kind === "paragraph" && word?.kind === "strong" && /^(?:Info|Warning|Critical)$/u.test(word.text);
  const [next, ...more] = others;
  const figures = next?.kind === "text" ? [{ ...next, text: next.text.replace(/^ · /u, "") }, ...more] : others;
  const head = first === undefined ? [] : !says ? [first] : figures.length === 0 ? [] : [{ ...first, text: figures }];
  return { ...reply, tone: "neutral", blocks: [...head, ...rest] };
}
