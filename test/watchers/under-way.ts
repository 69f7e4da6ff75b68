import { subscribe, unsubscribe } from "node:diagnostics_channel";

import { onTestFinished } from "vitest";

/**
 * Counts this process's HTTP requests under way, so that virtual time can stand still while real answers are on their
 * way. Resolves once there are none.
 */
export function requestsUnderWay(): () => Promise<void> {
  const open = new Set<object>();
  const begin = (message: unknown): void => void open.add((message as { request: object }).request);
  const end = (message: unknown): void => void open.delete((message as { request: object }).request);
  const channels = [
    ["undici:request:create", begin],
    ["undici:request:trailers", end],
    ["undici:request:error", end],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  onTestFinished(() => {
    for (const [name, listener] of channels) unsubscribe(name, listener);
  });
  return async () => {
    // What an answer sets going may ask again at once.
    for (let calm = 0; calm < 3; calm += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (open.size > 0) calm = -1;
    }
  };
}
