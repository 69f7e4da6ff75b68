import { createHmac, timingSafeEqual } from "node:crypto";

import type { Milliseconds } from "../../../units/time.ts";
import { isRecent, type WebhookRequest } from "../../webhook.ts";

/** Where Slack posts commands, presses, forms, options and events, below PUBLIC_URL. */
export const EVENTS_PATH = "/slack/events";

/**
 * Whether a request is Slack's, and recent: HMAC-SHA256 over version, timestamp and body, compared in constant time.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function isSignedBySlack(request: WebhookRequest, signingSecret: string, nowMillis: Milliseconds): boolean {
  const timestamp = request.header("x-slack-request-timestamp") ?? "";
  if (!isRecent(timestamp, nowMillis)) return false;
  const digest = createHmac("sha256", signingSecret).update(`v0:${timestamp}:`).update(request.body).digest("hex");
  const given = Buffer.from(request.header("x-slack-signature") ?? "");
  const expected = Buffer.from(`v0=${digest}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
