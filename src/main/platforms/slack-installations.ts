import { installPages } from "../../adapters/slack/install/install.ts";
import { INSTALL_PATH, REDIRECT_PATH } from "../../adapters/slack/install/install-state.ts";
import { KeyRing } from "../../adapters/slack/install/key-ring.ts";
import { OAuth } from "../../adapters/slack/install/oauth.ts";
import { StoredInstallations } from "../../adapters/slack/install/stored-installations.ts";
import { type Webhook, webhookUrl } from "../../adapters/webhook.ts";
import { forgetSuspensions } from "../../alerts/route/suspension.ts";
import type { SharedToken } from "../../alerts/sender.ts";
import type { SlackOAuthConfig } from "../../config/slack-settings.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";

interface SlackInstallationsOptions extends SlackOAuthConfig {
  readonly apiUrl: string | undefined;
  /** The root command, with its slash. */
  readonly command: string;
  readonly publicUrl: string;
  readonly store: Pick<Store, "installations" | "transaction">;
  readonly shared: SharedToken;
  readonly log: Log;
}

/** The installations of an app that any workspace may install, and the pages by which they do. Rejects with UserError. */
export async function openSlackInstallations({
  clientId,
  clientSecret,
  secretKeys,
  apiUrl,
  command,
  publicUrl,
  store,
  shared,
  log,
}: SlackInstallationsOptions): Promise<{ installations: StoredInstallations; pages: readonly Webhook[] }> {
  const keys = new KeyRing(secretKeys);
  const redirectUrl = webhookUrl(REDIRECT_PATH, publicUrl);
  const oauth = new OAuth({ clientId, clientSecret, redirectUrl, apiUrl, log });
  const installations = new StoredInstallations({
    table: store.installations,
    keys,
    oauth,
    installUrl: webhookUrl(INSTALL_PATH, publicUrl),
    shared,
    forget: (row) =>
      store.transaction(async (tables) => {
        const isForgotten = await tables.forgetInstallation(row);
        if (isForgotten) await forgetSuspensions(tables.alerts, { platform: "slack", workspace: row.id }, Date.now());
        return isForgotten;
      }),
    log,
  });
  await installations.start();
  const pages = installPages({
    keys,
    oauth,
    installations,
    useOnce: (state, endsAt) => store.installations.useOnce(state, endsAt),
    command,
    secure: new URL(publicUrl).protocol === "https:",
    log,
  });
  return { installations, pages };
}
