import type { Ask } from "../../../reply/reply.ts";
import type { Text } from "../../../reply/text.ts";

// Data of the home tab, read through ports that main implements.

/** A user id is unique within its workspace only. */
export interface SlackUser {
  readonly id: string;
  readonly workspace: string | undefined;
}

/** A party that a person has saved under a name of their own. */
export interface SavedParty {
  readonly id: string;
  readonly name: string | undefined;
}

export interface Subscription {
  /** One line: its alerts, and when. The channel's name follows it. */
  readonly text: Text;
  /** Slack's id of the subscribed channel; left out for direct messages. */
  readonly channel?: string;
  /** The command that removes it, behind a button that asks first. */
  readonly remove?: Ask;
}

/** Reads a person's data each time the tab is shown. Unreadable data is reported as temporarily unreadable. */
export interface HomeData {
  readonly savedParties: (person: SlackUser) => Promise<readonly SavedParty[]>;
  /** Left out where nobody can subscribe to anything. */
  readonly subscriptionsOf?: (person: SlackUser) => Promise<readonly Subscription[]>;
}
