import { z } from "zod";

import type { Milliseconds } from "../../units/time.ts";
import { examineClock, fault, ok, type Finding, unanswered as unansweredBy, warning, answerTo } from "../finding.ts";
import { redactAnswers } from "../../units/redact.ts";
import { type ManifestAddresses, manifestFile, OPTIONAL_SCOPES, SCOPES } from "./manifest.ts";
import { API_URL, TEMPORARY_ERRORS } from "./platform.ts";
import type { ExaminationContext, InstallationRow } from "../chat/chat.ts";

/** An installation of an app of many workspaces, as the database has it. */
export interface KeptInstallation extends Pick<InstallationRow, "id" | "name" | "scopes"> {
  /** Undefined where SECRET_KEY does not open it. */
  readonly botToken: string | undefined;
  /** Its token has expired, which the running bot would have refreshed. */
  readonly expired: boolean;
}

export interface SlackExaminationOptions extends Pick<ExaminationContext, "commands" | "now" | "signal"> {
  /** Undefined where any workspace may install the app. */
  readonly botToken: string | undefined;
  /** Where workspaces install the app, and which have done so; undefined where the database cannot be read. */
  readonly installUrl?: string | undefined;
  readonly installations?: readonly KeptInstallation[] | undefined;
  readonly appToken?: string | undefined;
  /** Of requests over HTTP, which come where there is no app token. */
  readonly signingSecret?: string | undefined;
  /** Where Slack should post requests, and send people who install the app. */
  readonly addresses?: ManifestAddresses;
  /** The slash command, with its slash. */
  readonly command: string;
  /** Left out = Slack's own. */
  readonly apiUrl?: string | undefined;
  /** What `slack-manifest.json` holds; undefined where there is none. */
  readonly manifest?: string | undefined;
  /** The ids in ALERT_MANAGERS. */
  readonly managers?: readonly string[];
  /** Channels that must be reachable, and the setting that names each. */
  readonly channels?: ExaminationContext["channels"];
}

const APPS_URL = "https://api.slack.com/apps";
/** Slack shows times to the minute and refuses signatures older than five: https://docs.slack.dev/authentication/verifying-requests-from-slack. */
const MAX_CLOCK_SKEW_MILLIS: Milliseconds = 60_000;
/** A timestamp that no message has. */
const NONEXISTENT_MESSAGE = "1.000000";

/** The members of Slack's answers in use; a member of another form is left out. */
const Answer = z.object({
  ok: z.boolean(),
  error: z.string().optional(),
  team: z.string().optional().catch(undefined),
  user: z.string().optional().catch(undefined),
  is_enterprise_install: z.boolean().optional().catch(undefined),
});

/**
 * Checks the tokens, how requests come, the scopes, the manifest and the channels; posts nothing. Never rejects; skips the remaining
 * checks when the signal aborts.
 */
export async function examineSlack(options: SlackExaminationOptions): Promise<Finding[]> {
  const { botToken } = options;
  const [bot, app, ...channels] = await Promise.all([
    botToken === undefined ? examineInstallations(options) : examineBot(options, botToken),
    options.appToken === undefined && options.signingSecret !== undefined ? examineHttp(options) : examineApp(options),
    ...(options.channels ?? []).map((channel) => examineChannel(options, channel)),
  ]);
  return [...bot, app, examineManifest(options), ...channels];
}

async function examineBot(options: SlackExaminationOptions, botToken: string): Promise<Finding[]> {
  const check = "Slack bot token";
  const answer = await call(options, "auth.test", botToken);
  if (answer.error !== undefined) {
    const remedy = `Copy the Bot User OAuth Token (xoxb-…) from the page Install App of your app (${APPS_URL}) into SLACK_BOT_TOKEN.`;
    return [refused(check, answer.error, remedy)];
  }
  if (!answer.ok) return [unanswered(check, answer)];
  const { team, user } = answer;
  if (answer.is_enterprise_install === true) {
    const remedy = `Install the app in one workspace (${APPS_URL}, Install App) and set SLACK_BOT_TOKEN to that token.`;
    return [fault(check, "it is of an installation for a whole organisation, which is not served", remedy)];
  }
  return [
    ok(check, `the bot is ${user ?? "there"}${team === undefined ? "" : ` in ${team}`}`),
    examineScopes(answer.scopes, options.managers),
    ...examineClock("Slack", answer.headers, { now: options.now, within: MAX_CLOCK_SKEW_MILLIS }),
  ];
}

/** How many tokens are tried. */
const MAX_TRIED = 20;

/** The installations of an app of many workspaces: whether SECRET_KEY opens them, and Slack accepts their tokens. */
async function examineInstallations(options: SlackExaminationOptions): Promise<Finding[]> {
  const check = "Slack installations";
  const { installations, installUrl = "the install link" } = options;
  if (installations === undefined) {
    return [warning(check, "the database has no record of them yet", "Start the bot once, and look at the database.")];
  }
  const sealed = installations.filter((one) => one.botToken === undefined);
  if (sealed.length > 0) {
    const what = `SECRET_KEY does not open ${sealed.length} of ${installations.length}: ${listed(sealed)}`;
    const remedy = `Set the earlier key, too, behind the new one and a comma; or install there again: ${installUrl}.`;
    return [fault(check, what, remedy)];
  }
  if (installations.length === 0) return [ok(check, `none yet; people add it at ${installUrl}`)];
  const tried = installations.filter(({ expired }) => !expired).slice(0, MAX_TRIED);
  const answers = await Promise.all(
    tried.map(async (one) => ({ one, answer: await call(options, "auth.test", one.botToken ?? "") })),
  );
  const refused = answers.filter(({ answer }) => answer.error !== undefined).map(({ one }) => one);
  const silent = answers.find(({ answer }) => !answer.ok && answer.error === undefined);
  if (silent !== undefined) return [unanswered(check, silent.answer)];
  const poorer = installations.filter(({ scopes }) => {
    const granted = new Set(scopes.split(","));
    return Object.keys(SCOPES).some((scope) => !granted.has(scope) && !OPTIONAL_SCOPES.includes(scope));
  });
  const again = `Install the app there again: ${installUrl}.`;
  return [
    ok(check, `${installations.length}; the tokens of ${tried.length} were tried`),
    ...(refused.length === 0 ? [] : [fault(check, `Slack refuses the tokens of ${listed(refused)}`, again)]),
    ...(poorer.length === 0 ? [] : [warning(check, `not all scopes are granted in ${listed(poorer)}`, again)]),
    ...examineClock("Slack", answers[0]?.answer.headers, { now: options.now, within: MAX_CLOCK_SKEW_MILLIS }),
  ];
}

/** The first of them by name. */
function listed(installations: readonly KeptInstallation[]): string {
  const named = installations.slice(0, 5).map(({ id, name }) => (name === null ? id : `${name} (${id})`));
  const more = installations.length - named.length;
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`;
}

function examineScopes(granted: readonly string[] | undefined, managers: readonly string[] = []): Finding {
  const check = "Slack scopes";
  if (granted === undefined) {
    return warning(check, "Slack does not say which ones the token has", "Compare them with those in docs/slack.md.");
  }
  const missing = Object.entries(SCOPES).filter(([scope]) => !granted.includes(scope));
  if (missing.length === 0) return ok(check, `all ${Object.keys(SCOPES).length} are granted`);
  const needed = missing.filter(([scope]) => !OPTIONAL_SCOPES.includes(scope));
  const what = (needed.length === 0 ? missing : needed).map(([scope, feature]) => `${scope} (${feature})`).join("; ");
  const remedy = "Add them under OAuth & Permissions, Bot Token Scopes, then press Reinstall to Workspace.";
  if (needed.length > 0) return fault(check, `not granted: ${what}`, remedy);
  const groups = managers.filter((id) => /^S/iu.test(id));
  if (groups.length === 0) return ok(check, `all that are needed are granted; not granted: ${what}`);
  return warning(check, `ALERT_MANAGERS names user groups (${groups.join(", ")}); not granted: ${what}`, remedy);
}

/** Slack tells the addresses that it posts to only to an app's configuration token: they are not checked. */
function examineHttp({ addresses: { endpoint } = {} }: SlackExaminationOptions): Finding {
  const check = "Slack requests";
  if (endpoint === undefined) {
    const remedy = "Set PUBLIC_URL to the address at which Slack reaches this process.";
    return fault(check, "they come over HTTP (SLACK_APP_TOKEN is not set), and PUBLIC_URL is not set", remedy);
  }
  return ok(check, `they come over HTTP, at ${endpoint}, which the app's manifest must name; no socket is opened`);
}

async function examineApp(options: SlackExaminationOptions): Promise<Finding> {
  const check = "Slack app token";
  const make =
    "Under Basic Information, App-Level Tokens generate one with connections:write and set SLACK_APP_TOKEN to it.";
  if (options.appToken === undefined) {
    const what = "SLACK_APP_TOKEN is not set, which Socket Mode needs, nor SLACK_SIGNING_SECRET, which HTTP needs";
    return fault(check, what, make);
  }
  // Only requests a URL; opens no socket, and closes none of the bot's.
  const answer = await call(options, "apps.connections.open", options.appToken);
  if (answer.error !== undefined) {
    const isUnsuitable = answer.error === "missing_scope" || answer.error === "not_allowed_token_type";
    const remedy = isUnsuitable ? make : `${make.slice(0, -1)}; Socket Mode must be switched on.`;
    return refused(check, answer.error, remedy);
  }
  return answer.ok ? ok(check, "Slack offers a socket: requests come over Socket Mode") : unanswered(check, answer);
}

function examineManifest({ commands, command, addresses = {}, manifest }: SlackExaminationOptions): Finding {
  const { endpoint, redirectUrl } = addresses;
  const check = "Slack manifest";
  const remedy = `Run npm run -s slack:manifest > slack-manifest.json and paste it at ${APPS_URL}, App Manifest.`;
  if (manifest === undefined) return warning(check, "there is no slack-manifest.json here to compare with", remedy);
  if (manifest === manifestFile(commands, command, addresses)) {
    const at = endpoint === undefined ? "" : ` and ${endpoint}`;
    return ok(check, `slack-manifest.json is current and names ${command}${at}`);
  }
  const lacks = (url: string | undefined): boolean => url !== undefined && !manifest.includes(`"${url}"`);
  const named = /"command": "([^"]{1,40})"/u.exec(manifest)?.[1];
  const what = lacks(endpoint)
    ? `does not name ${endpoint}, where requests come over HTTP`
    : lacks(redirectUrl)
      ? `does not name ${redirectUrl}, by which workspaces install the app`
      : named !== command
        ? `names another command than ${command}`
        : "is of another version than this program";
  return warning(check, `slack-manifest.json ${what}`, remedy);
}

async function examineChannel(
  options: SlackExaminationOptions,
  { id, setting }: { readonly id: string; readonly setting: string },
): Promise<Finding> {
  const tokens =
    options.botToken === undefined
      ? (options.installations ?? []).flatMap(({ botToken, expired }) => (expired ? [] : (botToken ?? [])))
      : [options.botToken];
  let answer: ApiAnswer = { ok: false, error: "channel_not_found" };
  for (const token of tokens.slice(0, MAX_TRIED)) {
    // For a message that does not exist, this reveals whether the channel exists, without any scope:
    // https://docs.slack.dev/reference/methods/chat.getPermalink
    answer = await call(options, "chat.getPermalink", token, { channel: id, message_ts: NONEXISTENT_MESSAGE });
    const isSeen = answer.ok || answer.error === "message_not_found";
    if (isSeen) return ok(setting, "Slack lets the bot see that channel");
  }
  if (answer.error === "channel_not_found" || answer.error === "not_in_channel") {
    const remedy = `Type /invite @bellwether there, or correct ${setting}.`;
    return fault(setting, "the bot cannot see that channel on Slack", remedy);
  }
  if (answer.error !== undefined) return refused(setting, answer.error, "See to the bot token first.");
  return unanswered(setting, answer);
}

/** One response. `error` is Slack's own code; without `ok` and `error`, Slack did not answer. */
interface ApiAnswer extends z.infer<typeof Answer> {
  readonly status?: number | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly headers?: Headers | undefined;
}

async function call(
  { apiUrl = API_URL, signal }: SlackExaminationOptions,
  method: string,
  token: string,
  form: Readonly<Record<string, string>> = {},
): Promise<ApiAnswer> {
  const asked = redactAnswers(fetch)(`${apiUrl.replace(/\/+$/u, "")}/${method}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: new URLSearchParams(form),
    redirect: "error",
    signal,
  });
  const { status, body, headers } = await answerTo(asked);
  const answer = Answer.safeParse(body).data;
  if (status !== 200 || answer === undefined) return { ok: false, status };
  const { ok: isGood, error = "unknown_error" } = answer;
  if (!isGood && TEMPORARY_ERRORS.has(error)) return { ok: false, status: error === "ratelimited" ? 429 : 503 };
  if (!isGood) return { ok: false, error: printableErrorCode(error), status };
  const scopes = headers?.get("x-oauth-scopes")?.split(",");
  return { ...answer, status, scopes: scopes?.map((scope) => scope.trim()), headers };
}

/** Slack's error codes are words in lower case; anything else is not repeated. */
function printableErrorCode(error: string): string {
  return /^\w{1,60}$/u.test(error) ? error : "unknown_error";
}

function refused(check: string, error: string, remedy: string): Finding {
  return fault(check, `Slack refuses it (${error})`, remedy);
}

function unanswered(check: string, { status }: ApiAnswer): Finding {
  return unansweredBy("Slack", "https://slack-status.com", check, status);
}
