import type { BlockAction, ButtonAction } from "@slack/bolt";

import { type Ask, disposeReply, type Reply } from "../../../reply/reply.ts";
import type { Milliseconds } from "../../../units/duration.ts";
import { withTimeout } from "../../timeout.ts";
import type { SlackContext } from "../context.ts";
import { publishHome } from "../home/home.ts";
import { sectionBlock } from "../render/blocks.ts";
import { decodePress, type Press } from "../render/buttons.ts";
import { renderSlack } from "../render/render.ts";
import { FileBatch } from "../send/files.ts";
import { logFailure } from "../transport/api-error.ts";
import { type ResponseAddress, ResponseUrl } from "../transport/response-url.ts";
import { directFileDestination } from "./answer.ts";
import { isShared } from "./command-handler.ts";
import { editableDirectMessage } from "./editable-message.ts";
import { openForm } from "./form-handler.ts";
import { type Asker, callerOf, plainCaller, prepare } from "./invocation.ts";
import { expiredNotice, formNotOpenedNotice, nothingLeftOutNotice, unreadableNotice } from "./notices.ts";
import type { RequestContext, Responder } from "./request-context.ts";
import { notifyLostAnswer, respond, respondWith, sayWithRetries } from "./respond.ts";
import { ButtonResponder, DirectMessageResponder } from "./responders.ts";

/** Where a button was pressed. */
interface PressPlace {
  readonly asker: Asker;
  readonly channel: string | undefined;
  readonly thread: string | undefined;
  readonly shared: boolean;
  /** Only the presser sees the message. */
  readonly ephemeral: boolean;
  readonly response: ResponseAddress | undefined;
  readonly trigger: string;
  /** The home tab, which must show what a press there has changed. */
  readonly home: boolean;
}

/** Within this the store says what a button means; what it opens must stand within three seconds. */
const PRESS_READ_TIMEOUT_MILLIS: Milliseconds = 1000;

/** Does what a button says, whichever process and version made it. It has been acknowledged. Never rejects. */
export async function handleButton(desk: SlackContext, body: BlockAction, action: ButtonAction): Promise<void> {
  await logFailure(desk, "button", async () => {
    const place = pressPlaceOf(desk, body);
    const press = await readPress(desk, action.value);
    if (!("kind" in press)) return sayNotice(desk, place, press);
    switch (press.kind) {
      case "form":
        return openPressedForm(desk, place, press.ask);
      case "files":
        return sendFiles(desk, place, press.ask);
      case "share": {
        const above = `Shared by <@${place.asker.id}>`;
        const origin = await requestContextOf(desk, place, press.ask, false);
        return respond(desk, press.ask, { ...origin, audience: "channel", above });
      }
      case "ask":
        await respondToAsk(desk, place, press);
        if (place.home) await publishHome(desk, place.asker);
        return undefined;
    }
  });
}

/** Asks what a button asks: in place of its message, or below it. */
async function respondToAsk(
  desk: SlackContext,
  place: PressPlace,
  press: Extract<Press, { kind: "ask" }>,
): Promise<void> {
  const { ask, asker, effect, fresh } = press;
  // Whoever asked turns the pages; anyone else gets pages of their own.
  const own = asker === undefined || asker === place.asker.id || place.ephemeral;
  const replaces = effect === "replace" && own && place.response !== undefined;
  const origin = await requestContextOf(desk, place, ask, replaces);
  if (!replaces) return respond(desk, ask, origin);
  const audience = place.ephemeral ? "caller" : "channel";
  await respond(desk, ask, { ...origin, audience, ...(fresh === undefined ? {} : { fresh }) });
}

/** What a button means, or what is said where that is not known. */
async function readPress(desk: SlackContext, value: string | undefined): Promise<Press | Reply> {
  const routed = decodePress(value);
  if (routed === undefined) return expiredNotice(desk.command);
  if (routed.kind !== "kept") return routed;
  try {
    const kept = decodePress(await withTimeout(desk.payloads.get(routed.key), PRESS_READ_TIMEOUT_MILLIS));
    return kept === undefined || kept.kind === "kept" ? expiredNotice(desk.command) : kept;
  } catch (error) {
    desk.log.error({ platform: "slack", err: error }, "what a button means could not be read");
    return unreadableNotice();
  }
}

function pressPlaceOf(desk: SlackContext, body: BlockAction): PressPlace {
  const { container } = body;
  const ephemeral = container["is_ephemeral"] === true;
  const thread: unknown = container["thread_ts"];
  const channel = body.channel?.id;
  return {
    asker: {
      id: body.user.id,
      name: "username" in body.user ? body.user.username : undefined,
      workspace: body.team?.id,
    },
    channel,
    thread: typeof thread === "string" ? thread : undefined,
    shared: isShared(channel, body.channel?.name === "directmessage"),
    ephemeral,
    response:
      body.response_url === "" || body.response_url === undefined
        ? undefined
        : { url: body.response_url, since: desk.now(), used: 0 },
    trigger: body.trigger_id,
    home: body.view?.type === "home",
  };
}

async function requestContextOf(
  desk: SlackContext,
  place: PressPlace,
  ask: Ask,
  replaces: boolean,
): Promise<RequestContext> {
  const { asker, channel, thread } = place;
  return {
    caller: await callerOf(desk, asker, ask.command),
    workspace: asker.workspace,
    channel,
    thread,
    surface: responderOf(desk, place, replaces),
  };
}

function responderOf(
  desk: SlackContext,
  { asker, response, shared, thread }: PressPlace,
  replaces: boolean,
): Responder {
  if (response === undefined) return new DirectMessageResponder(desk, asker.id);
  const note = editableDirectMessage(desk, asker.id);
  return new ButtonResponder(new ResponseUrl(response, desk), { replaces, shared, thread, note });
}

/** A word of the adapter's own, to the presser alone. */
async function sayNotice(desk: SlackContext, place: PressPlace, notice: Reply): Promise<void> {
  const { asker, channel, thread } = place;
  const surface = responderOf(desk, place, false);
  const origin = { caller: plainCaller(asker), workspace: asker.workspace, channel, thread, surface };
  await respondWith(desk, notice, undefined, origin, "caller");
}

async function openPressedForm(desk: SlackContext, place: PressPlace, ask: Ask): Promise<void> {
  const { channel, response, shared, thread } = place;
  const formPlace = {
    command: ask.command,
    shared,
    ...(channel === undefined ? {} : { channel }),
    ...(thread === undefined ? {} : { thread }),
    ...(response === undefined ? {} : { response, button: true as const }),
  };
  if (!(await openForm(desk, place.trigger, ask, formPlace, place.asker.workspace)))
    await sayNotice(desk, place, formNotOpenedNotice(desk.command, ask));
}

/** Asks again, and sends all that did not fit. */
async function sendFiles(desk: SlackContext, place: PressPlace, ask: Ask): Promise<void> {
  const origin = await requestContextOf(desk, place, ask, false);
  const prepared = prepare(desk, ask, origin);
  const reply = prepared.ok ? await prepared.run() : prepared.reply;
  let said: boolean;
  try {
    if (reply.failure !== undefined) return await sayNotice(desk, place, reply);
    const made = renderSlack(reply, { asker: place.asker.id, ask }).files;
    if (made.length === 0) return await sayNotice(desk, place, nothingLeftOutNotice());
    said = await sendBatch(desk, place, new FileBatch(made), origin.surface);
  } finally {
    await disposeReply(reply);
  }
  if (!said) await notifyLostAnswer(desk, ask, origin);
}

/** Sends files to whoever pressed, and says where they are; false when Slack was away for too long. */
function sendBatch(desk: SlackContext, place: PressPlace, batch: FileBatch, surface: Responder): Promise<boolean> {
  const send = async (to: Responder): Promise<void> => {
    const lines = await batch.send(() => directFileDestination(desk, place.asker.id, to.shared), desk, desk.stopping);
    await to.sayEphemeral({ text: "Files", blocks: [sectionBlock(lines)] });
  };
  const direct = new DirectMessageResponder(desk, place.asker.id);
  return sayWithRetries(desk, "files", {
    sayHere: () => send(surface),
    sayInDirectMessage: surface.direct ? undefined : () => send(direct),
    simplify: () => false,
  });
}
