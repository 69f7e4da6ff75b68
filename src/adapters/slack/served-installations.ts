import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import { SendError, type SharedToken } from "../../alerts/sender.ts";
import { messageOf } from "../../errors.ts";
import type { Milliseconds } from "../../units/time.ts";
import type { PressStorage } from "../chat/press.ts";
import type { SlackAdapterOptions } from "./index.ts";
import type { SlackContext, SlackTiming } from "./context.ts";
import { payloadsOf } from "./install/workspace-payloads.ts";
import { channelManagers, userGroupsOf } from "./respond/channel-managers.ts";
import { SlackSender } from "./send/send.ts";
import { Identity } from "./transport/identity.ts";
import { type Installation, type Installations, type Origin, singleInstallation } from "./transport/installations.ts";
import { createWebClient, type Sleep } from "./transport/web-api.ts";

interface ServedDependencies
  extends PressStorage, Pick<SlackAdapterOptions, "botToken" | "command" | "apiUrl" | "mayManage"> {
  readonly now: () => Milliseconds;
  readonly shared: SharedToken;
  readonly sleep: Sleep;
  readonly timing: SlackTiming;
  /** The bot is not in a channel where it was to post. */
  readonly onNotInChannel: (context: SlackContext, channel: string) => void;
}

/** What handlers share, whichever installation a request comes from. */
export type SharedContext = Omit<
  SlackContext,
  "web" | "botName" | "botUser" | "workspace" | "managers" | "userGroups" | "lastManagementRequests"
>;

/** The clients of one installation, each with its queues and caches: Slack's limits hold for each workspace. */
interface Served {
  readonly installation: Pick<Installation, "id" | "botToken">;
  readonly identity: Identity;
  readonly web: WebClient;
  readonly sender: SlackSender;
  context?: SlackContext;
}

/** Longer than an attempt to send an alert: a receipt that comes after it still tells that the message arrived. */
const ALERT_CALL_TIMEOUT_MILLIS = 60_000;
/** The number of installations whose clients are kept; the others get new ones when they are needed. */
const MAX_SERVED = 1000;
/** The entries of each cache, where each of many installations has its own. */
const CACHED_EACH = 200;

/** The number of channels whose last request about alerts is remembered. */
const MAX_REMEMBERED = 1000;
/** A message about a change follows within seconds; later failures concern the operator. */
const REMEMBERED_MILLIS: Milliseconds = 600_000;

/** Serves every installation of the app with its own token, and none with another's. */
export class ServedInstallations {
  readonly installations: Installations;
  readonly #dependencies: ServedDependencies;
  /** The only one, where a bot token is set. */
  readonly #single: Served | undefined;
  readonly #served = new LRUCache<string, Served>({ max: MAX_SERVED });
  #shared: SharedContext | undefined;

  constructor(dependencies: ServedDependencies) {
    this.#dependencies = dependencies;
    const { botToken } = dependencies;
    if (typeof botToken === "string") {
      this.#single = this.#serve(botToken);
      this.installations = singleInstallation(botToken, this.#single.identity);
    } else this.installations = botToken;
  }

  /** The identity of the only bot; undefined where there are many. */
  get identity(): Identity | undefined {
    return this.#single?.identity;
  }

  /** Before this no request is served. */
  start(shared: SharedContext): void {
    this.#shared = shared;
    this.identity?.start();
  }

  async stop(): Promise<void> {
    await this.identity?.stop();
  }

  /** The context of the first of these origins where the app is installed. Rejects where that cannot be read. */
  async contextFor(origins: readonly Origin[]): Promise<SlackContext | undefined> {
    for (const origin of origins) {
      const found = await this.installations.find(origin);
      if (found !== undefined) return this.#contextOf(this.#servedOf(found));
    }
    return undefined;
  }

  /** The sender for a destination's workspace. Rejects with SendError. */
  async senderFor(workspace: string | undefined): Promise<SlackSender> {
    const found = await this.installations.find({ team: workspace, enterprise: workspace }).catch((error: unknown) => {
      throw new SendError("retry", `the installation cannot be read: ${messageOf(error)}`, { cause: error });
    });
    if (found !== undefined) return this.#servedOf(found).sender;
    if (workspace === undefined) {
      throw new SendError("gone", "this destination does not say in which workspace it is: subscribe it there anew");
    }
    throw new SendError("refused", `the app is not installed in the workspace ${workspace}`, { revoked: true });
  }

  #servedOf(installation: Installation): Served {
    if (this.#single !== undefined) return this.#single;
    const { id, botToken } = installation;
    const known = this.#served.get(id);
    if (known?.installation.botToken === botToken) return known;
    const served = this.#serve(botToken, installation);
    this.#served.set(id, served);
    void served.identity.check();
    return served;
  }

  #serve(botToken: string, known?: Installation): Served {
    const { apiUrl, log, payloads, shared, timing, onNotInChannel } = this.#dependencies;
    const web = createWebClient(botToken, { apiUrl, log, timeoutMillis: timing.callMillis });
    const identity = new Identity({ web, log, known, timing });
    const reached = { installation: { id: known?.id ?? "", botToken }, identity, web };
    const alertMillis = timing.callMillis ?? ALERT_CALL_TIMEOUT_MILLIS;
    const sender = new SlackSender(createWebClient(botToken, { apiUrl, log, timeoutMillis: alertMillis }), {
      ...this.#dependencies,
      ...timing,
      payloads: known === undefined ? payloads : payloadsOf(payloads, known.id),
      botName: () => identity.name,
      onNotInChannel: (channel) => {
        const context = this.#contextOf(reached);
        if (context !== undefined) onNotInChannel(context, channel);
      },
      token: shared,
      cached: known && CACHED_EACH,
    });
    return Object.assign(reached, { sender });
  }

  #contextOf(served: Omit<Served, "sender">): SlackContext | undefined {
    if (this.#shared === undefined) return undefined;
    const { installation, identity, web } = served;
    const { log, mayManage, timing } = this.#dependencies;
    const { many } = this.installations;
    const cached = many ? CACHED_EACH : undefined;
    const userGroups = userGroupsOf({ web, log, timing });
    return (served.context ??= {
      ...this.#shared,
      web,
      botName: () => identity.name,
      botUser: () => identity.userId,
      ...(many ? { workspace: installation.id, payloads: payloadsOf(this.#shared.payloads, installation.id) } : {}),
      userGroups,
      managers: channelManagers({
        web,
        log,
        userGroups,
        listed: mayManage,
        timing,
        team: () => identity.team,
        cached,
      }),
      lastManagementRequests: new LRUCache({ max: cached ?? MAX_REMEMBERED, ttl: REMEMBERED_MILLIS }),
    });
  }
}
