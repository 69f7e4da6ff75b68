import { commands } from "../../commands/index.ts";
import type { SendingAdapter } from "../../src/adapters/adapter.ts";
import { createApiClient } from "../../src/api/client/client.ts";
import { type Bot, createBot } from "../../src/bot/bot.ts";
import { type Log, silentLog } from "../../src/log.ts";
import { notesOf } from "../../src/main/platforms/platforms.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import type { Samples } from "../../src/simulator/samples.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createStore } from "../../src/store/create-store.ts";
import type { ButtonPayloads } from "../../src/store/store.ts";
import { alertService } from "../../test/support/alert-service.ts";
import { until } from "../../test/support/fake-discord/until.ts";
import { scratchFolder } from "./export-once.ts";
import { exportJobsOn } from "../../test/support/export-jobs.ts";
import { PLATFORMS } from "../../test/support/platforms.ts";

export interface ConnectedBot extends AsyncDisposable {
  readonly adapter: SendingAdapter;
  /** Ids that exist on the network. */
  readonly samples: Samples;
  /** How often which answer reported a failure, by what it is and its title. */
  readonly failures: ReadonlyMap<string, number>;
}

/** The bot on a fake platform and a simulated network, connected; the fake is stopped with it. */
export async function connectedBot(
  fake: { stop(): Promise<void> },
  open: (
    parts: { readonly payloads: ButtonPayloads; readonly log: Log } & ReturnType<typeof notesOf>,
  ) => SendingAdapter,
  isListening: () => boolean,
): Promise<ConnectedBot> {
  const log = silentLog();
  const [folder, simulator] = await Promise.all([scratchFolder(), startSimulator({ log })]);
  const client = createApiClient({ network: "mainnet", simulated: true, log, nodes: simulator.networks.mainnet });
  const store = createStore({ url: `file:${folder.path}/bench.db`, log });
  const exports = exportJobsOn(store, folder.path, { log });
  const bot = createBot({
    platforms: PLATFORMS,
    commands,
    clients: [client],
    seen: store.seen,
    parties: store.parties,
    exports,
    alerts: alertService(store),
    log,
  });
  const adapter = open({ payloads: store.payloads, ...notesOf("bench", store, log), log });
  const failures = new Map<string, number>();
  const counted: Bot = {
    ...bot,
    async run(invocation) {
      const reply = await bot.run(invocation);
      if (reply.failure !== undefined) {
        const what = `${reply.failure}: ${invocation.command}: ${plainText(reply.title)}`;
        failures.set(what, (failures.get(what) ?? 0) + 1);
      }
      return reply;
    },
  };
  await adapter.start(counted);
  await until(() => adapter.health.state === "up" && isListening(), "the adapter");
  return {
    adapter,
    samples: simulator.samples.mainnet,
    failures,
    async [Symbol.asyncDispose]() {
      await adapter.stop();
      await client.close();
      await Promise.all([simulator.close(), store.close(), fake.stop()]);
      await folder[Symbol.asyncDispose]();
    },
  };
}
