import { isDeepStrictEqual } from "node:util";

import { type ButtonAction, detailPages } from "../../reply/fold.ts";
import type { Action, Ask, Reply } from "../../reply/reply.ts";
import type { PreviewPress } from "../adapter.ts";
import type { KeptContext, Press, Show } from "./press.ts";

/** A button that a message offers. A platform draws it within its limits. */
export type Offer =
  | { readonly kind: "action"; readonly action: Action }
  | { readonly kind: "press"; readonly label: string; readonly press: Press }
  /** A button that works on the kept reply. */
  | KeptOffer;

export interface KeptOffer {
  readonly kind: "kept";
  /** `Details`, `Less`, `Share`, or the name of a page. */
  readonly label: string;
  /** Left out for Share. */
  readonly show?: Show;
}

type Purpose = "form" | "fold" | "actions" | "share" | "again" | "files";

/** How much of a message is offered. */
export interface Offered {
  /** Where a message shows less than all of its reply: how much. */
  readonly fold?: Show | undefined;
  /** The names of its pages, where it has several. */
  readonly pages?: readonly string[];
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
  { fold, kept, files = false, pages = [] }: Offered,
  order: readonly Purpose[],
): Offer[] {
  const label = refreshLabel(reply, ask);
  const fresh = reply.failure === undefined ? {} : ({ fresh: true } as const);
  const shares = shareable === true && reply.failure === undefined && reply.asks === undefined;
  const press = (name: string, meant: Press): Offer => ({ kind: "press", label: name, press: meant });
  const own = reply.actions.filter(isRefresh);
  const again =
    ask === undefined || label === undefined
      ? own.map(({ label: name, invocation }) =>
          press(name, { kind: "ask", ask: invocation, effect: "replace", asker }),
        )
      : [press(label, { kind: "ask", ask, effect: "replace", asker, ...fresh })];
  const offers: Record<Purpose, readonly Offer[]> = {
    form: form === undefined ? [] : [press(formLabel(reply), { kind: "form", ask: form })],
    fold: fold === undefined ? [] : foldOffers(fold, pages),
    actions: withoutRefresh(reply.actions).map((action) => ({ kind: "action", action })),
    share: shares ? [kept ? { kind: "kept", label: "Share" } : press("Share", { kind: "share" })] : [],
    again,
    files: ask === undefined || !files ? [] : [press(SEND_FILES, { kind: "files", ask })],
  };
  return order.flatMap((purpose) => offers[purpose]);
}

/** The label of the form: beside a menu it is for the values that the menu does not have. */
function formLabel({ actions }: Reply): string {
  return actions.some((action) => "choices" in action) ? "Other values" : "Fill in";
}

/** The way to the details, or to their other pages and back. */
function foldOffers(fold: Show, pages: readonly string[]): KeptOffer[] {
  if (fold === "folded") return [{ kind: "kept", label: "Details", show: "whole" }];
  const open = fold === "whole" ? 0 : fold;
  const others = pages.flatMap((label, at): KeptOffer[] => (at === open ? [] : [{ kind: "kept", label, show: at }]));
  return [...others, { kind: "kept", label: "Less", show: "folded" }];
}

/**
 * The label of the button that asks again, if an answer gets one: not where the reply offers the same itself, where
 * asking again costs much or leads to the same mistake, or without `ask`.
 */
function refreshLabel(reply: Reply, ask: Ask | undefined): "Refresh" | "Ask again" | undefined {
  if (ask === undefined || ask.command === "help" || reply.attachments.length > 0 || reply.failure === "caller") {
    return undefined;
  }
  if (reply.asks === true || hasRefreshAction(reply, ask)) return undefined;
  return reply.failure === undefined ? "Refresh" : "Ask again";
}

/** A reply's own Refresh, which has the place of the one that an answer gets. */
function isRefresh(action: Action): action is Exclude<ButtonAction, { url: string }> {
  return "invocation" in action && action.effect === "replace" && action.label === "Refresh";
}

/** What a reply offers beside it. */
export function withoutRefresh(actions: readonly Action[]): Action[] {
  return actions.filter((action) => !isRefresh(action));
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

/** What a button of a kept reply does on the console, if it does anything there. */
export function foldPress(show: Show | undefined): PreviewPress[] {
  if (show === undefined) return [];
  return [typeof show === "number" ? { fold: true, page: show } : { fold: true }];
}

/** A message as `draw` draws it: what people read first, and the pages that Details leads to. */
export function previewOf(reply: Reply, draw: (show: Show) => object): object {
  const folded = draw("folded");
  const [whole, ...pages] = detailPages(reply).map((_, at) => draw(at === 0 ? "whole" : at));
  if (JSON.stringify(folded) === JSON.stringify(whole)) return folded;
  return { ...folded, whole, ...(pages.length === 0 ? {} : { pages }) };
}
