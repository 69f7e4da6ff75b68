/** What the page needs before the first question: `GET /api/console`. */
export interface ConsoleInfo {
  readonly networks: readonly string[];
  /** Whether all networks are simulated. */
  readonly simulated: boolean;
  /** The platforms whose previews come with answers, and their names. */
  readonly previews: readonly string[];
  readonly previewNames: Readonly<Record<string, string>>;
  /** Whether the console needs a token. */
  readonly signedIn: boolean;
  readonly alerts: boolean;
  /** Whether looks can be asked for. */
  readonly looks: boolean;
  readonly incident: boolean;
  readonly commands: readonly CommandInfo[];
}

export interface CommandInfo {
  readonly name: string;
  readonly summary: string;
  readonly examples: readonly string[];
  /** The options without which it cannot run. */
  readonly needs: readonly string[];
  /** Whether it changes something. */
  readonly changes: boolean;
  /** Whether a file can be given to it. */
  readonly takesFile: boolean;
}
