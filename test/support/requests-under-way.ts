import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as turn } from "node:timers/promises";

/** Counts this process's open HTTP requests, so that virtual time can stand still until real answers arrive. */
export interface RequestsUnderWay {
  /** Resolves once there are none, and the last answer's effects have begun no others. */
  settle(): Promise<void>;
  /** Stops counting. */
  end(): void;
}

/** `calmTurns`: the number of turns of the event loop without a request. */
export function requestsUnderWay(calmTurns: number): RequestsUnderWay {
  const open = new Set<object>();
  const begin = (message: unknown): void => void open.add((message as { request: object }).request);
  const end = (message: unknown): void => void open.delete((message as { request: object }).request);
  const channels = [
    ["undici:request:create", begin],
    ["undici:request:trailers", end],
    ["undici:request:error", end],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  return {
    async settle() {
      for (let calm = 0; calm < calmTurns; calm += 1) {
        await turn();
        if (open.size > 0) calm = -1;
      }
    },
    end() {
      for (const [name, listener] of channels) unsubscribe(name, listener);
    },
  };
}
