import type { KnownBlock, ModalView } from "@slack/types";
import { z } from "zod";

import { withTimeout } from "../../../units/time.ts";
import type { Immutable } from "../../../reply/document.ts";
import type { Ask } from "../../../reply/reply.ts";
import { parseJson } from "../../chat/parse-json.ts";
import type { Press } from "../../chat/press.ts";
import type { SlackContext } from "../context.ts";
import type { MessageBody } from "../render/compose.ts";
import { plainTextObject } from "../render/form-fields.ts";
import { renderSlack } from "../render/render.ts";
import { describeError } from "../transport/api-error.ts";
import { type CallPolicy, retryRateLimited, type WebApiAccess, withoutRetry } from "../transport/web-api.ts";
import { commandOf } from "./invocation.ts";
import { workingNotice } from "./notices.ts";
import type { Responder } from "./request-context.ts";

// A modal that shows an answer: to what is asked in the home tab, or from Slack's shortcuts, where no message could.

export const ANSWER_CALLBACK_ID = "answer";

const Metadata = z.object({
  v: z.literal(1),
  /** The channel that it is about. */
  channel: z.string().optional(),
});

/** An answer's modal that stands open, and the channel that it is about. */
export interface AnswerView extends Immutable<Omit<z.infer<typeof Metadata>, "v">> {
  readonly id: string;
}

/** The modal in which something was pressed, where it shows an answer. */
export function answerViewOf(
  view: { readonly id: string; readonly callback_id: string; readonly private_metadata: string } | undefined,
): AnswerView | undefined {
  if (view?.callback_id !== ANSWER_CALLBACK_ID) return undefined;
  const { channel } = Metadata.safeParse(parseJson(view.private_metadata)).data ?? {};
  return { id: view.id, channel };
}

/** A modal with an answer. */
export function answerModal(blocks: readonly KnownBlock[], channel: string | undefined): ModalView {
  return {
    type: "modal",
    callback_id: ANSWER_CALLBACK_ID,
    title: plainTextObject("Bellwether", 24),
    close: plainTextObject("Close", 24),
    private_metadata: JSON.stringify({ v: 1, channel }),
    blocks: [...blocks],
  };
}

/** The modal while its answer is being fetched. */
export function waitingView(slack: SlackContext, ask: Ask, channel: string | undefined): ModalView {
  const { network = slack.bot.networks[0] } = ask.options;
  const notice = workingNotice(ask, String(network), false);
  return answerModal(renderSlack(notice, { command: slack.command, inView: true }).blocks, channel);
}

/** Opens a modal for an answer that is to come; undefined where Slack opens none in time. Never rejects. */
export async function openAnswerView(
  slack: SlackContext,
  trigger: string,
  ask: Ask,
  channel: string | undefined,
): Promise<AnswerView | undefined> {
  const id = await showView(slack, trigger, ask.command, () => waitingView(slack, ask, channel));
  return id === undefined ? undefined : { id, channel };
}

/** Opens the modal for what is asked at an alert: each press would leave one more copy beside it. Never rejects. */
export async function openAlertView(
  slack: SlackContext,
  at: { readonly message: string | undefined; readonly trigger: string; readonly channel: string | undefined },
  { ask, asker, channel = at.channel }: Extract<Press, { kind: "ask" }>,
): Promise<AnswerView | undefined> {
  const isAlert = asker === undefined && at.message !== undefined;
  if (!isAlert || commandOf(slack, ask)?.changes === true) return undefined;
  return openAnswerView(slack, at.trigger, ask, channel);
}

/**
 * Opens a modal, or changes one that is open, and gives its id; undefined where Slack does not do it in time. Never
 * rejects.
 */
export async function showView(
  slack: SlackContext,
  where: string | Pick<AnswerView, "id">,
  command: string,
  viewOf: () => ModalView | Promise<ModalView>,
): Promise<string | undefined> {
  const show = async () => {
    const view = await viewOf();
    return typeof where === "string"
      ? slack.web.views.open({ trigger_id: where, view })
      : slack.web.views.update({ view_id: where.id, view });
  };
  try {
    const shown = await withTimeout(show(), slack.triggerMillis);
    return shown.view?.id;
  } catch (error) {
    slack.log.warn({ platform: "slack", command, why: describeError(error) }, "form not opened");
    return undefined;
  }
}

/**
 * Answers in a modal; each answer takes the place of the one before. `settled`: when Slack shows that modal, which an
 * acknowledgement may have changed just now. An answer to a modal that is closed meanwhile is a direct message.
 */
export function viewResponder(api: WebApiAccess, { id, channel }: AnswerView, settled = Promise.resolve()): Responder {
  const show = async ({ blocks }: MessageBody, call: CallPolicy): Promise<void> => {
    await settled;
    await call(() => api.web.views.update({ view_id: id, view: answerModal(blocks, channel) }));
  };
  const say = (body: MessageBody): Promise<void> => show(body, retryRateLimited(api));
  return {
    place: () => ({ kind: "view", id, channel }),
    showProgress: (body) => show(body, withoutRetry),
    say,
    sayEphemeral: say,
  };
}
