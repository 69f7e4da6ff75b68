import { type APIEmbed, type APIMessageTopLevelComponent, MessageFlags } from "discord-api-types/v10";

import { unfolded } from "../../../reply/fold.ts";
import { fullText } from "../../../reply/full-text.ts";
import type { MessageFile, Reply } from "../../../reply/reply.ts";
import { toText } from "../../../reply/text.ts";
import { keptPress, missingButtons, type Press, type PressStorage, storePresses } from "../../chat/press.ts";
import type { KeptOffer } from "../../chat/button-plan.ts";
import type { CommandMention } from "../command-mentions.ts";
import { CONTENT_LENGTH, MAX_FILES } from "../limits.ts";
import { attachmentsOf } from "../transport/upload.ts";
import { indexOfUnstored, type MessageContext, type PressIds } from "./buttons.ts";
import { renderEmbed } from "./embed.ts";
import { type FileContext, fitFiles, tooLargeText } from "./files.ts";
import { renderText } from "./markdown.ts";
import { storedPressId } from "./press.ts";
import { type AnswerForm, assemble, COMPONENTS_V2, NOTES_LENGTH, renderAnswer } from "./render.ts";

/** A message ready for Discord's REST interface, with its files. */
export interface ComposedMessage {
  readonly body: {
    /** Absent from a message of components alone, as are embeds. */
    readonly content?: string;
    readonly embeds?: readonly APIEmbed[];
    readonly components: readonly APIMessageTopLevelComponent[];
    readonly allowed_mentions: { readonly parse: never[]; readonly roles?: string[]; readonly users?: string[] };
    readonly attachments: ReturnType<typeof attachmentsOf>;
    readonly flags?: number;
  };
  readonly files: readonly MessageFile[];
}

/** Its disposal removes the archives made for sending; the caller disposes of the reply's own files. */
type DisposableMessage = ComposedMessage & AsyncDisposable;

/** `<@&`, 20 digits, `>` and the end of the line. */
const MENTION_LENGTH = 25;

export const EPHEMERAL: number = MessageFlags.Ephemeral;
export const SILENT: number = MessageFlags.SuppressNotifications;

export interface ComposeDependencies extends PressStorage, FileContext {
  /** How commands are mentioned where the message goes. */
  readonly mention?: CommandMention | undefined;
  /** Unix milliseconds. */
  now(): number;
}

/**
 * Renders an answer as components and makes it ready to send: long presses stored, the reply kept where it folds or can
 * be shared, files fitted. Rejects only with the signal's reason.
 */
export async function compose(
  reply: Reply,
  context: MessageContext,
  dependencies: ComposeDependencies,
): Promise<DisposableMessage> {
  const { mention } = dependencies;
  const { folded, firstFiles: files, picture, unkept } = renderAnswer(reply, { ...context, mention });
  const keeps = folded.unstored.values().some(({ kind }) => kind === "kept");
  const key = keeps ? await keep(reply, context, dependencies) : undefined;
  // Details of a reply that is not kept would lead nowhere: what it says below the fold is a file.
  const chosen = keeps && key === undefined ? unkept() : { form: folded, files };
  const [fitted, { form, missing }] = await Promise.all([
    fitFiles(chosen.files, dependencies),
    store(chosen.form, key, dependencies),
  ]);
  const length = (chosen.files.length === 0 ? NOTES_LENGTH.none : NOTES_LENGTH.files) - missing.length - 1;
  const tooLarge = tooLargeText(fitted, length);
  const notes = [tooLarge, missing].filter((part) => part !== "").join("\n");
  const names = fitted.files.map(({ name }) => name);
  return {
    body: {
      components: assemble(form, { names, picture, notes }),
      allowed_mentions: { parse: [] },
      attachments: attachmentsOf(fitted.files),
      flags: COMPONENTS_V2,
    },
    files: fitted.files,
    [Symbol.asyncDispose]: () => fitted.dispose(),
  };
}

/** A form of a reply for a message that has its files already; without `key`, of one that is not kept. */
export async function composeKept(
  form: AnswerForm,
  key: string | undefined,
  files: { readonly names: readonly string[]; readonly picture: string | undefined },
  dependencies: ComposeDependencies,
): Promise<Pick<ComposedMessage["body"], "components" | "allowed_mentions" | "flags">> {
  const { form: stored, missing } = await store(form, key, dependencies);
  const names = files.names.slice(0, MAX_FILES);
  return {
    components: assemble(stored, { names, picture: files.picture, notes: missing }),
    allowed_mentions: { parse: [] },
    flags: COMPONENTS_V2,
  };
}

/**
 * Renders an alert, or an answer that comes by direct message, as an embed below its headline and makes it ready to send:
 * the notification of a message of components alone is blank (https://github.com/discord/discord-api-docs/issues/7854).
 */
export async function composeNotifying(
  reply: Reply,
  context: Pick<MessageContext, "ask" | "asker">,
  dependencies: Omit<ComposeDependencies, "now">,
): Promise<DisposableMessage> {
  const message = renderEmbed(unfolded(reply), { ...context, mention: dependencies.mention });
  const [stored, fitted] = await Promise.all([
    storeAll(message.unstored, undefined, dependencies),
    fitFiles(message.files, dependencies),
  ]);
  const missing = missingButtons(stored.missing);
  const { content } = message;
  const length = CONTENT_LENGTH - content.length - MENTION_LENGTH - missing.length - 3;
  const tooLarge = tooLargeText(fitted, length);
  const names = new Set(fitted.files.map((file) => `attachment://${file.name}`));
  return {
    body: {
      content: [content, tooLarge, missing].filter((part) => part !== "").join("\n"),
      embeds: message.embeds.map(({ image, ...embed }) =>
        image === undefined || !names.has(image.url) ? embed : { ...embed, image },
      ),
      components: withIds(message.components, stored.ids),
      allowed_mentions: { parse: [] },
      attachments: attachmentsOf(fitted.files),
    },
    files: fitted.files,
    [Symbol.asyncDispose]: () => fitted.dispose(),
  };
}

/** A reply as escaped text alone, cut to one message: for a message whose usual form Discord refused. */
export function composePlain(reply: Reply): DisposableMessage {
  // Room for a mention above it.
  const max = CONTENT_LENGTH - MENTION_LENGTH;
  const { markdown } = renderText(toText(fullText(reply)), { max, lines: true });
  const body = { content: markdown, embeds: [], components: [], allowed_mentions: { parse: [] }, attachments: [] };
  return { body, files: [], [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** Keeps a reply for a day; the key, or undefined where it is too long, or the store does not take it in time. */
export async function keep(
  reply: Reply,
  context: MessageContext,
  dependencies: ComposeDependencies,
  at = dependencies.now(),
): Promise<string | undefined> {
  const press = keptPress(reply, context, at);
  if (press.shown === undefined) return undefined;
  return (await storePresses("discord", [["kept", press]], dependencies)).get("kept");
}

/** A form with its final custom_ids, without the buttons that could not be stored, and a sentence about these. */
async function store(
  form: AnswerForm,
  key: string | undefined,
  dependencies: PressStorage,
): Promise<{ readonly form: AnswerForm; readonly missing: string }> {
  const { ids, missing } = await storeAll(form.unstored, key, dependencies);
  return {
    form: { ...form, body: withIds(form.body, ids), rows: withIds(form.rows, ids) },
    missing: missingButtons(missing),
  };
}

/** Stores presses; the final custom_id by the temporary one, undefined where there is none. */
async function storeAll(
  unstored: PressIds["unstored"],
  key: string | undefined,
  dependencies: PressStorage,
): Promise<{ readonly ids: ReadonlyMap<string, string | undefined>; readonly missing: number }> {
  const entries = [...unstored];
  const isPress = (one: [string, Press | KeptOffer]): one is [string, Press] => one[1].kind !== "kept";
  const keys = await storePresses("discord", entries.filter(isPress), dependencies);
  const ids = new Map(
    entries.map(([standIn, press]) => {
      const [stored, show] = press.kind === "kept" ? [key, press.show] : [keys.get(standIn)];
      const id = stored === undefined ? undefined : storedPressId({ key: stored, show }, indexOfUnstored(standIn));
      return [standIn, id];
    }),
  );
  const missed = entries.filter(([standIn]) => ids.get(standIn) === undefined);
  return { ids, missing: missed.length };
}

/** Components with their final ids, at any depth, without those that have none. */
function withIds<T>(components: readonly T[], ids: ReadonlyMap<string, string | undefined>): T[] {
  return components.flatMap((component) => {
    const given = component as { custom_id?: string; components?: unknown[]; accessory?: { custom_id?: string } };
    if (given.custom_id !== undefined && ids.has(given.custom_id)) {
      const id = ids.get(given.custom_id);
      return id === undefined ? [] : [{ ...component, custom_id: id }];
    }
    if (given.accessory !== undefined) {
      const [accessory] = withIds([given.accessory], ids);
      // A section must have its button; without, its text remains.
      return accessory === undefined ? (given.components as T[]) : [{ ...component, accessory }];
    }
    if (given.components === undefined) return [component];
    const inner = withIds(given.components, ids);
    return inner.length === 0 ? [] : [{ ...component, components: inner }];
  });
}
