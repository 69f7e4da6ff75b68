import type { UsersInfoResponse, WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";
import type { Choice } from "../../../bot/options/options.ts";
import { type Milliseconds, withTimeout } from "../../../units/time.ts";
import type { Log } from "../../../log.ts";
import type { WorkspaceUser } from "../../chat/home-data.ts";
import { describeError, errorCodeOf } from "../transport/api-error.ts";
import type { SlackTiming } from "../context.ts";
import type { Caller } from "../../../bot/invocation.ts";
import type { Workspace } from "../transport/identity.ts";

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
const GROUPS_CACHED_FOR: Milliseconds = 60_000;

/** Answers of a workspace without user groups: the optional scope is not granted, or its plan has none. */
const WITHOUT_GROUPS: ReadonlySet<string> = new Set(["missing_scope", "plan_upgrade_required"]);

export type UserGroups = ReturnType<typeof userGroupsOf>;

/** The user groups of workspaces, where `usergroups:read` is granted; elsewhere nobody is in any. */
export function userGroupsOf({ web, log, timing }: UserGroupsOptions) {
  const cache = new LRUCache<string, readonly UserGroup[]>({
    max: MAX_CACHED_WORKSPACES,
    ttl: GROUPS_CACHED_FOR,
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

/** Whether a user may manage a channel's alerts; if not, why, what to do, and the user groups that they are in. */
type ManagePermission = Pick<Caller, "mayManageChannel" | "managesWorkspace" | "mayNotManage" | "groups">;

/** What Slack says of a user. */
interface KnownUser {
  readonly permission: ManagePermission;
  readonly zone: string | undefined;
}

interface ChannelManagersOptions {
  readonly web: WebClient;
  readonly log: Log;
  readonly userGroups: Pick<UserGroups, "groupsOf">;
  /** The only people who may, where the operator lists them: ids of users and of user groups. */
  readonly listed?: readonly string[] | undefined;
  /**
   * The bot's own workspace, as far as it is known: a request may name the workspace of another organisation.
   */
  readonly team: () => Pick<Workspace, "id" | "enterprise"> | undefined;
  readonly timing: Pick<SlackTiming, "lookupMillis">;
  /** The number of people whose permission is cached. */
  readonly cached?: number | undefined;
}

const MAX_CACHED_PEOPLE = 5000;
const PERMISSIONS_CACHED_FOR = 300_000;

const LISTED: ManagePermission = { mayManageChannel: true, managesWorkspace: true };
const NOT_LISTED = refusal("Bellwether's operator names those who may. Ask one of them, or the operator.");

const UNKNOWN_PERMISSION = refusal(
  "Slack did not say just now whether you are a full member of this workspace. Try again in a moment.",
);

export type ChannelManagers = ReturnType<typeof channelManagers>;

/**
 * Slack has no role for channel managers, and a command does not reveal guests. So every full member may manage alerts,
 * or only the users that the operator lists. A user who cannot be looked up may not.
 */
export function channelManagers({
  cached,
  listed: ids = [],
  log,
  team,
  timing,
  userGroups,
  web,
}: ChannelManagersOptions) {
  const listed = ids.length === 0 ? undefined : new Set(ids.map((id) => id.toUpperCase()));
  const users = new LRUCache<string, KnownUser, WorkspaceUser>({
    maxSize: cached ?? MAX_CACHED_PEOPLE,
    sizeCalculation: () => 1,
    ttl: PERMISSIONS_CACHED_FOR,
    // Undefined where Slack does not say it: then it is asked again the next time.
    async fetchMethod(_key, _stale, { context: person }) {
      try {
        const { user } = await web.users.info({ user: person.id });
        const { id: workspace = person.workspace, enterprise } = team() ?? {};
        return user && { permission: permissionOf(user, { id: person.id, workspace, enterprise }), zone: user.tz };
      } catch (error) {
        log.warn({ platform: "slack", why: describeError(error) }, "user lookup failed");
        return undefined;
      }
    },
  });
  const known = (person: WorkspaceUser): Promise<KnownUser | undefined> => {
    const lookup = users.fetch(`${person.workspace ?? ""} ${person.id}`, { context: person });
    return withTimeout(lookup, timing.lookupMillis).catch(() => undefined);
  };
  return {
    /** Never rejects, and takes no longer than the look-ups of the person and of the groups. */
    async permissionOf(person: WorkspaceUser): Promise<ManagePermission> {
      const isListed = listed?.has(person.id.toUpperCase()) === true ? LISTED : NOT_LISTED;
      const own = listed === undefined ? ((await known(person))?.permission ?? UNKNOWN_PERMISSION) : isListed;
      if (own.mayManageChannel) return own;
      const groups = await userGroups.groupsOf(person);
      return listed !== undefined && groups.some((id) => listed.has(id)) ? LISTED : { ...own, groups };
    },
    /** The time zone of a person; undefined where Slack does not say it in time. */
    zoneOf: async (person: WorkspaceUser): Promise<string | undefined> => (await known(person))?.zone,
  };
}

function refusal(mayNotManage: string): ManagePermission {
  return { mayManageChannel: false, mayNotManage };
}

/**
 * https://docs.slack.dev/reference/objects/user-object: single-channel guests are restricted, too. On an Enterprise Grid
 * a channel may belong to several workspaces of the organisation: their members are full members of it.
 */
function permissionOf(
  user: NonNullable<UsersInfoResponse["user"]>,
  { id, workspace, enterprise }: WorkspaceUser & Pick<Workspace, "enterprise">,
): ManagePermission {
  if (user.is_bot === true || user.is_workflow_bot === true || id === "USLACKBOT") {
    return refusal("Apps and workflows may not. Ask a full member of this workspace.");
  }
  if (user.is_restricted === true || user.is_ultra_restricted === true) {
    return refusal("Guests may not. Ask a full member of this workspace.");
  }
  if (user.deleted === true) return refusal("A deactivated account may not. Ask a full member of this workspace.");
  const isSister = enterprise !== undefined && user.enterprise_user?.enterprise_id === enterprise;
  const teams = [user.team_id, ...(user.enterprise_user?.teams ?? [])].filter((team) => team !== undefined);
  const isElsewhere = workspace !== undefined && teams.length > 0 && !teams.includes(workspace);
  if (user.is_stranger === true || (isElsewhere && !isSister)) {
    return refusal("People of another organisation may not. Ask a full member of this workspace.");
  }
  return { mayManageChannel: true };
}
