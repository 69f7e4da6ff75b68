import type { App, ReceiverEvent } from "@slack/bolt";
import { LRUCache } from "lru-cache";

import type { Log } from "../../../log.ts";
import { describeError } from "./api-error.ts";

/** Hands what Slack sends to Bolt's app, however it came: each request once, and each acknowledged. */
export class Intake {
  readonly #log: Log;
  /** The newest requests: Slack may deliver one twice. */
  readonly #recent = new LRUCache<string, true>({ max: 5000 });
  #app: App | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Never rejects. */
  async process(event: ReceiverEvent): Promise<void> {
    let acknowledged = false;
    const ack: ReceiverEvent["ack"] = async (response) => {
      if (acknowledged) return;
      acknowledged = true;
      try {
        await event.ack(response);
      } catch (error) {
        // The socket closed in between; Slack repeats the envelope on the other one.
        this.#log.warn({ platform: "slack", why: describeError(error) }, "acknowledgement failed");
      }
    };
    // Acknowledged first: a close request may follow immediately.
    if (!wantsAnswer(event.body)) void ack();
    const key = keyOf(event.body);
    if (key !== undefined) {
      if (this.#recent.has(key)) return ack();
      this.#recent.set(key, true);
    }
    try {
      await this.#app?.processEvent({ ...event, ack });
    } catch (error) {
      this.#log.error({ platform: "slack", err: error }, "event failed");
    } finally {
      await ack();
    }
  }
}

/** Whether the acknowledgement carries a payload: errors at a form's fields, or suggestions. */
function wantsAnswer(body: Readonly<Record<string, unknown>>): boolean {
  return body["type"] === "view_submission" || body["type"] === "block_suggestion";
}

/** The id of a request, the same when Slack redelivers it. */
function keyOf(body: Readonly<Record<string, unknown>>): string | undefined {
  const key = body["event_id"] ?? body["trigger_id"];
  return typeof key === "string" && key !== "" ? key : undefined;
}
