import { onTestFinished } from "vitest";

import type { ApiClient } from "../../src/api/api-client.ts";
import { ApiError } from "../../src/api/api-error.ts";
import { type ApiClientConfig, createApiClient } from "../../src/api/client/client.ts";
import type { ClientLimits } from "../../src/api/limits.ts";
import { silentLog } from "../../src/log.ts";
import { fakeNode, type FakeNode, type Serve } from "./serve-wire.ts";

/** A network time, as a node sends it. */
export const TIME = { timestamp: "1682942400000000000" };

/** Settled with, rather than thrown: what became of a call. */
export async function outcome(promise: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => new Error("it was expected to fail"),
    (failure: unknown) => failure,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

export async function node(serve: Serve): Promise<FakeNode> {
  const started = await fakeNode(serve);
  onTestFinished(async () => started[Symbol.asyncDispose]());
  return started;
}

export function clientOf(
  nodes: readonly (string | FakeNode)[],
  more: Partial<ApiClientConfig> & { limits?: Partial<ClientLimits> } = {},
): ApiClient {
  const { limits, ...rest } = more;
  const api = createApiClient({
    network: "mainnet",
    nodes: nodes.map((one) => ({ url: typeof one === "string" ? one : one.url })),
    simulated: false,
    log: silentLog(),
    random: () => 0.5,
    ...rest,
    limits: { retryMillis: 1, ...limits },
  });
  onTestFinished(async () => api.close());
  return api;
}

/** A port on which nobody listens. */
export async function deadUrl(): Promise<string> {
  const started = await fakeNode(() => undefined);
  await started[Symbol.asyncDispose]();
  return started.url;
}

export const name = (one: Pick<FakeNode, "url">): string => one.url.replace("http://", "");
