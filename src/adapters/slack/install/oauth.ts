import type { OauthV2AccessResponse, WebClient } from "@slack/web-api";

import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/time.ts";
import { SCOPES } from "../manifest.ts";
import { API_URL } from "../platform.ts";
import type { Installation } from "../transport/installations.ts";
import { createWebClient } from "../transport/web-api.ts";
import type { Tokens } from "./sealed-tokens.ts";

/** The app as Slack knows it. */
export interface OAuthApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where Slack sends people back to; as the manifest names it. */
  readonly redirectUrl: string;
  /** Left out = Slack's own; ends in `/api/`. */
  readonly apiUrl?: string | undefined;
  readonly log: Log;
}

/** Tokens as Slack gives them. */
export interface GrantedTokens {
  readonly tokens: Tokens;
  /** From now on; undefined where the token does not expire. */
  readonly expiresIn: Milliseconds | undefined;
}

/** An installation that somebody has allowed. */
export interface Grant extends GrantedTokens, Omit<Installation, "botToken"> {
  readonly scopes: string;
  readonly by: string | undefined;
}

/** Somebody waits for a page meanwhile. */
const CALL_TIMEOUT: Milliseconds = 10_000;

/** Slack's side of installing: https://docs.slack.dev/authentication/installing-with-oauth. */
export class OAuth {
  readonly #app: OAuthApp;
  readonly #web: WebClient;

  constructor(app: OAuthApp) {
    this.#app = app;
    this.#web = this.#client();
  }

  /** Where a browser is sent, so that somebody may allow the app. */
  authorizeUrl(state: string): string {
    const { apiUrl = API_URL, clientId, redirectUrl } = this.#app;
    const url = new URL("../oauth/v2/authorize", apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`);
    url.search = new URLSearchParams({
      client_id: clientId,
      scope: Object.keys(SCOPES).join(","),
      redirect_uri: redirectUrl,
      state,
    }).toString();
    return url.href;
  }

  /** Exchanges the code of Slack's answer, which serves once. Rejects with the library's errors. */
  async exchange(code: string): Promise<Grant> {
    const { clientId, clientSecret, redirectUrl } = this.#app;
    const answer = await this.#web.oauth.v2.access({
      client_id: clientId,
      client_secret: clientSecret,
      code,
      redirect_uri: redirectUrl,
    });
    const orgWide = answer.is_enterprise_install === true;
    const place = orgWide ? answer.enterprise : answer.team;
    if (place?.id === undefined) throw new Error("Slack names no workspace");
    return {
      ...tokensOf(answer),
      id: place.id,
      name: place.name,
      enterprise: answer.enterprise?.id,
      orgWide,
      botUser: answer.bot_user_id,
      scopes: answer.scope ?? "",
      by: answer.authed_user?.id,
    };
  }

  /** New tokens in place of those that expire: https://docs.slack.dev/authentication/using-token-rotation. */
  async refresh(refreshToken: string): Promise<GrantedTokens> {
    const { clientId, clientSecret } = this.#app;
    const answer = await this.#web.oauth.v2.access({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    });
    return tokensOf(answer);
  }

  /** Whether Slack accepts a token; false where it does not answer. Never rejects. */
  async accepts(token: string): Promise<boolean> {
    try {
      await this.#client(token).auth.test();
      return true;
    } catch {
      return false;
    }
  }

  #client(token?: string): WebClient {
    const { apiUrl, log } = this.#app;
    return createWebClient(token, { apiUrl, log, timeoutMillis: CALL_TIMEOUT });
  }
}

function tokensOf(answer: OauthV2AccessResponse): GrantedTokens {
  const { access_token: botToken, refresh_token: refreshToken, expires_in: seconds, token_type: type } = answer;
  if (botToken === undefined || (type !== undefined && type !== "bot")) throw new Error("Slack gives no bot token");
  return {
    tokens: { botToken, ...(refreshToken === undefined ? {} : { refreshToken }) },
    expiresIn: seconds === undefined ? undefined : seconds * 1000,
  };
}
