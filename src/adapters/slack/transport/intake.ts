import type { App, ReceiverEvent } from "@slack/bolt";
import { LRUCache } from "lru-cache";

import type { Log } from "../../../log.ts";
import { describeError } from "./api-error.ts";

export interface IntakeOptions {
  readonly log: Log;
  /** False where another process, or an earlier one, has met this request already. Never rejects. */
  readonly isFirst: (request: string) => Promise<boolean>;
}

export type Intake = ReturnType<typeof createIntake>;

/** Hands what Slack sends to Bolt's app, however it came: each request once, and each acknowledged. */
export function createIntake({ log, isFirst }: IntakeOptions) {
  /** The newest requests: Slack may deliver one twice. */
  const recent = new LRUCache<string, true>({ maxSize: 5000, sizeCalculation: () => 1 });
  let app: App | undefined;

  const acknowledge = async (event: ReceiverEvent, response: Parameters<ReceiverEvent["ack"]>[0]): Promise<void> => {
    try {
      await event.ack(response);
    } catch (error) {
      // The socket closed in between; Slack repeats the envelope on the other one.
      log.warn({ platform: "slack", why: describeError(error) }, "acknowledgement failed");
    }
  };
  return {
    init(given: App): void {
      app = given;
    },
    /** Never rejects. */
    async process(event: ReceiverEvent): Promise<void> {
      let acknowledged: Promise<void> | undefined;
      const ack: ReceiverEvent["ack"] = (response) => (acknowledged ??= acknowledge(event, response));
      // Acknowledged first: a close request may follow immediately.
      if (!wantsAnswer(event.body)) void ack();
      const key = keyOf(event.body);
      if (key !== undefined) {
        if (recent.has(key)) return ack();
        recent.set(key, true);
        // A process that dies before it has acknowledged leaves the request to the next.
        await acknowledged;
        if (!(await isFirst(key))) return ack();
      }
      try {
        await app?.processEvent({ ...event, ack });
      } catch (error) {
        log.error({ platform: "slack", err: error }, "event failed");
      } finally {
        await ack();
      }
    },
  };
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
