import type { UsersInfoResponse, WebClient } from "@slack/web-api";
import { LRUCache } from "lru-cache";

import { withTimeout } from "../../../units/time.ts";
import type { Caller } from "../../../bot/invocation.ts";
import type { Log } from "../../../log.ts";
import type { WorkspaceUser } from "../../chat/home-data.ts";
import { describeError } from "../transport/api-error.ts";
import type { Workspace } from "../transport/identity.ts";
import type { UserGroups } from "./user-groups.ts";
import type { SlackTiming } from "../context.ts";

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

const MAX_CACHED = 5000;
const CACHED_FOR_MILLIS = 300_000;

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
    maxSize: cached ?? MAX_CACHED,
    sizeCalculation: () => 1,
    ttl: CACHED_FOR_MILLIS,
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
