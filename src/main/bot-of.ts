import type { AlertService } from "../alerts/service/service.ts";
import type { AudienceSettings } from "../bot/audience-settings.ts";
import type { Bot, InvocationOutcome } from "../bot/bot.ts";
import type { Log } from "../log.ts";
import type { Store } from "../store/store.ts";
import { fromMillis } from "../units/nanoseconds.ts";
import type { Networks } from "./networks.ts";
import { withSamples } from "./seen-samples.ts";

export interface BotParts {
  readonly networks: Networks;
  readonly store: Pick<Store, "seen" | "parties">;
  readonly alerts: AlertService;
  /** Left out where no server or workspace asks. */
  readonly chosen?: AudienceSettings | undefined;
  readonly log: Log;
  readonly onOutcome?: (outcome: InvocationOutcome) => void;
}

/** The bot with all its commands: the only place where these meet what they work on. */
export async function botOf({ networks, store, log, ...more }: BotParts): Promise<Bot> {
  const [{ createBot }, { commands }, { createLedgerExports }] = await Promise.all([
    import("../bot/bot.ts"),
    import("../../commands/index.ts"),
    import("../export/ledger-exports.ts"),
  ]);
  const now = () => fromMillis(Date.now());
  const exports = createLedgerExports({ log, now });
  return createBot({
    commands,
    clients: networks.clients,
    seen: networks.samples === undefined ? store.seen : withSamples(store.seen, networks.samples),
    parties: store.parties,
    exports,
    log,
    now,
    ...more,
  });
}
