import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import type { Choice } from "../../../bot/options/options.ts";
import { withTimeout } from "../../../in-time.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { WorkspaceUser } from "../../chat/home-data.ts";
import { describeError, errorCodeOf } from "../transport/api-error.ts";
import type { SlackTiming } from "../context.ts";

/** A user group of a workspace: https://docs.slack.dev/reference/objects/usergroup-object. */
interface UserGroup {
  readonly id: string;
  readonly handle: string;
  readonly name: string;
  /** People's ids. */
  readonly members: ReadonlySet<string>;
}

interface UserGroupsOptions {
  readonly web: WebClient;
  readonly log: Log;
  readonly timing: Pick<SlackTiming, "groupsMillis">;
}

/** The installation of an organisation has several workspaces. */
const MAX_CACHED_WORKSPACES = 20;

/** Short, since whoever comes on duty is added to a group just then. */
const CACHED_FOR: Milliseconds = 60_000;

/** Answers of a workspace without user groups: the optional scope is not granted, or its plan has none. */
const WITHOUT_GROUPS: ReadonlySet<string> = new Set(["missing_scope", "plan_upgrade_required"]);

/** The user groups of workspaces, where `usergroups:read` is granted; elsewhere nobody is in any. */
export class UserGroups {
  readonly #options: UserGroupsOptions;
  readonly #groups: LRUCache<string, readonly UserGroup[]>;

  constructor(options: UserGroupsOptions) {
    this.#options = options;
    this.#groups = new LRUCache({
      max: MAX_CACHED_WORKSPACES,
      ttl: CACHED_FOR,
      fetchMethod: (workspace) => this.#lookUp(workspace),
    });
  }

  /** The ids of the groups that somebody is in. Never rejects, and takes no longer than `groupsMillis`. */
  async groupsOf({ id, workspace }: WorkspaceUser): Promise<readonly string[]> {
    return (await this.#groupsIn(workspace)).filter(({ members }) => members.has(id)).map((one) => one.id);
  }

  /** The groups whose handle or name has the typed text. Never rejects, and takes no longer than `groupsMillis`. */
  async suggest(typed: string, { workspace }: WorkspaceUser): Promise<readonly Choice[]> {
    const wanted = typed.trim().replace(/^@/u, "").toLowerCase();
    return (await this.#groupsIn(workspace))
      .filter(({ id, handle, name }) => [id, handle, name].some((one) => one.toLowerCase().includes(wanted)))
      .map(({ id, handle, name }) => ({ label: `@${handle}: ${name}`, value: id }));
  }

  /**
   * What a typed `@name` names: the id of the one group with this handle or name, or the groups that it may mean, all of
   * them where it is part of none. Undefined where no group is known.
   */
  async resolve(typed: string, person: WorkspaceUser): Promise<string | readonly Choice[] | undefined> {
    const wanted = typed.trim().replace(/^@/u, "").toLowerCase();
    const groups = await this.#groupsIn(person.workspace);
    const [only, ...others] = groups.filter(({ handle, name }) =>
      [handle, name].some((one) => one.toLowerCase() === wanted),
    );
    if (only !== undefined && others.length === 0) return only.id;
    if (groups.length === 0) return undefined;
    const near = await this.suggest(typed, person);
    return near.length > 0 ? near : this.suggest("", person);
  }

  async #groupsIn(workspace = ""): Promise<readonly UserGroup[]> {
    const found = withTimeout(this.#groups.fetch(workspace), this.#options.timing.groupsMillis);
    return (await found.catch(() => undefined)) ?? [];
  }

  /** Undefined where Slack does not say it: then it is asked again the next time. */
  async #lookUp(workspace: string): Promise<readonly UserGroup[] | undefined> {
    const { web, log } = this.#options;
    try {
      // Slack ignores the workspace unless the token is one of a whole organisation.
      const team = workspace.startsWith("T") ? { team_id: workspace } : {};
      const { usergroups = [] } = await web.usergroups.list({ include_users: true, ...team });
      return usergroups.flatMap(({ id, handle = "", name = "", users = [] }) =>
        id === undefined ? [] : [{ id, handle, name, members: new Set(users) }],
      );
    } catch (error) {
      if (WITHOUT_GROUPS.has(errorCodeOf(error) ?? "")) return [];
      log.warn({ platform: "slack", why: describeError(error) }, "user lookup failed");
      return undefined;
    }
  }
}
