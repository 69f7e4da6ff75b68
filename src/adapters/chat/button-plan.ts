import { isDeepStrictEqual } from "node:util";

import type { Action, Ask, Reply } from "../../reply/reply.ts";
import type { KeptContext, Press, Show } from "./press.ts";

/** A button that a message offers. A platform draws it within its limits. */
export type Offer =
  | { readonly kind: "action"; readonly action: Action }
  | { readonly kind: "press"; readonly label: string; readonly press: Press }
  /** A button that works on the kept reply. */
  | KeptOffer;

export interface KeptOffer {
  readonly kind: "kept";
  readonly label: "Details" | "Less" | "Share";
  /** Left out for Share. */
  readonly show?: Show;
}

type Purpose = "form" | "fold" | "actions" | "share" | "again" | "files";

interface Offered {
  /** Where a message shows less than all of its reply, or all of it. */
  readonly fold?: Show | undefined;
  /** The reply can be kept. */
  readonly kept: boolean;
  /** Content is sent as files only when somebody asks for it. */
  readonly files?: boolean;
}

export const SEND_FILES = "Send as file";

/** The buttons that a reply offers in its context, for these purposes and in their order. */
export function planButtons(
  reply: Reply,
  { ask, asker, form, shareable }: KeptContext,
  { fold, kept, files = false }: Offered,
  order: readonly Purpose[],
): Offer[] {
  const label = refreshLabel(reply, ask);
  const fresh = reply.failure === undefined ? {} : ({ fresh: true } as const);
  const shares = shareable === true && reply.failure === undefined;
  const press = (name: string, meant: Press): Offer => ({ kind: "press", label: name, press: meant });
  const folding: Record<Show, KeptOffer> = {
    whole: { kind: "kept", label: "Less", show: "folded" },
    folded: { kind: "kept", label: "Details", show: "whole" },
  };
  const again =
    ask === undefined || label === undefined
      ? []
      : [press(label, { kind: "ask", ask, effect: "replace", asker, ...fresh })];
  const offers: Record<Purpose, readonly Offer[]> = {
    form: form === undefined ? [] : [press("Fill in", { kind: "form", ask: form })],
    fold: fold === undefined ? [] : [folding[fold]],
    actions: reply.actions.map((action) => ({ kind: "action", action })),
    share: shares ? [kept ? { kind: "kept", label: "Share" } : press("Share", { kind: "share" })] : [],
    again,
    files: ask === undefined || !files ? [] : [press(SEND_FILES, { kind: "files", ask })],
  };
  return order.flatMap((purpose) => offers[purpose]);
}

/**
 * The label of the button that asks again, if an answer gets one: not where the reply offers the same itself, where
 * asking again costs much or leads to the same mistake, or without `ask`.
 */
function refreshLabel(reply: Reply, ask: Ask | undefined): "Refresh" | "Ask again" | undefined {
  if (ask === undefined || ask.command === "help" || reply.attachments.length > 0 || reply.failure === "caller") {
    return undefined;
  }
  if (hasRefreshAction(reply, ask)) return undefined;
  return reply.failure === undefined ? "Refresh" : "Ask again";
}

/** Whether a reply offers to ask again in its own place. */
export function hasRefreshAction(reply: Reply, ask: Ask): boolean {
  return reply.actions.some(
    (action) =>
      "invocation" in action &&
      action.effect === "replace" &&
      (action.label === "Refresh" || isDeepStrictEqual(askOf(action.invocation), askOf(ask))),
  );
}

function askOf({ command, options }: Ask): Ask {
  return { command, options: { ...options } };
}
