import type { UsersInfoResponse, WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import type { Log } from "../../log.ts";
import { within } from "../within.ts";
import type { Person } from "./person.ts";
import { faultWords } from "./slack-fault.ts";

/** Whether somebody may change what a channel is told, and if not, why and what to do about it. */
export type MayManage = { readonly may: true } | { readonly may: false; readonly why: string };

export interface ManagersParts {
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
  readonly lookMillis?: number | undefined;
}

const KEEP = { max: 5000, ttl: 300_000 } as const;
const LOOK_MILLIS = 1500;

const UNKNOWN: MayManage = {
  may: false,
  why: "Slack did not say just now whether you are a full member of this workspace. Try again in a moment.",
};

/**
 * Slack knows no role for managing a channel, and does not say with a command who is a guest. So every full member may,
 * or those alone whom the operator lists. Whoever cannot be looked up may not.
 */
export class Managers {
  readonly #parts: ManagersParts;
  readonly #listed: ReadonlySet<string> | undefined;
  readonly #known = new LRUCache<string, Promise<MayManage>>(KEEP);

  constructor(parts: ManagersParts) {
    this.#parts = parts;
    const listed = (parts.listed ?? [])
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "" && !/^discord:|^(?:user:)?\d+$/iu.test(entry))
      .map((entry) => entry.replace(/^slack:/iu, "").toUpperCase());
    this.#listed = listed.length === 0 ? undefined : new Set(listed);
  }

  /** Never rejects, and takes no longer than `lookMillis`. */
  async mayManage(person: Person): Promise<MayManage> {
    if (this.#listed !== undefined) {
      if (this.#listed.has(person.id.toUpperCase())) return { may: true };
      return { may: false, why: "Bellwether's operator names those who may. Ask one of them, or the operator." };
    }
    const key = `${person.workspace ?? ""} ${person.id}`;
    const looking = this.#known.get(key) ?? this.#begin(key, person);
    return within(looking, this.#parts.lookMillis ?? LOOK_MILLIS).catch(() => UNKNOWN);
  }

  #begin(key: string, person: Person): Promise<MayManage> {
    const looking = this.#look(person).then((found) => {
      // What is not known now may be known the next time.
      if (found === UNKNOWN) this.#known.delete(key);
      return found;
    });
    this.#known.set(key, looking);
    return looking;
  }

  async #look(person: Person): Promise<MayManage> {
    try {
      const { user } = await this.#parts.web.users.info({ user: person.id });
      const workspace = this.#parts.team() ?? person.workspace;
      return user === undefined ? UNKNOWN : verdictOn(user, { id: person.id, workspace });
    } catch (error) {
      const { log } = this.#parts;
      log.warn({ platform: "slack", why: faultWords(error) }, "who somebody is could not be looked up");
      return UNKNOWN;
    }
  }
}

/** https://docs.slack.dev/reference/objects/user-object: single-channel guests are restricted, too. */
function verdictOn(user: NonNullable<UsersInfoResponse["user"]>, { id, workspace }: Person): MayManage {
  const no = (why: string): MayManage => ({ may: false, why });
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
