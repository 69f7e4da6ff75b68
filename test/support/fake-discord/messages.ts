import type { SentMessage } from "./check-message.ts";
import { componentsIn, textsIn } from "../../adapters/discord/judge.ts";
import type { Edited } from "./check-message.ts";
import type { State, StoredFile, StoredMessage } from "./state.ts";

/** Where a message stands, and what is known of how it came there. */
interface Origin {
  readonly channel: string;
  /** The only one who sees it; left out = all of the channel. */
  readonly onlyFor?: string | undefined;
  readonly command?: string | undefined;
  readonly nonce?: string | undefined;
  readonly repliesTo?: string | undefined;
}

/** Keeps a new message; without content it is still thinking. */
export function store(state: State, origin: Origin, message: SentMessage | undefined): StoredMessage {
  const { channel, onlyFor, command, nonce, repliesTo } = origin;
  const stored: StoredMessage = {
    id: state.snowflake(),
    channel,
    onlyFor,
    thinking: message === undefined,
    postedAs: message?.embeds?.[0]?.title ?? message?.content ?? textsIn(message?.components ?? [])[0] ?? "",
    postedWhole: JSON.stringify(message ?? {}),
    content: message?.content ?? "",
    embeds: message?.embeds ?? [],
    components: message?.components ?? [],
    files: withIds(state, message?.files ?? []),
    flags: (message?.flags ?? 0) | (onlyFor === undefined ? 0 : 64),
    edits: 0,
    nonce,
    pinged: message?.pinged ?? [],
    sentAt: state.now(),
    editedAt: undefined,
    command,
    repliesTo,
  };
  state.messages.set(stored.id, stored);
  return stored;
}

function withIds(state: State, files: readonly StoredFile[]): StoredFile[] {
  return files.map((file) => ({ ...file, id: file.id ?? state.snowflake() }));
}

/** Changes what an edit names; the rest stays. */
export function change(state: State, stored: StoredMessage, message: SentMessage): void {
  stored.thinking = false;
  stored.edits += 1;
  stored.editedAt = state.now();
  if (message.content !== undefined) stored.content = message.content;
  if (message.embeds !== undefined) stored.embeds = message.embeds;
  if (message.components !== undefined) stored.components = message.components;
  if (message.files !== undefined) stored.files = withIds(state, message.files);
  stored.flags |= message.flags & IS_COMPONENTS_V2;
  stored.pinged.push(...message.pinged);
}

const IS_COMPONENTS_V2 = 32_768;

/** A message before it is edited, as far as the edit depends on it. */
export function edited({ files, thinking, flags }: StoredMessage): Edited {
  return { files, isV2: thinking ? undefined : (flags & IS_COMPONENTS_V2) !== 0 };
}

/** Components as Discord gives them, with ids of their own and files under its addresses. */
function shownComponents(components: readonly object[], address: (name: string) => string): unknown {
  const given = structuredClone(components);
  for (const [index, one] of componentsIn(given).entries()) {
    Object.assign(one, { id: index + 1 });
    for (const media of [one.file, ...(one.items ?? []).map((item) => item.media)]) {
      if (media !== undefined) Object.assign(media, { url: address(media.url.replace("attachment://", "")) });
    }
  }
  return given;
}

/** A message as Discord gives it, with pictures and files under addresses of its own. */
export function shown(state: State, message: StoredMessage, origin = ""): Record<string, unknown> {
  const fileOf = (url: string): StoredFile | undefined =>
    message.files.find(({ name }) => url === `attachment://${name}`);
  const address = (name: string): string =>
    `${origin}/cdn/attachments/${message.channel}/${message.files.find((file) => file.name === name)?.id}/${name}`;
  const inEmbeds = message.embeds.map((embed) => fileOf(embed.image?.url ?? ""));
  return {
    id: message.id,
    channel_id: message.channel,
    type: message.command === undefined ? 0 : 20,
    author: { id: state.applicationId, username: "Bellwether", bot: true },
    content: message.content,
    embeds: message.embeds.map((embed) => ({
      type: "rich",
      ...embed,
      ...(embed.image === undefined
        ? {}
        : { image: { url: address(embed.image.url.replace("attachment://", "")), width: 1, height: 1 } }),
    })),
    components: shownComponents(message.components, address),
    // https://github.com/discord/discord-api-docs/issues/1340
    attachments: message.files
      .filter((file) => !inEmbeds.includes(file))
      .map((file) => ({
        id: file.id,
        filename: file.name,
        size: file.bytes.length,
        content_type: file.type,
        url: address(file.name),
        ...(file.description === undefined ? {} : { description: file.description }),
      })),
    flags: message.flags,
    timestamp: new Date(message.sentAt).toISOString(),
    edited_timestamp: message.editedAt === undefined ? null : new Date(message.editedAt).toISOString(),
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
  };
}
