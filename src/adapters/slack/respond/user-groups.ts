import type { WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import type { Choice } from "../../../bot/options/options.ts";
import { type Milliseconds, withTimeout } from "../../../units/time.ts";
import type { Log } from "../../../log.ts";
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

export type UserGroups = ReturnType<typeof userGroupsOf>;

/** The user groups of workspaces, where `usergroups:read` is granted; elsewhere nobody is in any. */
export function userGroupsOf({ web, log, timing }: UserGroupsOptions) {
  const cache = new LRUCache<string, readonly UserGroup[]>({
    max: MAX_CACHED_WORKSPACES,
    ttl: CACHED_FOR,
    // Undefined where Slack does not say it: then it is asked again the next time.
    async fetchMethod(workspace) {
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
    },
  });
  const groupsIn = async (workspace = ""): Promise<readonly UserGroup[]> => {
    const found = withTimeout(cache.fetch(workspace), timing.groupsMillis);
    return (await found.catch(() => undefined)) ?? [];
  };
  const wantedIn = (typed: string): string => typed.trim().replace(/^@/u, "").toLowerCase();
  /** The groups whose handle or name has the typed text. Never rejects, and takes no longer than `groupsMillis`. */
  const suggest = async (typed: string, { workspace }: WorkspaceUser): Promise<readonly Choice[]> => {
    const wanted = wantedIn(typed);
    return (await groupsIn(workspace))
      .filter(({ id, handle, name }) => [id, handle, name].some((one) => one.toLowerCase().includes(wanted)))
      .map(({ id, handle, name }) => ({ label: `@${handle}: ${name}`, value: id }));
  };
  return {
    suggest,
    /** The ids of the groups that somebody is in. Never rejects, and takes no longer than `groupsMillis`. */
    groupsOf: async ({ id, workspace }: WorkspaceUser): Promise<readonly string[]> =>
      (await groupsIn(workspace)).filter(({ members }) => members.has(id)).map((one) => one.id),
    /**
     * What a typed `@name` names: the id of the one group with this handle or name, or the groups that it may mean, all of
     * them where it is part of none. Undefined where no group is known.
     */
    async resolve(typed: string, person: WorkspaceUser): Promise<string | readonly Choice[] | undefined> {
      const groups = await groupsIn(person.workspace);
      const [only, ...others] = groups.filter(({ handle, name }) =>
        [handle, name].some((one) => one.toLowerCase() === wantedIn(typed)),
      );
      if (only !== undefined && others.length === 0) return only.id;
      if (groups.length === 0) return undefined;
      const near = await suggest(typed, person);
      return near.length > 0 ? near : suggest("", person);
    },
  };
}
