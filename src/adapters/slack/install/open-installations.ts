import type { SharedToken } from "../../../alerts/sender.ts";
import type { Log } from "../../../log.ts";
import type { PlatformInstallations } from "../../chat/chat.ts";
import { type Webhook, webhookUrl } from "../../webhook.ts";
import { INSTALL_PATH, REDIRECT_PATH } from "./install-state.ts";
import { installPages } from "./install.ts";
import { KeyRing } from "./key-ring.ts";
import { OAuth } from "./oauth.ts";
import { StoredInstallations } from "./stored-installations.ts";

/** What it takes for workspaces to install the app by themselves. */
export interface OAuthSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** 32 bytes each; the first seals tokens, each of them opens. */
  readonly secretKeys: readonly Uint8Array[];
  /** Where people reach this process. */
  readonly publicUrl: string;
}

interface SlackInstallationsOptions extends OAuthSettings {
  readonly apiUrl: string | undefined;
  /** The root command, with its slash. */
  readonly command: string;
  readonly table: PlatformInstallations;
  readonly shared: SharedToken;
  readonly log: Log;
}

/** The installations of an app that any workspace may install, and the pages by which they do. Rejects with UserError. */
export async function openSlackInstallations(
  options: SlackInstallationsOptions,
): Promise<{ installations: StoredInstallations; pages: readonly Webhook[] }> {
  const { publicUrl, secretKeys, table } = options;
  const keys = new KeyRing(secretKeys);
  const oauth = new OAuth({ ...options, redirectUrl: webhookUrl(REDIRECT_PATH, publicUrl) });
  const installUrl = webhookUrl(INSTALL_PATH, publicUrl);
  const installations = new StoredInstallations({ ...options, keys, oauth, installUrl });
  await installations.start();
  const pages = installPages({
    ...options,
    keys,
    oauth,
    installations,
    useOnce: (state, endsAt) => table.useOnce(state, endsAt),
    secure: new URL(publicUrl).protocol === "https:",
  });
  return { installations, pages };
}
