import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

import type { State } from "./state.ts";

const ANSWER_MILLIS = 3000;

/** How a test signs a request; what is left out is right. */
export interface Signing {
  readonly key?: KeyObject;
  /** Unix seconds. */
  readonly timestamp?: string;
  /** What is signed in place of what is sent. */
  readonly signed?: string;
}

/** Discord's side of interactions over HTTP: the application's keys, and the address that its portal page names. */
export class Endpoint {
  readonly #keys = generateKeyPairSync("ed25519");
  readonly #state: State;
  #url: string | undefined;
  #last: unknown;
  /** The status of every interaction that was posted. */
  readonly statuses: number[] = [];

  constructor(state: State) {
    this.#state = state;
  }

  get url(): string | undefined {
    return this.#url;
  }

  /** As the portal shows it. */
  get publicKey(): string {
    const { x = "" } = this.#keys.publicKey.export({ format: "jwk" });
    return Buffer.from(x, "base64url").toString("hex");
  }

  /** The portal's Save: the address must answer a ping, and refuse one that is signed wrongly. */
  async save(url: string): Promise<void> {
    const ping = JSON.stringify({ type: 1, id: this.#state.snowflake(), token: "ping", version: 1 });
    const wrong = await this.send(url, ping, { key: generateKeyPairSync("ed25519").privateKey });
    const right = await this.send(url, ping);
    const pong = right.status === 200 ? await right.json() : undefined;
    if (wrong.status !== 401 || JSON.stringify(pong) !== '{"type":1}') {
      throw new Error(`interactions_endpoint_url could not be verified: ${wrong.status}, ${right.status}`);
    }
    this.#url = url;
    this.#state.application = {
      verify_key: this.publicKey,
      ...this.#state.application,
      interactions_endpoint_url: url,
    };
  }

  /** Posts one interaction, as the gateway would send it. */
  async post(interaction: unknown): Promise<void> {
    if (this.#url === undefined) throw new Error("the portal names no endpoint");
    this.#last = interaction;
    const began = performance.now();
    const response = await this.send(this.#url, JSON.stringify(interaction));
    this.statuses.push(response.status);
    const body = await response.text();
    if (response.status !== 202 || body !== "") {
      this.#state.violations.push(`an interaction was answered with ${response.status} ${body}`);
    }
    if (performance.now() - began > ANSWER_MILLIS) this.#state.violations.push("an interaction was answered late");
  }

  /** Posts what it posted last once more. */
  repeat(): Promise<void> {
    return this.post(this.#last);
  }

  async send(url: string, body: string, signing: Signing = {}): Promise<Response> {
    return fetch(url, { method: "POST", headers: this.headers(body, signing), body });
  }

  headers(body: string, { key = this.#keys.privateKey, signed = body, timestamp }: Signing = {}) {
    const at = timestamp ?? String(Math.floor(this.#state.now() / 1000));
    return {
      "content-type": "application/json",
      "x-signature-ed25519": sign(null, Buffer.from(at + signed), key).toString("hex"),
      "x-signature-timestamp": at,
    };
  }
}
