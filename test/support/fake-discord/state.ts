import type {
  APIApplicationCommand,
  APIEmbed,
  APIMessageTopLevelComponent,
  APIModalInteractionResponseCallbackData,
} from "discord-api-types/v10";

export interface StoredFile {
  /** Given by Discord once it is stored. */
  readonly id?: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly type: string;
  readonly bytes: Buffer;
}

export interface StoredMessage {
  readonly id: string;
  readonly channel: string;
  /** The only one who sees it; undefined = all of the channel. */
  readonly onlyFor: string | undefined;
  /** "… is thinking". */
  thinking: boolean;
  /** The first line as it was posted, before any edit. */
  readonly postedAs: string;
  /** All of it, as it was posted. */
  readonly postedWhole: string;
  content: string;
  embeds: APIEmbed[];
  components: APIMessageTopLevelComponent[];
  files: StoredFile[];
  flags: number;
  edits: number;
  readonly nonce: string | undefined;
  /** Whom it notified. */
  pinged: string[];
  readonly sentAt: number;
  editedAt: number | undefined;
  /** The command that made it. */
  readonly command: string | undefined;
  /** The message of a person that it replies to. */
  readonly repliesTo: string | undefined;
}

export interface StoredInteraction {
  readonly id: string;
  readonly token: string;
  readonly kind: "command" | "press" | "complete" | "submit";
  readonly user: string;
  readonly channel: string;
  readonly createdAt: number;
  readonly realCreatedAt: number;
  readonly maxBytes: number;
  readonly command: string | undefined;
  acknowledged: boolean;
  /** Real milliseconds from creation to acknowledgement. */
  acknowledgedAfter: number | undefined;
  /** What @original is: the answer, or the message of the pressed button. */
  original: string | undefined;
  choices: { name: string; value: string }[] | undefined;
  /** The form that it opened. */
  modal: APIModalInteractionResponseCallbackData | undefined;
  /** Messages that came of it, in order. */
  readonly produced: string[];
}

export interface Channel {
  readonly id: string;
  readonly guild: string | undefined;
  /** The person at the other end of direct messages. */
  readonly recipient: string | undefined;
  /** Of a thread. */
  name?: string;
  /** Of a thread: who began it; left out, the bot. */
  readonly owner?: string;
  /** How often a thread was renamed. */
  renamed?: number;
  gone: "deleted" | "no-access" | undefined;
  /** The bot lacks Read Message History there. */
  noHistory?: true;
}

/** What Discord remembers. */
export class State {
  readonly applicationId = "900000000000000001";
  token = "ZmFrZS1hcHBsaWNhdGlvbg.ZmFrZQ.ZmFrZS10b2tlbi1vZi1kaXNjb3Jk";
  /** What its portal page says of the application, beside the id. */
  application: Record<string, unknown> = {};
  readonly messages = new Map<string, StoredMessage>();
  readonly interactions = new Map<string, StoredInteraction>();
  /** The channels of what people wrote, by message. */
  readonly written = new Map<string, string>();
  readonly channels = new Map<string, Channel>();
  /** Permissions of roles, by their ids; nobody has any by the role of everyone but to see channels. */
  readonly roles = new Map<string, bigint>();
  readonly commands = new Map<string, APIApplicationCommand[]>();
  readonly nonces = new Map<string, { message: string; at: number }>();
  /** Whatever Discord would have refused, and whatever nobody may do; a test ends with none. */
  readonly violations: string[] = [];
  #offset = 0;
  #count = 0n;

  /** Unix milliseconds; only what lives long (tokens, nonces) goes by it. */
  now(): number {
    return Date.now() + this.#offset;
  }

  advance(millis: number): void {
    this.#offset += millis;
  }

  snowflake(): string {
    this.#count += 1n;
    return (((BigInt(this.now()) - 1_420_070_400_000n) << 22n) | (this.#count & 0x3f_ffffn)).toString();
  }

  visibleTo(user: string, channel: string): StoredMessage[] {
    return [...this.messages.values()].filter(
      (one) => one.channel === channel && (one.onlyFor === undefined || one.onlyFor === user),
    );
  }
}
