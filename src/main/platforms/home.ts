import type { HomeData } from "../../adapters/chat/home-data.ts";
import type { Platforms } from "../../alerts/platform.ts";
import type { AlertService } from "../../alerts/service/service.ts";
import type { SavedParties } from "../../store/store.ts";

/** What a platform shows a person on the bot's own page; read when the page is opened. */
export function openHome(
  platform: string,
  platforms: Platforms,
  alerts: AlertService,
  parties: SavedParties,
): HomeData {
  return {
    async savedParties(person) {
      const { ownParties } = await import("../../bot/options/saved-parties.ts");
      return ownParties(parties, { ...person, platform }, person, platforms).list();
    },
    async standing(networks, person, page) {
      const { homeStanding } = await import("./home-standing.ts");
      return homeStanding(alerts, networks, { ...person, platform }, platforms, page);
    },
    async subscriptionsOf(person) {
      const { homeSubscriptions } = await import("./home-subscriptions.ts");
      return homeSubscriptions(alerts, { ...person, platform }, platforms);
    },
  };
}
