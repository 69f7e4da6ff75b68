import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { setImmediate as turn } from "node:timers/promises";

/** Counts this process's HTTP requests under way, so that virtual time can stand still while real answers are on their way. */
export interface RequestsUnderWay {
  /** Resolves once there are none, and all that the last answer set going has gone on. */
  settle(): Promise<void>;
  /** Counts no longer. */
  end(): void;
}

/** `calmTurns`: for so many turns of the event loop nothing may be asked. */
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
