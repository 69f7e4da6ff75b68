// The chat platforms of a bot, by their records (`list.ts`). `home.ts` fills the page that a person opens on one of them,
// `platform-limits.ts` counts refused requests.
import type { Payloads, Preview, SendingAdapter } from "../../adapters/adapter.ts";
import type {
  ConfiguredPlatform,
  OpenPlatform,
  PlatformDependencies,
  PlatformService,
} from "../../adapters/chat/chat.ts";
import { terminalPlatform } from "../../adapters/terminal/platform.ts";
import { consolePlatform } from "../../adapters/web/platform.ts";
import type { Webhook } from "../../adapters/webhook.ts";
import { forgetSuspensions } from "../../alerts/route/suspension.ts";
import { createPlatforms, type Platforms } from "../../alerts/platform.ts";
import type { SharedToken } from "../../alerts/sender.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { AnyCommand } from "../../bot/command.ts";
import type { Config as AnyConfig } from "../../config.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { InstallationSample } from "../metrics/metrics.ts";
import { openHome } from "./home.ts";

/** The settings of this program. */
export type Config = AnyConfig<ConfiguredPlatform>;
/** The part of them that belongs to the chat platforms. */
export type ChatConfig = Pick<Config, "platforms">;

/** Every platform of this program by its words; lists name those alone that are set up. */
export function platformsOf({ platforms }: ChatConfig): Platforms {
  return createPlatforms(
    [...platforms.map(({ platform }) => platform), consolePlatform, terminalPlatform],
    configuredChats({ platforms }).map(({ platform }) => platform),
  );
}

/** A platform that is set up. */
export interface SetUpPlatform extends Pick<ConfiguredPlatform, "platform"> {
  readonly service: PlatformService;
}

/** The chat platforms that are set up. */
export function configuredChats({ platforms }: ChatConfig): readonly SetUpPlatform[] {
  return platforms.flatMap(({ platform, service }) => (service === undefined ? [] : [{ platform, service }]));
}

/** The chat platforms of a process. */
export interface OpenPlatforms {
  /** Those that are set up. */
  readonly adapters: readonly SendingAdapter[];
  /** How each would show a reply, whether or not it is set up. */
  readonly previews: readonly Preview[];
  /** Where they post requests, and send browsers. */
  readonly webhooks: readonly Webhook[];
  /** The installations of each app of many workspaces. */
  readonly installations: () => Promise<readonly InstallationSample[]>;
}

interface OpenDependencies {
  readonly store: Pick<Store, "installations" | "transaction" | "parties">;
  readonly shared: SharedToken;
  readonly commands: readonly AnyCommand[];
  readonly log: Log;
  readonly payloads: Payloads;
  readonly alerts: AlertService;
}

/** Loads a platform's libraries only where it is set up: they cost more time and memory than all the rest. */
export async function openPlatforms(config: Config, dependencies: OpenDependencies): Promise<OpenPlatforms> {
  const { commands, store, alerts, ...common } = dependencies;
  const platforms = platformsOf(config);
  const installations: PlatformDependencies["installations"] = {
    ...store.installations,
    forget: (row) =>
      store.transaction(async (tables) => {
        const isForgotten = await tables.forgetInstallation(row);
        const token = { platform: row.platform, workspace: row.id };
        if (isForgotten) await forgetSuspensions(tables.alerts, token, Date.now());
        return isForgotten;
      }),
  };
  const chats = configuredChats(config);
  const opened = await Promise.all(
    chats.map(async ({ platform: { id }, service }): Promise<OpenPlatform & { readonly id: string }> => {
      const home = openHome({ platform: id, platforms, alerts, parties: store.parties });
      return { id, ...(await service.open({ ...common, installations, home })) };
    }),
  );
  return {
    adapters: opened.map(({ adapter }) => adapter),
    webhooks: opened.flatMap(({ adapter, pages = [] }) => [...(adapter.webhooks ?? []), ...pages]),
    installations: () =>
      Promise.all(
        opened.flatMap((one) =>
          one.installations === undefined
            ? []
            : [one.installations().then((counts) => ({ platform: one.id, counts: { ...counts } }))],
        ),
      ),
    previews: config.platforms.map((one) => previewOf(one, commands)),
  };
}

/** Loads a platform's renderer with its first preview: most processes never show one. */
function previewOf(
  { platform: { id, name }, page, preview }: ConfiguredPlatform,
  commands: readonly AnyCommand[],
): Preview {
  let loaded: ReturnType<typeof preview> | undefined;
  return { platform: id, name, page, render: (reply, as) => (loaded ??= preview(commands)).render(reply, as) };
}
