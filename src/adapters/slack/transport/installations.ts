import type { Milliseconds } from "../../../units/time.ts";
import type { Identity } from "./identity.ts";

/** The workspace, and the organisation of an Enterprise Grid, that a request comes from or a message goes to. */
export interface Origin {
  readonly team: string | undefined;
  readonly enterprise: string | undefined;
}

/** An installation of the app: in one workspace, or for a whole organisation, whose id it then has. */
export interface Installation {
  readonly id: string;
  readonly name: string | undefined;
  /** The organisation that the workspace belongs to. */
  readonly enterprise: string | undefined;
  readonly orgWide: boolean;
  readonly botToken: string;
  /** The bot's user id, as it stands in mentions. */
  readonly botUser: string | undefined;
}

/** Where the app is installed, and with which tokens. */
export interface Installations {
  /** Whether there may be any number of them: each destination then names its own (`workspace` is the installation's id). */
  readonly many: boolean;
  /** Where people install the app; undefined where it cannot be installed by a link. */
  readonly installUrl: string | undefined;
  /**
   * The installation of a workspace, else of its organisation; of an origin that names neither, the only one there is.
   * Undefined where the app is not installed, or was uninstalled. Its token is fresh: one that rotates is refreshed before.
   */
  find(origin: Origin): Promise<Installation | undefined>;
  /** The app was uninstalled, or the bot's token was revoked, at a moment in Unix milliseconds. */
  removed(id: string, at: Milliseconds): Promise<void>;
}

/** The one workspace of a bot token. Serves every request until Slack has named the workspace. */
export function singleInstallation(
  botToken: string,
  identity: Pick<Identity, "team" | "userId" | "checkNow">,
): Installations {
  return {
    many: false,
    installUrl: undefined,
    async find({ team }) {
      const { id = "", name, enterprise } = identity.team ?? {};
      if (id !== "" && team !== undefined && team !== id) return undefined;
      return { id, name, enterprise, orgWide: false, botToken, botUser: identity.userId };
    },
    removed: async () => identity.checkNow(),
  };
}
