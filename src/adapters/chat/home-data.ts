import type { Ask, Tone } from "../../reply/reply.ts";
import type { Text } from "../../reply/text.ts";

// The contents of the bot's own page on a platform, for the person who opens it; main reads them.

/** A user id is unique within its workspace only. */
export interface WorkspaceUser {
  readonly id: string;
  readonly workspace: string | undefined;
}

/** A party that a person has saved under a name of their own. */
export interface SavedParty {
  readonly id: string;
  readonly name: string | undefined;
}

/** How the networks stand, and what is open. */
export interface HomeStanding {
  readonly networks: readonly { readonly tone: Tone; readonly text: Text }[];
  /** The open alerts of one page, the worst first; of the last page where the page asked for is beyond it. */
  readonly open: readonly OpenAlert[];
  /** The number of open alerts on other pages. */
  readonly more: number;
  /** The number of pages. */
  readonly pages: number;
}

export interface OpenAlert {
  readonly tone: Tone;
  readonly text: Text;
  /** The command that tells its story. */
  readonly why: Ask;
  /** The command that acknowledges it; left out for an acknowledged alert, or where nobody here was told of it. */
  readonly acknowledge?: Ask;
  /** The channel that was told of it, where its acknowledgement belongs. */
  readonly channel?: string;
}

export interface Subscription {
  /** One line: its alerts, and when. The channel's name follows it. */
  readonly text: Text;
  /** The platform's id of the subscribed channel; left out for direct messages. */
  readonly channel?: string;
  /** The command that removes it; its button asks for confirmation. */
  readonly remove?: Ask;
}

/** Reads a person's data each time the tab is shown. Unreadable data is reported as temporarily unreadable. */
export interface HomeData {
  readonly savedParties: (person: WorkspaceUser) => Promise<readonly SavedParty[]>;
  readonly standing: (networks: readonly string[], person: WorkspaceUser, page: number) => Promise<HomeStanding>;
  readonly subscriptionsOf: (person: WorkspaceUser) => Promise<readonly Subscription[]>;
}
