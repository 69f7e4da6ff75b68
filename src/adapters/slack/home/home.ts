// The home tab: reads a person's data, renders the view and publishes it. Next: render-home.ts (the view),
// viewers.ts (renews it for those who looked at it), home-data.ts (the ports that it reads through).

import type { Ask } from "../../../reply/reply.ts";
import { withoutUndefined } from "../../../units/without-undefined.ts";
import type { HomeViewer, WorkspaceUser } from "../../chat/home-data.ts";
import type { HomePlace } from "../../chat/press.ts";
import type { SlackContext } from "../context.ts";
import { slackPlatform } from "../platform.ts";
import { describeError, logFailure } from "../transport/api-error.ts";
import { retryRateLimited } from "../transport/web-api.ts";
import { type HomeNotice, renderHome } from "./render-home.ts";

/** What has just been done in the home tab. */
interface HomeChange {
  /** Left out, what the person looks at. */
  readonly place?: HomePlace;
  /** A question whose answer is in the app's direct messages. */
  readonly answered?: Ask;
  /** What came of a press. */
  readonly notice?: HomeNotice;
}

/** Publishes the home tab of a person who opens it, or who pressed a button there. Never rejects. */
export async function publishHome(slack: SlackContext, person: WorkspaceUser, change: HomeChange = {}): Promise<void> {
  await logFailure(slack, "home tab", async () => {
    slack.homes.looked(person);
    await renewHome(slack, person, change);
  });
}

/** Publishes the home tab as it is now. Rejects where Slack does not take it. */
export async function renewHome(slack: SlackContext, person: WorkspaceUser, change: HomeChange = {}): Promise<void> {
  const { command, homeData, managers, homes } = slack;
  const { commands, networks } = slack.bot;
  const { place = homes.placeOf(person), ...done } = change;
  // Read first: what changes while the rest is read makes the tab be renewed.
  const [stateOf, permission] = await Promise.all([
    homeData.state(networks).catch(() => undefined),
    managers.permissionOf(person),
  ]);
  const viewer: HomeViewer = {
    here: { platform: "slack", ...withoutUndefined({ workspace: person.workspace }), files: slackPlatform.files },
    caller: { id: person.id, name: person.id, ...permission },
  };
  const [standing, parties, subscriptions] = await Promise.all([
    readOrUnreadable(slack, homeData.standing(networks, viewer, place.list === "alerts" ? place.page : 0)),
    readOrUnreadable(slack, homeData.savedParties(person)),
    readOrUnreadable(slack, homeData.subscriptionsOf(viewer)),
  ]);
  const view = renderHome({
    ...done,
    place,
    command,
    botName: slack.botName(),
    commands,
    manages: permission.managesWorkspace === true ? "all" : permission.mayManageChannel ? "own" : "none",
    at: slack.now(),
    standing,
    parties,
    subscriptions,
  });
  await retryRateLimited(slack)(() => slack.web.views.publish({ user_id: person.id, view }));
  homes.shown(person, place, stateOf?.(person.workspace));
}

/** The rest of the tab is shown without it. */
async function readOrUnreadable<T>(slack: SlackContext, reading: Promise<T>): Promise<T | "unreadable"> {
  try {
    return await reading;
  } catch (error) {
    slack.log.error({ platform: "slack", err: error, why: describeError(error) }, "home tab incomplete");
    return "unreadable";
  }
}
