import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import { withTimeout } from "../../../in-time.ts";
import type { Log } from "../../../log.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import type { WorkspaceUser } from "../../chat/home-data.ts";
import { describeError, errorCodeOf } from "../transport/api-error.ts";

/** A user group of a workspace: https://docs.slack.dev/reference/objects/usergroup-object. */
interface UserGroup {
  readonly id: string;
  /** People's ids. */
  readonly members: ReadonlySet<string>;
}

interface UserGroupsOptions {
  readonly web: WebClient;
  readonly log: Log;
  readonly lookupMillis: Milliseconds;
  /** The number of workspaces whose groups are cached. */
  readonly cached: number;
}

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
      max: options.cached,
      ttl: CACHED_FOR,
      fetchMethod: (workspace) => this.#lookUp(workspace),
    });
  }

  /** The ids of the groups that somebody is in. Never rejects, and takes no longer than `lookupMillis`. */
  async groupsOf({ id, workspace = "" }: WorkspaceUser): Promise<readonly string[]> {
    const found = withTimeout(this.#groups.fetch(workspace), this.#options.lookupMillis);
    const groups = (await found.catch(() => undefined)) ?? [];
    return groups.filter(({ members }) => members.has(id)).map((one) => one.id);
  }

  /** Undefined where Slack does not say it: then it is asked again the next time. */
  async #lookUp(workspace: string): Promise<readonly UserGroup[] | undefined> {
    const { web, log } = this.#options;
    try {
      // Slack ignores the workspace unless the token is one of a whole organisation.
      const team = workspace.startsWith("T") ? { team_id: workspace } : {};
      const { usergroups = [] } = await web.usergroups.list({ include_users: true, ...team });
      return usergroups.flatMap(({ id, users = [] }) => (id === undefined ? [] : [{ id, members: new Set(users) }]));
    } catch (error) {
      if (WITHOUT_GROUPS.has(errorCodeOf(error) ?? "")) return [];
      log.warn({ platform: "slack", why: describeError(error) }, "user lookup failed");
      return undefined;
    }
  }
}
