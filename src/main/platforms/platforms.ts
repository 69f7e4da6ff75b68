// The chat platforms of a bot, and the managers that its operator lists. `home-subscriptions.ts` fills Slack's home tab,
// `platform-limits.ts` counts refused requests.
import { createRequire } from "node:module";

import type { Payloads, Preview, SendingAdapter } from "../../adapters/adapter.ts";
import { discordPlatform } from "../../adapters/discord/platform.ts";
import type * as DiscordPreviewModule from "../../adapters/discord/preview.ts";
import type { SlackUser } from "../../adapters/slack/home/home-data.ts";
import { REDIRECT_PATH } from "../../adapters/slack/install/install-state.ts";
import type { ManifestAddresses } from "../../adapters/slack/manifest.ts";
import { manySlackPlatform, slackPlatform } from "../../adapters/slack/platform.ts";
import type { Installations } from "../../adapters/slack/transport/installations.ts";
import { EVENTS_PATH } from "../../adapters/slack/transport/signature.ts";
import type * as SlackPreviewModule from "../../adapters/slack/preview.ts";
import { terminalPlatform } from "../../adapters/terminal/platform.ts";
import { consolePlatform } from "../../adapters/web/platform.ts";
import { type Webhook, webhookUrl } from "../../adapters/webhook.ts";
import { type ChatPlatform, createPlatforms, type Platforms } from "../../alerts/platform.ts";
import type { SharedToken } from "../../alerts/sender.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { Bot } from "../../bot/bot.ts";
import type { AnyCommand } from "../../bot/command.ts";
import type { Caller, Target } from "../../bot/invocation.ts";
import type { Config } from "../../config.ts";
import { UserError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { SavedParties, Store } from "../../store/store.ts";
import type { Milliseconds } from "../../units/duration.ts";
import type { InstallationSample } from "../metrics/metrics.ts";
import type { openSlackInstallations } from "./slack-installations.ts";

/** Every platform of this program, whether or not it is set up; none of these values loads a library. */
export const PLATFORMS = createPlatforms([discordPlatform, slackPlatform, consolePlatform, terminalPlatform]);

/** The same where Slack's app is installed in many workspaces. */
export const MANY_WORKSPACES = createPlatforms([discordPlatform, manySlackPlatform, consolePlatform, terminalPlatform]);

/** The settings of the chat platforms. */
export type ChatConfig = Pick<Config, "discord" | "slack">;

/** The platforms as this process serves them. */
export function platformsOf({ slack }: Pick<ChatConfig, "slack">): Platforms {
  return slack?.oauth === undefined ? PLATFORMS : MANY_WORKSPACES;
}

/** The chat platforms whose tokens are set. */
export function configuredChats({ discord, slack }: ChatConfig): readonly ChatPlatform[] {
  return [...(discord === undefined ? [] : [discordPlatform]), ...(slack === undefined ? [] : [slackPlatform])];
}

/** Where Slack posts its requests over HTTP; undefined over Socket Mode. */
export function slackEndpoint({ slackMode, web }: Pick<Config, "slackMode" | "web">): string | undefined {
  return slackMode === "http" && web.publicUrl !== undefined ? webhookUrl(EVENTS_PATH, web.publicUrl) : undefined;
}

/** The addresses that the manifest of the Slack app names. */
export function slackAddresses(config: Pick<Config, "slack" | "slackMode" | "web">): ManifestAddresses {
  const oauth = config.slack?.oauth;
  return {
    endpoint: slackEndpoint(config),
    redirectUrl: oauth === undefined ? undefined : webhookUrl(REDIRECT_PATH, oauth.publicUrl),
  };
}

/** The chat platforms of a process. */
interface OpenPlatforms {
  /** Those whose tokens are set. */
  readonly adapters: readonly SendingAdapter[];
  /** How each would show a reply, whether or not its tokens are set. */
  readonly previews: readonly Preview[];
  /** Where they post requests, and send browsers. */
  readonly webhooks: readonly Webhook[];
  /** The installations of an app of many workspaces; undefined where there is none. */
  readonly installations: () => Promise<InstallationSample> | undefined;
}

interface PlatformDependencies {
  readonly store: Pick<Store, "installations" | "transaction">;
  readonly shared: SharedToken;
  readonly commands: readonly AnyCommand[];
  readonly log: Log;
  readonly payloads: Payloads;
  readonly parties: SavedParties;
  readonly alerts: AlertService;
}

/** Slack repeats a request for five minutes: https://docs.slack.dev/apis/events-api#retries. */
const REPEATED_FOR: Milliseconds = 600_000;

const require = createRequire(import.meta.url);

/** Loads a platform's libraries only where its tokens are set: they cost more time and memory than all the rest. */
export async function openPlatforms(
  config: Config,
  { commands, log, payloads, parties, alerts, shared, store }: PlatformDependencies,
): Promise<OpenPlatforms> {
  const adapters: SendingAdapter[] = [];
  let many: Awaited<ReturnType<typeof openSlackInstallations>> | undefined;
  if (config.discord !== undefined) {
    const { createDiscordAdapter } = await import("../../adapters/discord/index.ts");
    adapters.push(createDiscordAdapter({ ...config.discord, publicUrl: config.web.publicUrl, log, payloads, shared }));
  }
  if (config.slack !== undefined) {
    const source = slackSource(config.slack);
    const [{ createSlackAdapter }, { ownParties }, { homeSubscriptions, placeOf }, { homeStanding }] =
      await Promise.all([
        import("../../adapters/slack/index.ts"),
        import("../../bot/options/saved-parties.ts"),
        import("./home-subscriptions.ts"),
        import("./home-standing.ts"),
      ]);
    const platforms = platformsOf(config);
    const savedParties = (person: SlackUser) =>
      ownParties(parties, placeOf(person), { id: person.id }, platforms).list();
    const subscriptionsOf = (person: SlackUser) => homeSubscriptions(alerts, person, platforms);
    const standing = (networks: readonly string[], person: SlackUser, page: number) =>
      homeStanding(alerts, networks, person, platforms, page);
    const { slack, slackCommand: command } = config;
    const mayManage = config.alerting.managers;
    let botToken: string | Installations;
    if (slack.oauth === undefined) ({ botToken } = slack);
    else {
      const { openSlackInstallations } = await import("./slack-installations.ts");
      many = await openSlackInstallations({ ...slack.oauth, apiUrl: slack.apiUrl, command, store, shared, log });
      botToken = many.installations;
    }
    const isFirst = async (request: string): Promise<boolean> =>
      shared.live < 2 || store.installations.useOnce(`slack ${request}`, Date.now() + REPEATED_FOR);
    adapters.push(
      createSlackAdapter({
        botToken,
        apiUrl: slack.apiUrl,
        source,
        command,
        log,
        payloads,
        shared,
        isFirst,
        savedParties,
        standing,
        subscriptionsOf,
        mayManage,
      }),
    );
  }
  return {
    adapters,
    webhooks: [...adapters.flatMap(({ webhooks = [] }) => webhooks), ...(many?.pages ?? [])],
    installations: () =>
      many?.installations.counts().then((counts) => ({ platform: slackPlatform.id, counts: { ...counts } })),
    previews: [
      previewOf(discordPlatform, () =>
        (require("../../adapters/discord/preview.ts") as typeof DiscordPreviewModule).createDiscordPreview(commands),
      ),
      previewOf(slackPlatform, () =>
        (require("../../adapters/slack/preview.ts") as typeof SlackPreviewModule).createSlackPreview(
          config.slackCommand,
        ),
      ),
    ],
  };
}

/** An app token switches Socket Mode on; without one, requests come over HTTP. */
function slackSource({ appToken, signingSecret }: NonNullable<ChatConfig["slack"]>) {
  if (appToken !== undefined) return { appToken };
  if (signingSecret !== undefined) return { signingSecret };
  throw new UserError("Neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set, so nothing of Slack's would arrive.", {
    remedy: "Make an app token under Basic Information, App-Level Tokens, with the scope connections:write.",
  });
}

/** Loads a platform's renderer with its first preview: most processes never show one. */
function previewOf({ id, name }: ChatPlatform, load: () => Preview): Preview {
  let loaded: Preview | undefined;
  return { platform: id, name, render: (reply, as) => (loaded ??= load()).render(reply, as) };
}

/**
 * The bot as Discord reaches it, where the operator lists the managers of alerts: they alone may change what a channel
 * receives, instead of those who manage the channel. Ids are bare or prefixed with `discord:`; Slack's are ignored, and
 * without any for Discord nothing changes. In direct messages everybody manages their own.
 */
export function withListedManagers(bot: Bot, listed: readonly string[] | undefined): Bot {
  const ids = new Set((listed ?? []).flatMap((entry) => /^(?:discord:)?(\d+)$/iu.exec(entry.trim())?.[1] ?? []));
  if (ids.size === 0) return bot;
  const checked = <I extends { readonly here: Target; readonly caller: Caller }>(invocation: I): I => {
    const { here, caller } = invocation;
    if (here.workspace === undefined) return invocation;
    const { mayNotManage: _, mayManageChannel: __, ...person } = caller;
    const permission = ids.has(caller.id)
      ? { mayManageChannel: true }
      : { mayManageChannel: false, mayNotManage: NOT_A_MANAGER };
    return { ...invocation, caller: { ...person, ...permission } };
  };
  return {
    ...bot,
    prepare: (invocation) => bot.prepare(checked(invocation)),
    run: (invocation) => bot.run(checked(invocation)),
    runLine: (line, invocation) => bot.runLine(line, checked(invocation)),
    suggest: (request) => bot.suggest(checked(request)),
    completeLine: (line, invocation) => bot.completeLine(line, checked(invocation)),
    completions: (line, invocation) => bot.completions(line, checked(invocation)),
  };
}

const NOT_A_MANAGER = "Bellwether's operator names those who may. Ask one of them, or the operator.";
