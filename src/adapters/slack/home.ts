import { retryRateLimited } from "./after-limit.ts";
import type { SlackContext } from "./desk.ts";
import { logFailure } from "./guarded.ts";
import type { SlackUser } from "./person.ts";
import { renderHome } from "./render-home.ts";
import { describeError } from "./slack-fault.ts";

/** Shows the home tab to somebody who opens it, or who did something there. Never rejects. */
export async function publishHome(desk: SlackContext, person: SlackUser): Promise<void> {
  await logFailure(desk, "home tab", async () => {
    const { commands, networks } = desk.bot;
    const { subscriptionsOf } = desk.homeData;
    const [parties, subscriptions] = await Promise.all([
      readOrUnreadable(desk, desk.homeData.savedParties(person)),
      subscriptionsOf === undefined ? undefined : readOrUnreadable(desk, subscriptionsOf(person)),
    ]);
    const view = renderHome({ command: desk.command, commands, networks, parties, subscriptions });
    await retryRateLimited(desk, () => desk.web.views.publish({ user_id: person.id, view }));
  });
}

/** The rest of the tab is of use without it. */
async function readOrUnreadable<T>(desk: SlackContext, reading: Promise<T>): Promise<T | "unreadable"> {
  try {
    return await reading;
  } catch (error) {
    desk.log.error(
      { platform: "slack", err: error, why: describeError(error) },
      "the home tab lacks what somebody keeps",
    );
    return "unreadable";
  }
}
