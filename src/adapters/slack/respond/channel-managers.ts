import type { UsersInfoResponse, WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import type { Log } from "../../../log.ts";
import { withTimeout } from "../../timeout.ts";
import type { SlackUser } from "../home/home-data.ts";
import { describeError } from "../transport/api-error.ts";
import type { RequestContext } from "./request-context.ts";

/** Whether somebody may change what a channel is told, and if not, why and what to do about it. */
type ManagePermission = { readonly may: true } | { readonly may: false; readonly why: string };

interface ChannelManagersOptions {
  readonly web: WebClient;
  readonly log: Log;
  /**
   * Who alone may, where the operator says so: user ids, bare or behind `slack:`. What stands for Discord (`discord:`, or
   * digits alone) says nothing about Slack.
   */
  readonly listed?: readonly string[] | undefined;
  /**
   * The bot's own workspace, as far as it is known: what comes with a question may name the one that somebody else's
   * organisation has.
   */
  team(): string | undefined;
  /** How long Slack may take to say who somebody is: a form must be answered within three seconds. */
  readonly lookupMillis?: number | undefined;
}

const PERMISSION_CACHE = { max: 5000, ttl: 300_000 } as const;
const LOOKUP_TIMEOUT_MILLIS = 1500;

const UNKNOWN_PERMISSION: ManagePermission = {
  may: false,
  why: "Slack did not say just now whether you are a full member of this workspace. Try again in a moment.",
};

/**
 * Slack knows no role for managing a channel, and does not say with a command who is a guest. So every full member may,
 * or those alone whom the operator lists. Whoever cannot be looked up may not.
 */
export class ChannelManagers {
  readonly #parts: ChannelManagersOptions;
  readonly #listed: ReadonlySet<string> | undefined;
  readonly #known = new LRUCache<string, Promise<ManagePermission>>(PERMISSION_CACHE);

  constructor(parts: ChannelManagersOptions) {
    this.#parts = parts;
    const listed = (parts.listed ?? [])
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "" && !/^discord:|^(?:user:)?\d+$/iu.test(entry))
      .map((entry) => entry.replace(/^slack:/iu, "").toUpperCase());
    this.#listed = listed.length === 0 ? undefined : new Set(listed);
  }

  /** Never rejects, and takes no longer than `lookMillis`. */
  async mayManage(person: SlackUser): Promise<ManagePermission> {
    if (this.#listed !== undefined) {
      if (this.#listed.has(person.id.toUpperCase())) return { may: true };
      return { may: false, why: "Bellwether's operator names those who may. Ask one of them, or the operator." };
    }
    const key = `${person.workspace ?? ""} ${person.id}`;
    const looking = this.#known.get(key) ?? this.#begin(key, person);
    return withTimeout(looking, this.#parts.lookupMillis ?? LOOKUP_TIMEOUT_MILLIS).catch(() => UNKNOWN_PERMISSION);
  }

  #begin(key: string, person: SlackUser): Promise<ManagePermission> {
    const looking = this.#look(person).then((found) => {
      // What is not known now may be known the next time.
      if (found === UNKNOWN_PERMISSION) this.#known.delete(key);
      return found;
    });
    this.#known.set(key, looking);
    return looking;
  }

  async #look(person: SlackUser): Promise<ManagePermission> {
    try {
      const { user } = await this.#parts.web.users.info({ user: person.id });
      const workspace = this.#parts.team() ?? person.workspace;
      return user === undefined ? UNKNOWN_PERMISSION : permissionOf(user, { id: person.id, workspace });
    } catch (error) {
      const { log } = this.#parts;
      log.warn({ platform: "slack", why: describeError(error) }, "who somebody is could not be looked up");
      return UNKNOWN_PERMISSION;
    }
  }
}

/** https://docs.slack.dev/reference/objects/user-object: single-channel guests are restricted, too. */
function permissionOf(user: NonNullable<UsersInfoResponse["user"]>, { id, workspace }: SlackUser): ManagePermission {
  const no = (why: string): ManagePermission => ({ may: false, why });
  if (user.is_bot === true || user.is_workflow_bot === true || id === "USLACKBOT") {
    return no("Apps and workflows may not. Ask a full member of this workspace.");
  }
  if (user.is_restricted === true || user.is_ultra_restricted === true) {
    return no("Guests may not. Ask a full member of this workspace.");
  }
  const teams = [user.team_id, ...(user.enterprise_user?.teams ?? [])].filter((team) => team !== undefined);
  const elsewhere = workspace !== undefined && teams.length > 0 && !teams.includes(workspace);
  if (user.is_stranger === true || user.deleted === true || elsewhere) {
    return no("People of another organisation may not. Ask a full member of this workspace.");
  }
  return { may: true };
}

/** Messages about a change follow it within seconds; later ones are the operator's to hear of. */
const LAST_REQUESTS_CACHE = { max: 1000, ttl: 600_000 } as const;

/**
 * Who changed last what a channel is told. A slash command works where the bot is no member, but nothing can be posted
 * there: whoever asked for that must hear of it, and of the remedy.
 */
export class LastManagementRequests {
  readonly #origins = new LRUCache<string, RequestContext>(LAST_REQUESTS_CACHE);

  note(channel: string, origin: RequestContext): void {
    this.#origins.set(channel, origin);
  }

  /** Where to tell them, once; undefined where nobody is known. */
  take(channel: string): RequestContext | undefined {
    const origin = this.#origins.get(channel);
    this.#origins.delete(channel);
    return origin === undefined ? undefined : { ...origin, surface: origin.surface.forFollowUp() };
  }
}
