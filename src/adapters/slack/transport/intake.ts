import type { App, ReceiverEvent } from "@slack/bolt";
import { LRUCache } from "lru-cache";

import { messageOf } from "../../../errors.ts";
import { inTime } from "../../../in-time.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { describeError } from "./api-error.ts";

/** False where another process has met this request already. */
export type IsFirst = (request: string) => Promise<boolean>;

/** Longer than a database takes, and soon enough for the 3 s that Slack waits. */
const FIRST_TIMEOUT: Milliseconds = 1000;

export interface IntakeOptions {
  readonly log: Log;
  /** Left out where this process is given all requests. */
  readonly isFirst?: IsFirst | undefined;
}

/** Hands what Slack sends to Bolt's app, however it came: each request once, and each acknowledged. */
export class Intake {
  readonly #log: Log;
  readonly #isFirst: IsFirst;
  /** The newest requests: Slack may deliver one twice. */
  readonly #recent = new LRUCache<string, true>({ maxSize: 5000, sizeCalculation: () => 1 });
  #app: App | undefined;

  constructor({ log, isFirst = async () => true }: IntakeOptions) {
    this.#log = log;
    this.#isFirst = isFirst;
  }

  init(app: App): void {
    this.#app = app;
  }

  /** Never rejects. */
  async process(event: ReceiverEvent): Promise<void> {
    let acknowledged: Promise<void> | undefined;
    const ack: ReceiverEvent["ack"] = (response) => (acknowledged ??= this.#acknowledge(event, response));
    // Acknowledged first: a close request may follow immediately.
    if (!wantsAnswer(event.body)) void ack();
    const key = keyOf(event.body);
    if (key !== undefined) {
      if (this.#recent.has(key)) return ack();
      this.#recent.set(key, true);
      // A process that dies before it has acknowledged leaves the request to the next.
      await acknowledged;
      if (!(await this.#isNew(key))) return ack();
    }
    try {
      await this.#app?.processEvent({ ...event, ack });
    } catch (error) {
      this.#log.error({ platform: "slack", err: error }, "event failed");
    } finally {
      await ack();
    }
  }

  async #acknowledge(event: ReceiverEvent, response: Parameters<ReceiverEvent["ack"]>[0]): Promise<void> {
    try {
      await event.ack(response);
    } catch (error) {
      // The socket closed in between; Slack repeats the envelope on the other one.
      this.#log.warn({ platform: "slack", why: describeError(error) }, "acknowledgement failed");
    }
  }

  /** A request of which nothing is known in time counts as new: two answers are better than none. */
  #isNew(key: string): Promise<boolean> {
    return inTime(this.#isFirst(key), { millis: FIRST_TIMEOUT }, () => true).catch((thrown: unknown) => {
      this.#log.warn({ platform: "slack", why: messageOf(thrown) }, "repeats not recognised");
      return true;
    });
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
