import type { Invocation } from "../../bot/invocation.ts";
import type { Ask, Tone } from "../../reply/reply.ts";
import type { Text } from "../../reply/text.ts";

// The contents of the bot's own page on a platform, for the person who opens it; main reads them.

/** A user id is unique within its workspace only. */
export interface WorkspaceUser {
  readonly id: string;
  readonly workspace: string | undefined;
}

/** Who looks at the page, with their rights. */
export type HomeViewer = Pick<Invocation, "here" | "caller">;

/** A party that a person has saved under a name of their own. */
export interface SavedParty {
  readonly id: string;
  readonly name: string | undefined;
}

/** A line, and how good or bad the state is that it tells. */
export interface HomeLine {
  readonly tone: Tone;
  readonly text: Text;
}

/** How the networks stand, and what is open. */
export interface HomeStanding {
  /** All of it in one sentence. */
  readonly title: HomeLine;
  readonly networks: readonly HomeLine[];
  /** The open alerts of one page, the worst first; of the last page where the page asked for is beyond it. */
  readonly open: readonly OpenAlert[];
  /** The number of open alerts on other pages. */
  readonly more: number;
  /** The number of pages. */
  readonly pages: number;
  /** The silences that the viewer may see: those that hold first. */
  readonly silences: readonly HomeSilence[];
}

export interface OpenAlert extends HomeLine {
  /** The command that tells its story. */
  readonly why: Ask;
  /** The command that acknowledges it; left out for an acknowledged alert, or where nobody here was told of it. */
  readonly acknowledge?: Ask;
  /** The command that silences it for an hour; left out where it is silenced, or nobody here was told of it. */
  readonly silence?: Ask;
  /** The channel that was told of it, where acknowledging and silencing belong. */
  readonly channel?: string;
}

export interface HomeSilence {
  readonly text: Text;
  /** The command that ends it; left out where the viewer may not. */
  readonly end?: Ask;
  /** The channel that it holds for. */
  readonly channel?: string;
}

/** What tells very often, with the command whose form changes that, and the one that leaves it as it is. */
export interface HomeNoise {
  readonly text: Text;
  readonly change: Ask;
  readonly leave: Ask;
}

/** A subscription of the viewer's own, or all subscriptions of a channel. */
export interface Subscription {
  /** One line: its alerts, and when; of a channel, its name first. */
  readonly text: Text;
  /** Why nothing arrives there. */
  readonly trouble?: Text;
  /** What tells very often. */
  readonly noise?: readonly HomeNoise[];
  /** The platform's id of the subscribed channel; left out for direct messages. */
  readonly channel?: string;
  /** The command that removes it; its button asks for confirmation. */
  readonly remove?: Ask;
}

/**
 * Reads a person's data each time the page is shown. Unreadable data is reported as temporarily unreadable. Of channels
 * it gives those that the viewer may manage, and of workspaces the viewer's own.
 */
export interface HomeData {
  readonly savedParties: (person: WorkspaceUser) => Promise<readonly SavedParty[]>;
  readonly standing: (networks: readonly string[], viewer: HomeViewer, page: number) => Promise<HomeStanding>;
  readonly subscriptionsOf: (viewer: HomeViewer) => Promise<readonly Subscription[]>;
  /** A name for the state that the pages of a workspace show; ages and heights do not change it. */
  readonly state: (networks: readonly string[]) => Promise<(workspace: string | undefined) => string>;
}
