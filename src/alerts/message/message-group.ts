import type { Episode } from "../judge/rules/episode.ts";
import type { AlertMessage } from "./message.ts";

/** How many subjects of a group its message names; a file has all of more. */
export const NAMED_SUBJECTS = 10;

/** All that one message says. */
export interface MessageGroup {
  /** The delivery of the message. */
  readonly id: string;
  /** As they stand now at its destination: first the message's own, then the others in the order in which they joined it. */
  readonly episodes: readonly Episode[];
  /** What of it is more than how those episodes stand, in the same order. */
  readonly notices: readonly AlertMessage[];
  /** Each of its episodes was over before the message was sent. */
  readonly merged?: true;
}

/** Several episodes of one kind; the others are what happened in the course of the first. */
export function isOfOneKind({ episodes: [first, ...rest] }: MessageGroup): boolean {
  return rest.length > 0 && rest.every(({ kind }) => kind === first?.kind);
}

/** Names what a group says now, in the button of its message; `readReference` reads it. */
export function groupReference({ id, episodes }: MessageGroup): string {
  return `group:${id}:${episodes.length}`;
}

/** The delivery and the number of a group's reference; undefined for any other text. */
export function readReference(text: string): { readonly id: string; readonly count: number } | undefined {
  const [, id, count] = /^group:([\w-]+):(\d+)$/u.exec(text.trim()) ?? [];
  return id === undefined ? undefined : { id, count: Number(count) };
}
