// The chat platforms of a bot, by their records (`list.ts`), and the page that a person opens on one of them.
// `platform-limits.ts` counts refused requests.
import type { Preview } from "../../adapters/adapter.ts";
import type {
  ConfiguredPlatform,
  OpenPlatform,
  PlatformDependencies,
  PlatformService,
} from "../../adapters/chat/chat.ts";
import type { HomeData, HomeViewer } from "../../adapters/chat/home-data.ts";
import { KeyRing } from "../../adapters/chat/key-ring.ts";
import { OpenAnswers } from "../../adapters/chat/open-answers.ts";
import { terminalPlatform } from "../../adapters/terminal/platform.ts";
import { consolePlatform } from "../../adapters/web/platform.ts";
import type { Webhook } from "../../adapters/webhook.ts";
import { createPlatforms, type Platforms } from "../../alerts/destination.ts";
import { forgetSuspensions } from "../../alerts/route/suspension.ts";
import type { SharedToken } from "../../alerts/sender.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { AnyCommand } from "../../bot/command.ts";
import type { Config as AnyConfig } from "../../config.ts";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { SavedParties, Store } from "../../store/store.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import type { InstallationSample } from "../metrics/metrics.ts";
import type { HomeContext } from "./home-subscriptions.ts";

/** The settings of this program. */
export type Config = AnyConfig<ConfiguredPlatform>;
/** The part of them that belongs to the chat platforms. */
export type ChatConfig = Pick<Config, "platforms">;

/** The words of every platform of this program; lists name only the chat platforms that are set up. */
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
export type OpenPlatforms = Awaited<ReturnType<typeof openPlatforms>>;

interface OpenDependencies {
  readonly store: Pick<
    Store,
    "installations" | "payloads" | "legacies" | "openAnswers" | "processes" | "transaction" | "parties"
  >;
  readonly shared: SharedToken;
  /** Calls the listener when another process has died. */
  readonly onFewer: (listener: () => void) => void;
  readonly commands: readonly AnyCommand[];
  readonly log: Log;
  readonly alerts: AlertService;
  /** Whether the networks are simulated. */
  readonly simulated: boolean;
}

/** Loads the libraries of a platform only where it is set up: they cost more time and memory than the rest of the bot. */
export async function openPlatforms(config: Config, dependencies: OpenDependencies) {
  const { commands, store, alerts, onFewer, simulated, ...more } = dependencies;
  const common = { ...more, payloads: store.payloads };
  const platforms = platformsOf(config);
  const installations: PlatformDependencies["installations"] = {
    ...store.installations,
    useOnce: (state, endsAt) => store.payloads.useOnce(state, endsAt),
    forget: (row) =>
      store.transaction(async (tables) => {
        const isForgotten = await tables.forgetInstallation(row);
        const token = { platform: row.platform, workspace: row.id };
        if (isForgotten) await forgetSuspensions(tables.alerts, token, Date.now());
        return isForgotten;
      }),
  };
  const keys = config.secretKeys && new KeyRing(config.secretKeys);
  const remembering = { table: store.openAnswers, self: store.processes.self, onFewer, log: common.log };
  const chats = configuredChats(config);
  const opened = await Promise.all(
    chats.map(async ({ platform: { id }, service }): Promise<OpenPlatform & { readonly id: string }> => {
      const home = openHome({ platform: id, platforms, alerts, parties: store.parties, simulated });
      const openAnswers = new OpenAnswers(keys && { ...remembering, keys, platform: id });
      const noted = notesOf(id, store, common.log);
      return { id, ...(await service.open({ ...common, ...noted, installations, openAnswers, home })) };
    }),
  );
  return {
    /** The chat platforms that are set up. */
    adapters: opened.map(({ adapter }) => adapter),
    /** How each platform would show a reply, whether or not it is set up. */
    previews: config.platforms.map((one) => previewOf(one, commands)),
    /** Where the platforms post requests, and send browsers. */
    webhooks: opened.flatMap(({ adapter, pages = [] }): Webhook[] => [...(adapter.webhooks ?? []), ...pages]),
    /** The installations of each app of many workspaces. */
    installations: async (): Promise<readonly InstallationSample[]> => {
      const counted = opened.map(async (one) => {
        const counts = await one.installations?.();
        return counts === undefined ? [] : [{ platform: one.id, counts: { ...counts } }];
      });
      return (await Promise.all(counted)).flat();
    },
  };
}

/** Longer than a database takes, and soon enough for the 3 s that platforms wait. */
const FIRST_TIMEOUT: Milliseconds = 1000;

/** What the processes of a platform tell each other by the database. */
export function notesOf(
  platform: string,
  { payloads, legacies }: Pick<Store, "payloads" | "legacies">,
  log: Log,
): Pick<PlatformDependencies, "isFirst" | "legacy"> {
  return {
    isFirst: (what, within) =>
      inTime(payloads.useOnce(`${platform} ${what}`, Date.now() + within), { millis: FIRST_TIMEOUT }, () => true).catch(
        (thrown: unknown) => {
          log.warn({ platform, why: messageOf(thrown) }, "repeats not recognised");
          return true;
        },
      ),
    legacy: {
      get: () => legacies.get(`${platform} connection`),
      put: (value) => legacies.put(`${platform} connection`, value),
    },
  };
}

/** Loads the renderer of a platform with its first preview: most processes never show a preview. */
function previewOf(
  { platform: { id, name }, page, preview }: ConfiguredPlatform,
  commands: readonly AnyCommand[],
): Preview {
  let loaded: ReturnType<typeof preview> | undefined;
  return { platform: id, name, page, render: (reply, as) => (loaded ??= preview(commands)).render(reply, as) };
}

/** What a platform shows a person on the bot's own page; read when the page is shown. */
export function openHome({ platform, platforms, alerts, parties, simulated }: HomeDependencies): HomeData {
  const contextOf = (viewer: HomeViewer): HomeContext => ({
    ...viewer,
    platforms,
    alerts,
    managed: () => Promise.resolve(new Set()),
  });
  return {
    async savedParties(person) {
      const { ownParties } = await import("../../bot/options/saved-parties.ts");
      return ownParties(parties, { ...person, platform }, person, platforms).list();
    },
    async standing(networks, viewer, page) {
      const { homeStanding } = await import("./home-standing.ts");
      return homeStanding(contextOf(viewer), networks, page, simulated);
    },
    async subscriptionsOf(viewer) {
      const { homeSubscriptions } = await import("./home-subscriptions.ts");
      return homeSubscriptions(contextOf(viewer));
    },
    async state(networks) {
      const { homeState } = await import("./home-state.ts");
      return homeState(alerts, networks, platform, platforms);
    },
  };
}

interface HomeDependencies {
  readonly platform: string;
  readonly platforms: Platforms;
  readonly alerts: AlertService;
  readonly parties: SavedParties;
  readonly simulated: boolean;
}
