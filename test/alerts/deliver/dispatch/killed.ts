import { onTestFinished } from "vitest";

import { createDispatcher } from "../../../../src/alerts/deliver/dispatch/dispatch.ts";
import { silentLog } from "../../../../src/log.ts";
import { singleProcess } from "../../../../src/store/processes.ts";
import { settled } from "../../../api/virtual-clock.ts";
import { FakeSender, type SendOutcome } from "../../../support/fake-sender.ts";
import { describeAlert } from "../../../support/gist.ts";
import { PLATFORMS } from "../../../support/platforms.ts";
import { openStage, type Stage } from "../../stage.ts";

export const ops = { platform: "fake", channel: "ops" };
export const message = { type: "test", by: "ada", at: "1" } as const;

/** A process of whose attempts that comes. */
function startProcess(stage: Stage, sender: FakeSender, outcome: SendOutcome) {
  sender.outcome = () => outcome;
  let isKilled = false;
  const stop = new AbortController();
  const dispatcher = createDispatcher({
    random: () => 0,
    store: {
      processes: singleProcess(),
      transaction: (work) =>
        isKilled ? Promise.reject(new Error("the process is dead")) : stage.store.transaction(work),
    },
    clock: stage.clock,
    log: silentLog(),
    senders: [sender],
    describe: describeAlert,
    platforms: PLATFORMS,
  });
  const running = dispatcher.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await settled();
    await stage.clock.advance(5000);
    await running;
  };
  onTestFinished(end);
  return {
    wake: () => dispatcher.wake(),
    /** It stops in order, within 5 s. */
    stop: end,
    /** From here on nothing that it does is stored. */
    kill() {
      isKilled = true;
      stop.abort();
    },
  };
}

/** A message that is owed while no process runs. */
export async function owedWithout(platform: { readonly dropsRepeatsForMillis?: number } = {}) {
  const stage = await openStage();
  await stage.stopDelivering();
  const id = await stage.owe(ops, message);
  const sender = new FakeSender({ now: () => stage.now(), ...platform });
  /** A process whose messages arrive, and which learns of it only where it is told `ok`. */
  const start = async (outcome: SendOutcome = "posted-hang") => {
    const process = startProcess(stage, sender, outcome);
    await settled();
    return process;
  };
  const row = async () => (await stage.delivery(id))!.row;
  return { stage, id, sender, start, row };
}
