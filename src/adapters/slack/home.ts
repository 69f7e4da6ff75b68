import { afterLimit } from "./after-limit.ts";
import type { Desk } from "./desk.ts";
import { guarded } from "./guarded.ts";
import type { Person } from "./person.ts";
import { renderHome } from "./render-home.ts";
import { faultWords } from "./slack-fault.ts";

/** Shows the home tab to somebody who opens it, or who did something there. Never rejects. */
export async function showHome(desk: Desk, person: Person): Promise<void> {
  await guarded(desk, "home tab", async () => {
    const { commands, networks } = desk.bot;
    const { subscriptionsOf } = desk.kept;
    const [parties, subscriptions] = await Promise.all([
      readable(desk, desk.kept.savedParties(person)),
      subscriptionsOf === undefined ? undefined : readable(desk, subscriptionsOf(person)),
    ]);
    const view = renderHome({ command: desk.command, commands, networks, parties, subscriptions });
    await afterLimit(desk, () => desk.web.views.publish({ user_id: person.id, view }));
  });
}

/** The rest of the tab is of use without it. */
async function readable<T>(desk: Desk, reading: Promise<T>): Promise<T | "unreadable"> {
  try {
    return await reading;
  } catch (error) {
    desk.log.error({ platform: "slack", err: error, why: faultWords(error) }, "the home tab lacks what somebody keeps");
    return "unreadable";
  }
}
