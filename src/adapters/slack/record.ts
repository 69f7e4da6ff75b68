import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { z } from "zod";

import { UserError } from "../../errors.ts";
import {
  endpoint,
  type GivenSettings,
  idleKey,
  listed,
  needsServer,
  type PlatformSettings,
  refuse,
  secret,
  type SharedSettings,
  text,
  tokenForm,
  warning,
} from "../../config/settings.ts";
import type { ConfiguredPlatform, InstallationRow, PlatformRecord, PlatformService } from "../chat/chat.ts";
import { webhookUrl } from "../webhook.ts";
import { INSTALL_PATH, REDIRECT_PATH } from "./install/install-state.ts";
import type { OAuthSettings } from "./install/install.ts";
import type { ManifestAddresses } from "./manifest.ts";
import { API_URL, manySlackPlatform, PAGE, ROOT_COMMAND, slackPlatform } from "./platform.ts";
import type * as PreviewModule from "./preview.ts";
import { EVENTS_PATH } from "./transport/signature.ts";

const require = createRequire(import.meta.url);

const variables = {
  SLACK_BOT_TOKEN: secret
    .refine((value) => !value.startsWith("xapp-"), "holds an app token (xapp-…); it belongs in SLACK_APP_TOKEN")
    .optional(),
  SLACK_APP_TOKEN: secret
    .refine((value) => !value.startsWith("xoxb-"), "holds a bot token (xoxb-…); it belongs in SLACK_BOT_TOKEN")
    .optional(),
  SLACK_SIGNING_SECRET: secret.optional(),
  SLACK_CLIENT_ID: secret.optional(),
  SLACK_CLIENT_SECRET: secret.optional(),
  SLACK_API_URL: endpoint.optional(),
  SLACK_COMMAND: text
    .refine((value) => /^\/[a-z\d_-]{1,31}$/u.test(value), "must be a slash and a word in lower case, such as /bell")
    .optional(),
};

type Values = SharedSettings & z.infer<z.ZodObject<typeof variables>>;

/** What it takes for workspaces to install the app by themselves. */
const FOR_MANY = ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SECRET_KEY", "PUBLIC_URL"] as const;
const isForMany = ({ has }: Pick<GivenSettings, "has">): boolean =>
  has("SLACK_CLIENT_ID") || has("SLACK_CLIENT_SECRET");

/** One sentence that says all that is missing, or contradicts what many workspaces need. */
function lackedByMany(given: GivenSettings): string | false {
  const { has, value } = given;
  if (!isForMany(given)) return false;
  const missing: string[] = FOR_MANY.filter((name) => !has(name));
  if (!has("SLACK_SIGNING_SECRET") && !has("SLACK_APP_TOKEN")) {
    missing.push("SLACK_SIGNING_SECRET (or SLACK_APP_TOKEN, for Socket Mode)");
  }
  const steps = [
    ...(missing.length === 0 ? [] : [`set ${listed(missing)}, too`]),
    ...(has("SLACK_BOT_TOKEN") ? ["unset SLACK_BOT_TOKEN, since each workspace has a token of its own"] : []),
    ...(value("WEB_PORT") === "0" ? ["set WEB_PORT to a port, since people install the app by a page"] : []),
  ];
  if (steps.length === 0) return false;
  const set = FOR_MANY.slice(0, 2).filter(has);
  const [is, one] = set.length === 1 ? ["is", "leave it unset"] : ["are", "leave them unset"];
  return `${listed(set)} ${is} set, so any workspace may install the app: ${steps.join("; ")}; or ${one} to serve one workspace`;
}

const settings: PlatformSettings<ConfiguredPlatform, typeof variables> = {
  platform: slackPlatform,
  variables,
  secrets: ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_CLIENT_SECRET"],
  tokens: ["SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_CLIENT_ID"],
  isSetUp: ({ has }) => has("SLACK_BOT_TOKEN") || FOR_MANY.every(has),
  // The id of a user group has a digit, which tells it from a name.
  person: { pattern: /^(?:[UW][A-Z\d]{2,}|S(?=[A-Z]*\d)[A-Z\d]{5,})$/iu, forms: ["U0123456789"] },
  channel: {
    pattern: /^(?:[TE][A-Z\d]+\/)?[A-Z\d]{2,}$/u,
    forms: ["C…", "T…/C… (T… is the workspace's id)"],
  },
  rules: [
    refuse(lackedByMany),
    refuse(
      ({ has }) =>
        !isForMany({ has }) && [
          has("SLACK_APP_TOKEN") &&
            !has("SLACK_BOT_TOKEN") &&
            "SLACK_APP_TOKEN is set, but not SLACK_BOT_TOKEN: Slack needs both",
          has("SLACK_BOT_TOKEN") &&
            !has("SLACK_APP_TOKEN") &&
            !has("SLACK_SIGNING_SECRET") &&
            "SLACK_BOT_TOKEN is set, but neither SLACK_APP_TOKEN, for Socket Mode, nor SLACK_SIGNING_SECRET, for HTTP: set one of them",
        ],
    ),
    needsServer(
      (given) =>
        !isForMany(given) &&
        given.has("SLACK_BOT_TOKEN") &&
        given.has("SLACK_SIGNING_SECRET") &&
        !given.has("SLACK_APP_TOKEN"),
      {
        why: "SLACK_SIGNING_SECRET is set and SLACK_APP_TOKEN is not",
        sends: "Slack sends its requests",
        instead: "set SLACK_APP_TOKEN to use Socket Mode",
      },
    ),
    idleKey("SLACK_SIGNING_SECRET", "SLACK_BOT_TOKEN", "SLACK_CLIENT_ID"),
    tokenForm("SLACK_BOT_TOKEN", /^xoxb-/u, "a bot token: it begins with xoxb-"),
    tokenForm("SLACK_APP_TOKEN", /^xapp-/u, "an app token: it begins with xapp-"),
    warning(
      "SLACK_SIGNING_SECRET",
      ({ has }) =>
        has("SLACK_SIGNING_SECRET") &&
        has("SLACK_APP_TOKEN") &&
        "is not used: SLACK_APP_TOKEN is set, so Slack's requests come over Socket Mode and not over HTTP",
      "Leave one of the two unset.",
    ),
    warning(
      "OPERATOR_CHANNEL",
      ({ has, value }) =>
        FOR_MANY.every(has) &&
        /^slack:[^/]*$/u.test(value("OPERATOR_CHANNEL")) &&
        "does not name its workspace, so it is reached while there is only one",
      `Write the workspace's id before it, as in slack:${manySlackPlatform.exampleChannel}.`,
    ),
  ],
  read: configured,
};

/** One workspace by a bot token, or any that install the app. */
type Tokens =
  | { readonly botToken: string; readonly oauth?: undefined }
  | { readonly botToken?: undefined; readonly oauth: OAuthSettings };

function tokensOf(values: Values): Tokens | undefined {
  const {
    SLACK_BOT_TOKEN: botToken,
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    SECRET_KEY: secretKeys,
    PUBLIC_URL: publicUrl,
  } = values;
  if (clientId !== undefined && clientSecret !== undefined && secretKeys !== undefined && publicUrl !== undefined) {
    return { oauth: { clientId, clientSecret, secretKeys, publicUrl } };
  }
  return botToken === undefined ? undefined : { botToken };
}

/** The addresses that the app's manifest names: without an app token, requests come over HTTP. */
function addressesOf(values: Values, { oauth }: Partial<Tokens>): ManifestAddresses {
  const { SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret, PUBLIC_URL: publicUrl } = values;
  const overHttp = appToken === undefined && signingSecret !== undefined && publicUrl !== undefined;
  return {
    endpoint: overHttp ? webhookUrl(EVENTS_PATH, publicUrl) : undefined,
    redirectUrl: oauth === undefined ? undefined : webhookUrl(REDIRECT_PATH, oauth.publicUrl),
  };
}

function configured(values: Values, managers: readonly string[]): ConfiguredPlatform {
  const command = values.SLACK_COMMAND ?? ROOT_COMMAND;
  const tokens = tokensOf(values);
  const addresses = addressesOf(values, tokens ?? {});
  return {
    platform: tokens?.oauth === undefined ? slackPlatform : manySlackPlatform,
    page: PAGE,
    preview: () => (require("./preview.ts") as typeof PreviewModule).createSlackPreview(command),
    subcommands: {
      "slack-manifest": {
        about: "prints the manifest to create the Slack app from",
        async run(args, { commands, print, note }) {
          if (args.length > 0) {
            throw new UserError("slack:manifest takes no arguments.", {
              remedy: "SLACK_COMMAND names the slash command; the manifest goes to standard output.",
            });
          }
          const { manifestFile, SCOPES } = await import("./manifest.ts");
          print(manifestFile(commands, command, addresses).trimEnd());
          for (const [scope, feature] of Object.entries(SCOPES)) note(`${scope.padEnd(18)}${feature}`);
          return 0;
        },
      },
    },
    service: tokens === undefined ? undefined : serviceOf(values, { tokens, addresses, command, managers }),
  };
}

interface ServiceOptions {
  readonly tokens: Tokens;
  readonly addresses: ManifestAddresses;
  /** With its slash. */
  readonly command: string;
  readonly managers: readonly string[];
}

function serviceOf(values: Values, { tokens, addresses, command, managers }: ServiceOptions): PlatformService {
  const { SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: apiUrl } = values;
  const { endpoint } = addresses;
  const { botToken, oauth } = tokens;
  const installUrl = oauth === undefined ? undefined : webhookUrl(INSTALL_PATH, oauth.publicUrl);
  return {
    url: apiUrl ?? API_URL,
    endpoints: [
      ...(endpoint === undefined ? [] : [{ name: "Slack endpoint", url: endpoint }]),
      ...(installUrl === undefined ? [] : [{ name: "Slack install page", url: installUrl, method: "GET" as const }]),
    ],
    async examine({ installations, ...context }) {
      const { examineSlack } = await import("./doctor.ts");
      return examineSlack({
        ...context,
        botToken,
        appToken,
        signingSecret,
        apiUrl,
        command,
        addresses,
        managers,
        installUrl,
        manifest: await readFile(new URL("../../../slack-manifest.json", import.meta.url), "utf8").catch(
          () => undefined,
        ),
        installations: oauth === undefined ? undefined : await openInstallations(oauth, await installations()),
      });
    },
    async open({ log, openAnswers, payloads, shared, installations, isFirst, home }) {
      const source = sourceOf(values);
      const { createSlackAdapter } = await import("./index.ts");
      const opened =
        tokens.oauth === undefined
          ? { installations: tokens.botToken }
          : await (
              await import("./install/install.ts")
            ).openSlackInstallations({ ...tokens.oauth, apiUrl, command, table: installations, shared, log });
      const adapter = createSlackAdapter({
        botToken: opened.installations,
        apiUrl,
        source,
        command,
        log,
        payloads,
        openAnswers,
        shared,
        isFirst,
        home,
        mayManage: managers,
      });
      return "pages" in opened
        ? { adapter, pages: opened.pages, installations: () => opened.installations.counts() }
        : { adapter };
    },
  };
}

/** An app token switches Socket Mode on; without one, requests come over HTTP. */
function sourceOf({ SLACK_APP_TOKEN: appToken, SLACK_SIGNING_SECRET: signingSecret }: Values) {
  if (appToken !== undefined) return { appToken };
  if (signingSecret !== undefined) return { signingSecret };
  throw new UserError("Neither SLACK_APP_TOKEN nor SLACK_SIGNING_SECRET is set, so nothing of Slack's would arrive.", {
    remedy: "Make an app token under Basic Information, App-Level Tokens, with the scope connections:write.",
  });
}

/** What the database has of an app of many workspaces. */
async function openInstallations({ secretKeys }: OAuthSettings, rows: readonly InstallationRow[] | undefined) {
  const [{ KeyRing }, { openTokens }] = await Promise.all([
    import("../chat/key-ring.ts"),
    import("./install/sealed-tokens.ts"),
  ]);
  const keys = new KeyRing(secretKeys);
  return rows
    ?.filter((row) => row.removed_at === null)
    .map((row) => ({
      ...row,
      botToken: openTokens(keys, row)?.botToken,
      expired: row.expires_at !== null && row.expires_at < Date.now(),
    }));
}

/** Slack, without its libraries. */
export const slackRecord: PlatformRecord = { ...settings, platform: slackPlatform };
