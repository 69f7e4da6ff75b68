import type { Environment } from "./environment.ts";

/** Slack's settings: of one workspace by a bot token, or of any that install the app. */
export type SlackConfig = SlackTransportConfig &
  (
    | { readonly botToken: string; readonly oauth: undefined }
    | { readonly botToken: undefined; readonly oauth: SlackOAuthConfig }
  );

interface SlackTransportConfig {
  /** Switches Socket Mode on. */
  readonly appToken: string | undefined;
  /** Without an app token: requests come over HTTP, signed with it. */
  readonly signingSecret: string | undefined;
  readonly apiUrl: string | undefined;
}

/** What it takes for workspaces to install the app by themselves. */
export interface SlackOAuthConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  /** 32 bytes each; the first seals tokens, each of them opens. */
  readonly secretKeys: readonly Uint8Array[];
  /** Where people reach this process. */
  readonly publicUrl: string;
}

/** Undefined where Slack is not set up. */
export function slackConfigOf(env: Environment): SlackConfig | undefined {
  const transport = {
    appToken: env.SLACK_APP_TOKEN,
    signingSecret: env.SLACK_SIGNING_SECRET,
    apiUrl: env.SLACK_API_URL,
  };
  const oauth = oauthOf(env);
  if (oauth !== undefined) return { ...transport, botToken: undefined, oauth };
  return env.SLACK_BOT_TOKEN === undefined
    ? undefined
    : { ...transport, botToken: env.SLACK_BOT_TOKEN, oauth: undefined };
}

function oauthOf({
  SLACK_CLIENT_ID: clientId,
  SLACK_CLIENT_SECRET: clientSecret,
  SECRET_KEY: secretKeys,
  PUBLIC_URL: publicUrl,
}: Environment): SlackOAuthConfig | undefined {
  return clientId === undefined || clientSecret === undefined || secretKeys === undefined || publicUrl === undefined
    ? undefined
    : { clientId, clientSecret, secretKeys, publicUrl };
}

type Has = (name: keyof Environment) => boolean;

/** Names a platform that posts its requests to this process, and faults of the server that takes them. */
export type NeedsServer = (why: string, sends: string, instead: string) => void;

/** Faults of Slack's settings that are valid alone and contradict each other. */
export function slackFaults(has: Has, { port }: { readonly port: string }, needsServer: NeedsServer): string[] {
  if (has("SLACK_CLIENT_ID") || has("SLACK_CLIENT_SECRET")) return oauthFaults(has, port);
  const faults: string[] = [];
  if (has("SLACK_APP_TOKEN") && !has("SLACK_BOT_TOKEN")) {
    faults.push("SLACK_APP_TOKEN is set, but not SLACK_BOT_TOKEN: Slack needs both");
  }
  if (has("SLACK_BOT_TOKEN") && !has("SLACK_APP_TOKEN") && !has("SLACK_SIGNING_SECRET")) {
    faults.push(
      "SLACK_BOT_TOKEN is set, but neither SLACK_APP_TOKEN, for Socket Mode, nor SLACK_SIGNING_SECRET, for HTTP: set one of them",
    );
  }
  if (has("SLACK_BOT_TOKEN") && has("SLACK_SIGNING_SECRET") && !has("SLACK_APP_TOKEN")) {
    const only = "SLACK_SIGNING_SECRET is set and SLACK_APP_TOKEN is not";
    needsServer(only, "Slack sends its requests", "set SLACK_APP_TOKEN to use Socket Mode");
  }
  return faults;
}

/** One sentence that says all that is missing, or contradicts what many workspaces need. */
function oauthFaults(has: Has, port: string): string[] {
  const set = (["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET"] as const).filter(has);
  const missing: string[] = (["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "SECRET_KEY", "PUBLIC_URL"] as const).filter(
    (name) => !has(name),
  );
  if (!has("SLACK_SIGNING_SECRET") && !has("SLACK_APP_TOKEN")) {
    missing.push("SLACK_SIGNING_SECRET (or SLACK_APP_TOKEN, for Socket Mode)");
  }
  const steps = [
    ...(missing.length === 0 ? [] : [`set ${listed(missing)}, too`]),
    ...(has("SLACK_BOT_TOKEN") ? ["unset SLACK_BOT_TOKEN, since each workspace has a token of its own"] : []),
    ...(port === "0" ? ["set WEB_PORT to a port, since people install the app by a page"] : []),
  ];
  if (steps.length === 0) return [];
  const [is, one] = set.length === 1 ? ["is", "leave it unset"] : ["are", "leave them unset"];
  return [
    `${listed(set)} ${is} set, so any workspace may install the app: ${steps.join("; ")}; or ${one} to serve one workspace`,
  ];
}

function listed(names: readonly string[]): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(" and ");
}
