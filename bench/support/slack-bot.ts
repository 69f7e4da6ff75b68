import { commands } from "../../commands/index.ts";
import { createSlackAdapter } from "../../src/adapters/slack/index.ts";
import type { SendingAdapter } from "../../src/adapters/adapter.ts";
import { createApiClient } from "../../src/api/create-api-client.ts";
import { createBot } from "../../src/bot/create-bot.ts";
import { createLedgerExports } from "../../src/export/ledger-exports.ts";
import { silentLog } from "../../src/log.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { createStore } from "../../src/store/create-store.ts";
import { fromMillis } from "../../src/units/nanoseconds.ts";
import type { FakeSlack } from "../../test/support/fake-slack/fake-slack.ts";
import { alertDesk } from "../../test/support/alert-desk.ts";
import { until } from "../../test/support/fake-discord/until.ts";
import { scratchFolder } from "./export-once.ts";

/** The bot on a fake Slack and a simulated network, connected. */
export async function slackBot(fake: FakeSlack): Promise<AsyncDisposable & { readonly adapter: SendingAdapter }> {
  const log = silentLog();
  const [folder, simulator] = await Promise.all([scratchFolder(), startSimulator({ log })]);
  const client = createApiClient({ network: "mainnet", simulated: true, log, nodes: simulator.networks.mainnet });
  const store = createStore({ url: `file:${folder.path}/bench.db`, log });
  const exports = createLedgerExports({ directory: folder.path, log, now: () => fromMillis(Date.now()) });
  const bot = createBot({
    commands,
    clients: [client],
    seen: store.seen,
    parties: store.parties,
    exports,
    alerts: alertDesk(store),
    log,
  });
  const adapter = createSlackAdapter({
    botToken: fake.state.botToken,
    appToken: fake.state.appToken,
    command: "/bell",
    apiUrl: fake.apiUrl,
    payloads: store.payloads,
    log,
  });
  await adapter.start(bot);
  await until(() => adapter.health.state === "up" && fake.sockets.listening === 2, "the adapter");
  return {
    adapter,
    async [Symbol.asyncDispose]() {
      await adapter.stop();
      await client.close();
      await Promise.all([simulator.close(), store.close(), fake.stop()]);
      await folder[Symbol.asyncDispose]();
    },
  };
}
