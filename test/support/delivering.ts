import { createDispatcher, type DispatchDependencies } from "../../src/alerts/deliver/dispatch/dispatch.ts";
import type { Sender } from "../../src/alerts/sender.ts";
import { systemClock } from "../../src/api/clock.ts";
import { silentLog } from "../../src/log.ts";
import { describeAlert } from "./gist.ts";

/** Looks for what is owed this often: nothing wakes the dispatcher. */
const LOOK_EVERY_MILLIS = 10;

/** Delivers what is owed, in real time, until it is disposed of. */
export function delivering(store: DispatchDependencies["store"], ...senders: readonly Sender[]): AsyncDisposable {
  return deliveringFor({}, store, ...senders);
}

/** The same, where operators are told what they must know. */
export function deliveringFor(
  recipients: Pick<DispatchDependencies, "operators">,
  store: DispatchDependencies["store"],
  ...senders: readonly Sender[]
): AsyncDisposable {
  const stop = new AbortController();
  const dispatcher = createDispatcher({
    random: Math.random,
    store,
    clock: systemClock,
    log: silentLog(),
    senders,
    describe: describeAlert,
    ...recipients,
  });
  const running = dispatcher.run(stop.signal);
  const looking = setInterval(() => dispatcher.wake(), LOOK_EVERY_MILLIS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(looking);
      stop.abort();
      await running;
    },
  };
}
