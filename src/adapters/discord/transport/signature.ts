import { createPublicKey, verify } from "node:crypto";

import type { Milliseconds } from "../../../units/time.ts";
import { isRecent, type WebhookRequest } from "../../webhook.ts";

/** Where Discord posts interactions, below PUBLIC_URL. */
export const INTERACTIONS_PATH = "/discord/interactions";

/**
 * Checks whether a request is Discord's, and recent, by its signature: Ed25519 over timestamp and body:
 * https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers.
 * `publicKey` are the 64 hexadecimal digits of the Developer Portal.
 */
export function signatureCheck(publicKey: string) {
  const x = Buffer.from(publicKey, "hex").toString("base64url");
  const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
  return (request: WebhookRequest, nowMillis: Milliseconds): boolean => {
    const signature = request.header("x-signature-ed25519") ?? "";
    const timestamp = request.header("x-signature-timestamp") ?? "";
    if (!/^[\da-f]{128}$/iu.test(signature) || !isRecent(timestamp, nowMillis)) return false;
    return verify(null, Buffer.concat([Buffer.from(timestamp), request.body]), key, Buffer.from(signature, "hex"));
  };
}
