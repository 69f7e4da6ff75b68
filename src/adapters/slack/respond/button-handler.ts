import type { BlockAction } from "@slack/bolt";

import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import { text, time } from "../../../reply/text.ts";
import { fromMillis, type Nanoseconds } from "../../../units/time.ts";
import { keptReply, type KeptPress, type Press, type ReadPress, type Show, forSharing } from "../../chat/press.ts";
import type { Progress } from "../../progress.ts";
import type { SlackContext } from "../context.ts";
import { publishHome } from "../home/home.ts";
import { sectionBlock } from "../render/blocks.ts";
import { finish, messageArguments, withoutPages } from "../render/compose.ts";
import { wantsForm } from "../render/form.ts";
import { renderText } from "../render/mrkdwn.ts";
import { renderSlack } from "../render/render.ts";
import { FileBatch, type FileDestination } from "../send/files.ts";
import { logFailure } from "../transport/api-error.ts";
import { type ResponseAddress, ResponseUrlExpired } from "../transport/response-url.ts";
import { retryRateLimited } from "../transport/web-api.ts";
import { directFileDestination } from "./answer.ts";
import { type AnswerView, answerViewOf, openAlertView, openAnswerView, viewResponder } from "./answer-view.ts";
import { openAskForm } from "./ask-form.ts";
import { errorText, openForm } from "./form-handler.ts";
import { type Asker, askerOf, callerOf, commandOf, isShared } from "./invocation.ts";
import {
  expiredNotice,
  formNotOpenedNotice,
  notSharedNotice,
  fitsByNowNotice,
  uploadingNotice,
  readValue,
} from "./notices.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { answerBy, respond, respondWith } from "./respond.ts";
import { buttonResponder, directMessageResponder } from "./responders.ts";

/** Where a button was pressed. */
interface PressPlace {
  readonly asker: Asker;
  readonly channel: string | undefined;
  readonly thread: string | undefined;
  readonly shared: boolean;
  /** Only the presser sees the message. */
  readonly ephemeral: boolean;
  /** When its message was posted. */
  readonly postedAt: Nanoseconds | undefined;
  /** Slack's id of the message, where it has one. */
  readonly message: string | undefined;
  readonly response: ResponseAddress | undefined;
  readonly trigger: string;
  /** Pressed in the home tab, which shows anew what is changed. */
  readonly home: boolean;
  /** The modal of the answer in which it was pressed. */
  readonly view: AnswerView | undefined;
}

/** Handles a pressed button, whichever process and version made it, once acknowledged. Never rejects. */
export async function handleButton(slack: SlackContext, body: BlockAction, value: string | undefined): Promise<void> {
  await logFailure(slack, "button", async () => {
    const place = pressPlaceOf(slack, body);
    const press = await readValue(slack, value);
    if (!("kind" in press)) return sayNotice(slack, place, press);
    switch (press.kind) {
      case "ids":
        return sayNotice(slack, place, expiredNotice(slack.command));
      case "form":
        if (await openPressedForm(slack, place, press.ask, press)) return undefined;
        return sayNotice(slack, place, formNotOpenedNotice(slack.command, press.ask));
      case "question":
        return openAskForm(slack, place.trigger);
      case "home":
        return publishHome(slack, place.asker, { place: { list: press.list, page: press.page } });
      case "files":
        return sendFiles(slack, place, press.ask);
      case "share":
        return press.show === undefined ? share(slack, place, press) : showKept(slack, place, press, press.show);
      case "ask":
        if (isAnsweredWithForm(slack, press.ask) && (await openPressedForm(slack, place, press.ask))) return undefined;
        if (place.home)
          return press.effect === "replace" ? actInHome(slack, place, press) : respondToHome(slack, place, press);
        return respondToAsk(slack, { ...place, view: place.view ?? (await openAlertView(slack, place, press)) }, press);
    }
  });
}

/** Posts a reply as it was shown, with who shares it and when it was asked. */
async function share(slack: SlackContext, place: PressPlace, press: KeptPress): Promise<void> {
  const shown = keptReply(press);
  if (shown === undefined) return sayNotice(slack, place, notSharedNotice(slack.command));
  const files = shown.attachments.length + (shown.picture === undefined ? 0 : 1);
  const asked =
    place.postedAt === undefined ? "" : `, asked ${renderText([time(place.postedAt)], { max: 200 }).mrkdwn}`;
  const without = files === 0 ? "" : files === 1 ? ", without its file" : `, without its ${files} files`;
  const above = `Shared by <@${place.asker.id}>${asked}${without}`;
  const request = { ...(await requestContextOf(slack, place)), above };
  const { picture: _picture, ...document } = forSharing(shown);
  await respondWith(slack, { ...document, attachments: [] }, undefined, request, "channel");
}

/** Shows a page of a kept reply, or what people read first: in its place where nobody else sees it, else beside it. */
async function showKept(
  slack: SlackContext,
  place: PressPlace,
  press: Extract<ReadPress, KeptPress>,
  show: Show,
): Promise<void> {
  const shown = keptReply(press);
  if (shown === undefined) return sayNotice(slack, place, expiredNotice(slack.command));
  const { context = {}, notes = [], above } = press;
  const own = place.ephemeral || (context.asker === place.asker.id && !place.shared);
  const message = renderSlack(shown, {
    ...context,
    asker: place.asker.id,
    command: slack.command,
    now: slack.now(),
    inView: place.view !== undefined,
    show,
  });
  let body = await finish(message, { notes, above }, slack, press.key);
  const { channel, message: ts } = place;
  const here = responderOf(slack, place, own);
  const direct = here.place().kind === "direct" ? undefined : directMessageResponder(slack, place.asker.id);
  await slack.sendAnswer("details", {
    async sayHere() {
      try {
        await here.say(body, "caller");
      } catch (error) {
        // The message can still be edited where others see it, and the app is in the channel.
        const editable = error instanceof ResponseUrlExpired && own && !place.ephemeral;
        if (!editable || channel === undefined || ts === undefined) throw error;
        await retryRateLimited(slack)(() => slack.web.chat.update({ channel, ts, ...messageArguments(body) }));
      }
    },
    sayInDirectMessage: direct && (() => direct.say(body, "caller")),
    simplify() {
      const before = body;
      body = withoutPages(before);
      return body !== before;
    },
  });
}

/** Answers a button of the home tab in a modal; where none opens, by direct message, and the tab says so. */
async function respondToHome(
  slack: SlackContext,
  place: PressPlace,
  press: Extract<Press, { kind: "ask" }>,
): Promise<void> {
  const view = await openAnswerView(slack, place.trigger, press.ask, press.channel);
  await respondToAsk(slack, { ...place, view }, press);
  if (view === undefined) await publishHome(slack, place.asker, { answered: press.ask });
}

/** Runs a button of the home tab, which then shows what came of it. */
async function actInHome(
  slack: SlackContext,
  place: PressPlace,
  { ask, channel }: Extract<Press, { kind: "ask" }>,
): Promise<void> {
  const request = await requestContextOf(slack, { ...place, channel }, ask.command);
  const responder: Responder = { ...request.responder, showProgress: () => Promise.resolve() };
  await answerBy(slack, ask, { ...request, responder }, async (reply) => {
    const { failure, title, tone } = reply;
    const words = failure === undefined ? title : text`${errorText(slack, reply)}`;
    await disposeReply(reply);
    await publishHome(slack, place.asker, { notice: { tone, text: words } });
    return true;
  });
}

/** A channel was chosen in the home tab: asks for its alerts with a form. Never rejects. */
export async function subscribeChannel(
  slack: SlackContext,
  body: BlockAction,
  channel: string | null | undefined,
): Promise<void> {
  if (channel === null || channel === undefined) return;
  await logFailure(slack, "button", async () => {
    const place = { ...pressPlaceOf(slack, body), channel };
    const ask: Ask = { command: "alerts add", options: {} };
    if (!(await openPressedForm(slack, place, ask)))
      await sayNotice(slack, place, formNotOpenedNotice(slack.command, ask));
    // The choice is empty again.
    await publishHome(slack, place.asker);
  });
}

/** Runs a button's command and answers in place of its message, or below it. */
async function respondToAsk(
  slack: SlackContext,
  place: PressPlace,
  press: Extract<Press, { kind: "ask" }>,
): Promise<void> {
  const { ask, asker, effect, fresh, invalidates } = press;
  const { stays, replaces } = placementOf(place, press);
  const again = effect === "replace" ? ({ again: true } as const) : {};
  const channel = press.channel ?? place.channel;
  // Only an alert has no asker.
  const isAlert = asker === undefined && channel !== undefined && place.message !== undefined;
  const pressed = isAlert ? { pressed: { platform: "slack", channel, message: place.message } } : {};
  const request = {
    ...(await requestContextOf(slack, { ...place, channel }, ask.command, replaces)),
    ...again,
    ...pressed,
  };
  if (place.home || place.view !== undefined) {
    await respond(slack, ask, request);
    // What was changed shows in the tab behind the modal.
    if (commandOf(slack, ask)?.changes === true) await publishHome(slack, place.asker);
    return;
  }
  const audience = place.ephemeral ? "caller" : "channel";
  if (replaces) {
    const seen = { audience, openly: audience === "channel" && effect === "replace" } as const;
    const taken = effect !== "replace" && isPosted(place);
    // Nothing of what answers a question was sent before.
    const first = fresh === true || effect !== "replace" ? ({ fresh: true } as const) : {};
    return respond(slack, ask, { ...request, ...seen, ...first, taken });
  }
  await respond(slack, ask, request);
  if (!stays || typeof invalidates !== "object") return;
  const shown = await requestContextOf(slack, { ...place, channel }, invalidates.command, true);
  await respond(slack, invalidates, { ...shown, again: true, audience });
}

/** Whether the answer may change the message of the button, and whether it takes its place. */
function placementOf(place: PressPlace, { asker, effect, invalidates }: Extract<Press, { kind: "ask" }>) {
  const isThere = place.response !== undefined;
  // Only the asker turns a message's pages; anyone else gets an answer of their own. Whoever takes an offer, it is taken.
  const stays = isThere && (asker === undefined || asker === place.asker.id || place.ephemeral);
  return { stays, replaces: (stays && effect === "replace") || (isThere && invalidates === true) };
}

/** Whether the bot itself posted the message for everybody: it answers a mention so, and nothing else, in a thread. */
function isPosted({ ephemeral, shared, thread }: PressPlace): boolean {
  return !ephemeral && shared && thread !== undefined;
}

function pressPlaceOf(slack: SlackContext, body: BlockAction): PressPlace {
  const { container } = body;
  const ephemeral = container["is_ephemeral"] === true;
  const thread: unknown = container["thread_ts"];
  const posted: unknown = container["message_ts"];
  const view = answerViewOf(body.view);
  const channel = body.channel?.id ?? view?.channel;
  return {
    asker: askerOf(slack, body),
    channel,
    thread: typeof thread === "string" ? thread : undefined,
    shared: isShared(channel, body.channel?.name === "directmessage"),
    ephemeral,
    message: typeof posted === "string" ? posted : undefined,
    postedAt:
      typeof posted === "string" && /^\d{1,12}\./u.test(posted) ? fromMillis(parseInt(posted, 10) * 1000) : undefined,
    response:
      body.response_url === "" || body.response_url === undefined
        ? undefined
        : { url: body.response_url, since: slack.now(), used: 0 },
    trigger: body.trigger_id,
    home: body.view?.type === "home",
    view,
  };
}

/** Without a command nobody looks up what the presser may do. */
async function requestContextOf(
  slack: SlackContext,
  place: PressPlace,
  command?: string,
  replaces = false,
): Promise<RequestContext> {
  const { asker, channel, thread } = place;
  const responder = responderOf(slack, place, replaces);
  return { caller: await callerOf(slack, asker, command), workspace: asker.workspace, channel, thread, responder };
}

function responderOf(
  slack: SlackContext,
  { asker, response: address, shared, thread, view }: PressPlace,
  replaces: boolean,
): Responder {
  if (view !== undefined) return viewResponder(slack, view);
  if (address === undefined) return directMessageResponder(slack, asker.id);
  return buttonResponder(slack, { address, user: asker.id, replaces, shared, thread });
}

/** Shows a notice to the presser alone. */
async function sayNotice(slack: SlackContext, place: PressPlace, notice: Reply): Promise<void> {
  await respondWith(slack, notice, undefined, await requestContextOf(slack, place), "caller");
}

/** Whether a button's question names a thing to change and nothing to change in it. */
function isAnsweredWithForm(slack: SlackContext, ask: Ask): boolean {
  const command = commandOf(slack, ask);
  return command?.edits !== undefined && wantsForm(command, ask);
}

function openPressedForm(
  slack: SlackContext,
  place: PressPlace,
  ask: Ask,
  { hints, invalidates }: Partial<Extract<Press, { kind: "form" }>> = {},
): Promise<boolean> {
  const { asker, channel, response, shared, thread, trigger, view } = place;
  const replaces = invalidates === true || undefined;
  const taken = (replaces && isPosted(place)) || undefined;
  const where = { shared, channel, thread, response, button: true as const };
  return openForm(slack, view ?? trigger, ask, { command: ask.command, ...where, replaces, taken, hints }, asker);
}

/** Runs the command again and sends the content that did not fit as files. */
async function sendFiles(slack: SlackContext, place: PressPlace, ask: Ask): Promise<void> {
  const found = await requestContextOf(slack, place, ask.command);
  const request = { ...found, again: true, audience: "caller" } as const;
  await answerBy(slack, ask, request, async (reply, _audience, progress) => {
    try {
      const { files: beyond, unkept } = renderSlack(reply, { asker: place.asker.id, ask, command: slack.command });
      const files = beyond.length === 0 ? unkept().files : beyond;
      if (reply.failure !== undefined || files.length === 0) {
        await sayNotice(slack, place, reply.failure === undefined ? fitsByNowNotice() : reply);
        return true;
      }
      progress.update(uploadingNotice(files.map(({ name }) => name)));
      return await sendBatch(slack, place, new FileBatch(files), request.responder, progress);
    } finally {
      await disposeReply(reply);
    }
  });
}

/** Sends files to the presser, and reports where they are; false when Slack was unavailable for too long. */
function sendBatch(
  slack: SlackContext,
  place: PressPlace,
  batch: FileBatch,
  responder: Responder,
  progress: Progress,
): Promise<boolean> {
  const send = async (to: Responder): Promise<void> => {
    const asked = to.place().kind === "direct" ? undefined : (place.channel ?? "");
    const there = (): Promise<FileDestination> => directFileDestination(slack, place.asker.id, asked);
    const { lines } = await batch.send(there, slack, slack.stopping);
    await progress.stop();
    await to.sayEphemeral({ text: "Files", blocks: [sectionBlock(lines)] });
  };
  const direct = directMessageResponder(slack, place.asker.id);
  return slack.sendAnswer("files", {
    sayHere: () => send(responder),
    sayInDirectMessage: responder.place().kind === "direct" ? undefined : () => send(direct),
  });
}
