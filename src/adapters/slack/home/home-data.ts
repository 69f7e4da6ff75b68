import type { Ask } from "../../../reply/reply.ts";
import type { Text } from "../../../reply/text.ts";

// What the home tab shows of somebody, through doors that main opens.

/** Somebody on Slack. A user id is unique within its workspace only. */
export interface SlackUser {
  readonly id: string;
  readonly workspace: string | undefined;
}

/** A party that somebody keeps under a name of their own. */
export interface SavedParty {
  readonly id: string;
  readonly name: string | undefined;
}

/** Something that somebody, or a channel, is told of without asking each time. */
export interface Subscription {
  /** What is told, and when: one line. The channel's name follows it. */
  readonly text: Text;
  /** Slack's id of the channel that is told; left out for their direct messages. */
  readonly channel?: string;
  /** What ends it. It stands behind a button that asks first. */
  readonly remove?: Ask;
}

/** What is kept for people, asked anew at each look. What rejects is said to be unreadable for the moment. */
export interface HomeData {
  readonly savedParties: (person: SlackUser) => Promise<readonly SavedParty[]>;
  /** Left out where nobody can subscribe to anything. */
  readonly subscriptionsOf?: (person: SlackUser) => Promise<readonly Subscription[]>;
}
