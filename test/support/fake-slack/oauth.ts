import { ErrorResponse } from "./error-response.ts";
import type { State } from "./state.ts";

/** A workspace beside the one that every fake has, or an organisation of several. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
  /** The organisation that it belongs to; of an organisation, its own id. */
  readonly enterprise: string | undefined;
}

/** An installation of the app: what its tokens reach. */
export interface Grant {
  /** The workspace's id; the organisation's where the app is installed for the whole of it. */
  readonly id: string;
  readonly name: string;
  readonly enterprise: string | undefined;
  readonly orgWide: boolean;
  readonly botUserId: string;
  /** The newest token. */
  token: string;
  /** Serves once; undefined where tokens do not rotate. */
  refreshToken: string | undefined;
}

/** https://docs.slack.dev/authentication/using-token-rotation: twelve hours. */
const TOKEN_SECONDS = 43_200;
/** https://docs.slack.dev/authentication/installing-with-oauth: a code serves once, within ten minutes. */
const CODE_MILLIS = 600_000;

interface Code {
  readonly workspace: Workspace;
  readonly orgWide: boolean;
  readonly person: string;
  readonly redirectUri: string;
  readonly until: number;
}

/** Slack's side of an app that many workspaces install: codes, tokens and their rotation. */
export class OAuth {
  readonly clientId = "1234567890.0987654321";
  readonly clientSecret = "9e3f0c11d2a84b6f8a3dd2c6f1b7e5a0";
  readonly #state: State;
  readonly #workspaces = new Map<string, Workspace>();
  readonly #codes = new Map<string, Code>();
  readonly #grants = new Map<string, Grant>();
  /** By token; in milliseconds of Slack's clock, Infinity where it does not expire. */
  readonly #tokens = new Map<string, { readonly grant: Grant; until: number; revoked: boolean }>();
  /** Refresh tokens that were used. */
  readonly spent = new Set<string>();

  constructor(state: State) {
    this.#state = state;
  }

  /** Another workspace, or with `organisation` one of several workspaces. */
  workspace(name: string, { enterprise, organisation = false }: { enterprise?: string; organisation?: boolean } = {}) {
    const id = this.#state.id(organisation ? "E" : "T");
    const workspace: Workspace = { id, name, enterprise: organisation ? id : enterprise };
    this.#workspaces.set(id, workspace);
    return workspace;
  }

  /** The organisation of a workspace. */
  enterpriseOf(team: string): string | undefined {
    return team === this.#state.team ? this.#state.enterprise : this.#workspaces.get(team)?.enterprise;
  }

  /** The installation that a workspace's requests belong to. */
  grantOf(team: string): Grant | undefined {
    return this.#grants.get(team) ?? this.#grants.get(this.enterpriseOf(team) ?? "");
  }

  /**
   * Where the browser of somebody goes who was sent to the authorize URL and agrees, or does not. Throws where Slack
   * would show an error of its own.
   */
  consent(authorizeUrl: string, workspace: Workspace, { denies = false, person = "UADMIN1" } = {}): string {
    const { pathname, searchParams: given } = new URL(authorizeUrl);
    if (pathname !== "/oauth/v2/authorize") throw new Error(`${pathname} is no page of Slack's`);
    if (given.get("client_id") !== this.clientId) throw new Error("invalid_client_id");
    const redirectUri = given.get("redirect_uri") ?? "";
    const { redirect_urls: allowed = [], scopes } = this.#state.manifest.oauth_config as {
      redirect_urls?: readonly string[];
      scopes: { bot: readonly string[] };
    };
    if (!allowed.includes(redirectUri)) throw new Error(`bad_redirect_uri ${redirectUri}`);
    const asked = (given.get("scope") ?? "").split(",");
    const unknown = asked.filter((scope) => !scopes.bot.includes(scope));
    if (unknown.length > 0) throw new Error(`invalid_scope ${unknown.join()}`);
    const back = new URL(redirectUri);
    if (denies) back.searchParams.set("error", "access_denied");
    else {
      const code = this.#state.id("code.");
      const orgWide = workspace.id === workspace.enterprise;
      this.#codes.set(code, { workspace, orgWide, person, redirectUri, until: this.#state.now() + CODE_MILLIS });
      back.searchParams.set("code", code);
    }
    back.searchParams.set("state", given.get("state") ?? "");
    return back.href;
  }

  /** https://docs.slack.dev/reference/methods/oauth.v2.access, in both of its forms. */
  access(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (args["client_id"] !== this.clientId) throw new ErrorResponse("invalid_client_id");
    if (args["client_secret"] !== this.clientSecret) throw new ErrorResponse("bad_client_secret");
    if (args["grant_type"] === "refresh_token") return this.#refresh(String(args["refresh_token"]));
    const code = this.#codes.get(String(args["code"]));
    this.#codes.delete(String(args["code"]));
    if (code === undefined || this.#state.now() > code.until) throw new ErrorResponse("invalid_code");
    if (args["redirect_uri"] !== code.redirectUri) throw new ErrorResponse("bad_redirect_uri");
    const { workspace, orgWide, person } = code;
    return this.#answer(this.#grant(workspace, orgWide), person);
  }

  /** Somebody has installed the app, in a way that no test looks at. */
  install(workspace: Workspace): Grant {
    const grant = this.#grant(workspace, workspace.id === workspace.enterprise);
    this.#answer(grant, undefined);
    return grant;
  }

  #grant(workspace: Workspace, orgWide: boolean): Grant {
    const known = this.#grants.get(workspace.id);
    const grant: Grant = {
      id: workspace.id,
      name: workspace.name,
      enterprise: workspace.enterprise,
      orgWide,
      botUserId: known?.botUserId ?? this.#state.id("UBOT"),
      token: "",
      refreshToken: undefined,
    };
    this.#grants.set(workspace.id, grant);
    return grant;
  }

  #refresh(refreshToken: string): Record<string, unknown> {
    const grant = [...this.#grants.values()].find((one) => one.refreshToken === refreshToken);
    if (grant === undefined) throw new ErrorResponse("invalid_refresh_token", { spent: this.spent.has(refreshToken) });
    this.spent.add(refreshToken);
    return this.#answer(grant, undefined);
  }

  #answer(grant: Grant, person: string | undefined): Record<string, unknown> {
    const { settings, oauth_config: config } = this.#state.manifest;
    const rotates: boolean = settings.token_rotation_enabled;
    grant.token = this.#state.id(rotates ? "xoxe.xoxb-1-" : "xoxb-");
    grant.refreshToken = rotates ? this.#state.id("xoxe-1-") : undefined;
    const until = rotates ? this.#state.now() + TOKEN_SECONDS * 1000 : Infinity;
    this.#tokens.set(grant.token, { grant, until, revoked: false });
    return {
      access_token: grant.token,
      token_type: "bot",
      scope: config.scopes.bot.join(","),
      bot_user_id: grant.botUserId,
      app_id: "A01",
      team: grant.orgWide ? null : { id: grant.id, name: grant.name },
      enterprise: grant.enterprise === undefined ? null : { id: grant.enterprise, name: "Grid" },
      is_enterprise_install: grant.orgWide,
      ...(person === undefined ? {} : { authed_user: { id: person } }),
      ...(rotates ? { expires_in: TOKEN_SECONDS, refresh_token: grant.refreshToken } : {}),
    };
  }

  /** The installation of a token; throws where Slack refuses it. */
  grantOfToken(token: string): Grant {
    const known = this.#tokens.get(token);
    if (known === undefined) throw new ErrorResponse("invalid_auth");
    if (known.revoked) throw new ErrorResponse("token_revoked");
    if (this.#state.now() > known.until) throw new ErrorResponse("token_expired");
    return known.grant;
  }

  /** The tokens of an installation are revoked, as when the app is removed; what Slack tells of it is the caller's. */
  revoke(id: string): void {
    for (const one of this.#tokens.values()) if (one.grant.id === id) one.revoked = true;
    this.#grants.delete(id);
  }

  /** Whether a token of an installation reaches a workspace; without one, that of every fake. */
  reaches(grant: Grant | undefined, team: string): boolean {
    if (grant === undefined) return team === this.#state.team;
    return grant.orgWide ? this.enterpriseOf(team) === grant.id : team === grant.id;
  }
}
