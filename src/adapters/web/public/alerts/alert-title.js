// @ts-check
/** @import { AlertJson } from "../../alerts/alert-json.ts" */
import { isSimulated } from "../reply/reply.js";
import { plainOf } from "../reply/render-text.js";

/**
 * Without the words shown beside it already.
 *
 * @param {AlertJson} alert
 * @param {number} now
 */
export function titleOf({ reply }, now) {
  const own = isSimulated(reply) ? reply.title.slice(1) : reply.title;
  const text = plainOf(own, { now }).replace(/^ · /u, "");
  return text.replace(/^(DRILL · )?(?:INFO|WARNING|CRITICAL|RESOLVED|DIGEST|TODAY|CHANGE) · /u, "$1");
}
