// Installing the app in any number of workspaces: here the two pages that people visit.
// Next: install-state.ts (what ties Slack's answer to a browser), oauth.ts (Slack's side), stored-installations.ts (tokens
// stored, refreshed, deleted), sealed-tokens.ts (their encryption).

import type { SharedToken } from "../../../alerts/sender.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/time.ts";
import type { PlatformInstallations } from "../../chat/chat.ts";
import {
  type Webhook,
  type WebhookPage,
  type WebhookRequest,
  type WebhookResponse,
  webhookUrl,
} from "../../webhook.ts";
import { describeError, errorCodeOf } from "../transport/api-error.ts";
import { INSTALL_PATH, issueState, REDIRECT_PATH, STATE_LIFETIME, verifyState } from "./install-state.ts";
import { KeyRing } from "../../chat/key-ring.ts";
import { OAuth } from "./oauth.ts";
import { StoredInstallations } from "./stored-installations.ts";

interface InstallDependencies {
  readonly keys: KeyRing;
  readonly oauth: Pick<OAuth, "authorizeUrl" | "exchange">;
  readonly installations: Pick<StoredInstallations, "save">;
  /** False where the state was used before. */
  readonly useOnce: (state: string, endsAt: Milliseconds) => Promise<boolean>;
  /** The root command, with its slash. */
  readonly command: string;
  /** Whether people reach this process over TLS. */
  readonly secure: boolean;
  readonly log: Log;
  /** Unix milliseconds. */
  readonly now?: () => Milliseconds;
}

const COOKIE = "bellwether-slack-install";

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

/** The pages by which people install the app. */
export function installPages(dependencies: InstallDependencies): readonly Webhook[] {
  const { keys, oauth, secure, now = Date.now } = dependencies;
  const cookie = (value: string, seconds: number): string =>
    `${COOKIE}=${value}; Path=${REDIRECT_PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return [
    {
      path: INSTALL_PATH,
      method: "GET",
      async handle() {
        const { state, browser } = issueState(keys, now());
        const headers = { Location: oauth.authorizeUrl(state), "Set-Cookie": cookie(browser, STATE_LIFETIME / 1000) };
        return { status: 302, headers };
      },
    },
    {
      path: REDIRECT_PATH,
      method: "GET",
      async handle(request) {
        const answer = await finish(dependencies, request, now());
        // A cookie serves once, like its state.
        return answer.status === 200 ? { ...answer, headers: { "Set-Cookie": cookie("", 0) } } : answer;
      },
    },
  ];
}

async function finish(
  { command, installations, keys, log, oauth, useOnce }: InstallDependencies,
  request: WebhookRequest,
  now: Milliseconds,
): Promise<WebhookResponse> {
  const { query } = request;
  const failed = query.get("error");
  if (failed === "access_denied") {
    return refusal(400, "You did not allow it, and nothing was changed.");
  }
  const state = verifyState(keys, query.get("state") ?? "", cookieOf(request), now);
  if (state === "forged") {
    return refusal(403, "This answer of Slack's does not belong to this browser, or a newer link was opened since.");
  }
  if (state === "stale") {
    return refusal(403, `The link was opened more than ${STATE_LIFETIME / 60_000} minutes ago.`);
  }
  const code = query.get("code");
  if (failed !== null || code === null || code === "") {
    return refusal(400, `Slack says: ${printable(failed ?? "no code")}.`);
  }
  if (!(await useOnce(state.id, state.endsAt))) {
    const words = "This answer of Slack's was used before. If Bellwether is in your workspace already, all is well.";
    return refusal(403, words, "This link has served");
  }
  try {
    const grant = await oauth.exchange(code);
    await installations.save(grant);
    return { status: 200, body: installed(grant, command) };
  } catch (error) {
    log.warn({ platform: "slack", why: describeError(error) }, "app not installed");
    const said = errorCodeOf(error);
    return said === undefined
      ? refusal(503, "Slack gave no usable answer. Try again in a minute.")
      : refusal(400, `Slack says: ${said}.`);
  }
}

function installed(
  { name, orgWide }: { readonly name: string | undefined; readonly orgWide: boolean },
  command: string,
): WebhookPage {
  const where = name ?? (orgWide ? "your organisation" : "your workspace");
  return {
    title: `Bellwether is in ${where}`,
    words: [
      ...(orgWide ? ["An administrator of the organisation chooses the workspaces that have it."] : []),
      `Type ${command} help anywhere in Slack.`,
      `For alerts in a channel type /invite @bellwether there, then ${command} alerts add.`,
    ],
  };
}

function refusal(status: 400 | 403 | 503, words: string, title = "Bellwether was not added"): WebhookResponse {
  return { status, body: { title, words: [words], link: { label: "Begin again", path: INSTALL_PATH } } };
}

/** Slack's codes are words in lower case; anything else may come from anybody. */
function printable(code: string): string {
  return /^[a-z][a-z _]{1,60}$/u.test(code) ? code : "an unknown error";
}

function cookieOf(request: WebhookRequest): string {
  const pairs = (request.header("cookie") ?? "").split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? "";
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
