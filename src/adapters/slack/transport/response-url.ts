import { z } from "zod";

import { messageOf } from "../../../errors.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { isUnsent } from "../../chat/is-unsent.ts";
import type { SlackContext } from "../context.ts";
import { RESPONSE_URL_LIFETIME_MILLIS, RESPONSE_URL_USES } from "../limits.ts";
import { redactAnswers } from "../../../units/redact.ts";
import { DEFAULT_RETRY_AFTER_MILLIS } from "./api-error.ts";
import type { Immutable } from "../../../reply/document.ts";

/** A response_url has expired or was used five times. */
export class ResponseUrlExpired extends Error {
  override readonly name = "ResponseUrlExpired";
}

/** Slack refused a message at a response_url, with its own code. */
export class ResponseRefused extends Error {
  override readonly name = "ResponseRefused";
  /** Slack's code; the HTTP status where the failure is temporary. */
  readonly code: string;
  /** Of a 429: how long Slack asks to wait. */
  readonly retryAfterMillis: Milliseconds | undefined;

  constructor(code: string, retryAfterMillis?: Milliseconds) {
    super(`Slack refuses the answer: ${code}`);
    this.code = code;
    this.retryAfterMillis = retryAfterMillis;
  }
}

/** Slack did not answer at a response_url. */
export class ResponseUnreached extends Error {
  override readonly name = "ResponseUnreached";
}

/** A response_url, which needs no permission, and its number of uses; plain data, so that a form can carry it. */
export const ResponseAddress = z.object({
  url: z.url(),
  /** Unix milliseconds. */
  since: z.number(),
  used: z.number(),
});
export type ResponseAddress = Immutable<z.infer<typeof ResponseAddress>>;

const RESPONSE_TIMEOUT_MILLIS = 15_000;
/** A call made shortly before the expiry may arrive after it. */
const EXPIRY_MARGIN_MILLIS = 20_000;
/** Codes of an expired response_url. */
const EXPIRED_CODES = /expired_url|used_url|invalid_url|no_such_url|channel_not_found/u;

type ResponseCalls = Pick<SlackContext, "now" | "signal" | "callMillis">;

/** A response_url with a count of its uses. */
export class ResponseUrl {
  readonly #address: ResponseAddress;
  readonly #calls: ResponseCalls;
  #used: number;

  constructor(address: ResponseAddress, calls: ResponseCalls) {
    this.#address = address;
    this.#calls = calls;
    this.#used = address.used;
  }

  /** The same with the uses up to now. */
  get address(): ResponseAddress {
    return { ...this.#address, used: this.#used };
  }

  /** The uses that are left. */
  get left(): number {
    const expired = this.#calls.now() - this.#address.since > RESPONSE_URL_LIFETIME_MILLIS - EXPIRY_MARGIN_MILLIS;
    return expired ? 0 : Math.max(0, RESPONSE_URL_USES - this.#used);
  }

  /**
   * Rejects with ResponseUrlExpired when no use is left, with ResponseRefused when Slack refuses the message, with
   * ResponseUnreached when it does not answer.
   */
  async post(body: object): Promise<void> {
    if (this.left === 0) throw new ResponseUrlExpired("no use is left");
    this.#used += 1;
    const { response, said } = await this.#fetch(body);
    if (response.ok && !said.includes('"ok":false')) return;
    const { status } = response;
    // Whatever the body says: Slack is busy, or has failed for the moment.
    if (status === 408 || status === 429 || status >= 500) {
      // A rate-limited call had no effect.
      if (status === 429) this.#used -= 1;
      throw new ResponseRefused(`${status}`, status === 429 ? retryAfterOf(response) : undefined);
    }
    const code = /"error":\s*"([^"]+)"/u.exec(said)?.[1] ?? (/^\w{1,60}$/u.test(said) ? said : `${status}`);
    if (EXPIRED_CODES.test(code) || status === 404 || status === 410) throw new ResponseUrlExpired(code);
    throw new ResponseRefused(code);
  }

  async #fetch(body: object): Promise<{ response: Response; said: string }> {
    const { signal, callMillis = RESPONSE_TIMEOUT_MILLIS } = this.#calls;
    try {
      const response = await redactAnswers(fetch)(this.#address.url, {
        method: "POST",
        headers: { "content-type": "application/json; charset=utf-8" },
        body: JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.any([signal, AbortSignal.timeout(callMillis)]),
      });
      return { response, said: await response.text() };
    } catch (error) {
      signal.throwIfAborted();
      // A call that never reached Slack costs no use.
      if (isUnsent(error)) this.#used -= 1;
      throw new ResponseUnreached(`no answer: ${messageOf(error)}`, { cause: error });
    }
  }
}

function retryAfterOf({ headers }: Response): Milliseconds {
  const given = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/u.test(given) ? Number(given) * 1000 : DEFAULT_RETRY_AFTER_MILLIS;
}
