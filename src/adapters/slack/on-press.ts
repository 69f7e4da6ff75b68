import type { ButtonAction, BlockAction } from "@slack/bolt";

import { disposeReply, type Ask, type Reply } from "../../reply/reply.ts";
import type { Milliseconds } from "../../units/duration.ts";
import { within } from "../within.ts";
import { privatePlace } from "./answer.ts";
import { answerAsk, answerWith } from "./answer-ask.ts";
import { section } from "./blocks.ts";
import { ButtonSurface } from "./button-surface.ts";
import { callerOf, plainCaller, type Asker } from "./caller.ts";
import type { Desk } from "./desk.ts";
import { directMessage } from "./direct-message.ts";
import { DirectSurface } from "./direct-surface.ts";
import { FileBatch } from "./files.ts";
import { guarded } from "./guarded.ts";
import { showHome } from "./home.ts";
import { isShared } from "./input.ts";
import { isSaid, tellLost } from "./lost-answer.ts";
import { expiredNotice, noFormNotice, nothingLeftOutNotice, unreadableNotice } from "./notices.ts";
import { openForm } from "./open-form.ts";
import { decodePress, type Press } from "./press.ts";
import type { Origin } from "./origin.ts";
import { prepare } from "./question.ts";
import { renderSlack } from "./render.ts";
import { ResponseUrl, type ResponseAddress } from "./response-url.ts";
import type { Surface } from "./surface.ts";

/** Where a button was pressed. */
interface Place {
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
const READ_MILLIS: Milliseconds = 1000;

/** Does what a button says, whichever process and version made it. It has been acknowledged. Never rejects. */
export async function onPress(desk: Desk, body: BlockAction, action: ButtonAction): Promise<void> {
  await guarded(desk, "button", async () => {
    const place = placeOf(desk, body);
    const press = await pressOf(desk, action.value);
    if (!("kind" in press)) return whisper(desk, place, press);
    switch (press.kind) {
      case "form":
        return form(desk, place, press.ask);
      case "files":
        return files(desk, place, press.ask);
      case "share": {
        const above = `Shared by <@${place.asker.id}>`;
        const origin = await originOf(desk, place, press.ask, false);
        return answerAsk(desk, press.ask, { ...origin, audience: "channel", above });
      }
      case "ask":
        await again(desk, place, press);
        if (place.home) await showHome(desk, place.asker);
        return undefined;
    }
  });
}

/** Asks what a button asks: in place of its message, or below it. */
async function again(desk: Desk, place: Place, press: Extract<Press, { kind: "ask" }>): Promise<void> {
  const { ask, asker, effect, fresh } = press;
  // Whoever asked turns the pages; anyone else gets pages of their own.
  const own = asker === undefined || asker === place.asker.id || place.ephemeral;
  const replaces = effect === "replace" && own && place.response !== undefined;
  const origin = await originOf(desk, place, ask, replaces);
  if (!replaces) return answerAsk(desk, ask, origin);
  const audience = place.ephemeral ? "caller" : "channel";
  await answerAsk(desk, ask, { ...origin, audience, ...(fresh === undefined ? {} : { fresh }) });
}

/** What a button means, or what is said where that is not known. */
async function pressOf(desk: Desk, value: string | undefined): Promise<Press | Reply> {
  const routed = decodePress(value);
  if (routed === undefined) return expiredNotice(desk.command);
  if (routed.kind !== "kept") return routed;
  try {
    const kept = decodePress(await within(desk.payloads.get(routed.key), READ_MILLIS));
    return kept === undefined || kept.kind === "kept" ? expiredNotice(desk.command) : kept;
  } catch (error) {
    desk.log.error({ platform: "slack", err: error }, "what a button means could not be read");
    return unreadableNotice();
  }
}

function placeOf(desk: Desk, body: BlockAction): Place {
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

async function originOf(desk: Desk, place: Place, ask: Ask, replaces: boolean): Promise<Origin> {
  const { asker, channel, thread } = place;
  return {
    caller: await callerOf(desk, asker, ask.command),
    workspace: asker.workspace,
    channel,
    thread,
    surface: surfaceOf(desk, place, replaces),
  };
}

function surfaceOf(desk: Desk, { asker, response, shared, thread }: Place, replaces: boolean): Surface {
  if (response === undefined) return new DirectSurface(desk, asker.id);
  const note = directMessage(desk, asker.id);
  return new ButtonSurface(new ResponseUrl(response, desk), { replaces, shared, thread, note });
}

/** A word of the adapter's own, to the presser alone. */
async function whisper(desk: Desk, place: Place, notice: Reply): Promise<void> {
  const { asker, channel, thread } = place;
  const surface = surfaceOf(desk, place, false);
  const origin = { caller: plainCaller(asker), workspace: asker.workspace, channel, thread, surface };
  await answerWith(desk, notice, undefined, origin, "caller");
}

async function form(desk: Desk, place: Place, ask: Ask): Promise<void> {
  const { channel, response, shared, thread } = place;
  const formPlace = {
    command: ask.command,
    shared,
    ...(channel === undefined ? {} : { channel }),
    ...(thread === undefined ? {} : { thread }),
    ...(response === undefined ? {} : { response, button: true as const }),
  };
  if (!(await openForm(desk, place.trigger, ask, formPlace, place.asker.workspace)))
    await whisper(desk, place, noFormNotice(desk.command, ask));
}

/** Asks again, and sends all that did not fit. */
async function files(desk: Desk, place: Place, ask: Ask): Promise<void> {
  const origin = await originOf(desk, place, ask, false);
  const prepared = prepare(desk, ask, origin);
  const reply = prepared.ok ? await prepared.run() : prepared.reply;
  let said: boolean;
  try {
    if (reply.failure !== undefined) return await whisper(desk, place, reply);
    const made = renderSlack(reply, { asker: place.asker.id, ask }).files;
    if (made.length === 0) return await whisper(desk, place, nothingLeftOutNotice());
    said = await isSent(desk, place, new FileBatch(made), origin.surface);
  } finally {
    await disposeReply(reply);
  }
  if (!said) await tellLost(desk, ask, origin);
}

/** Sends files to whoever pressed, and says where they are; false when Slack was away for too long. */
function isSent(desk: Desk, place: Place, batch: FileBatch, surface: Surface): Promise<boolean> {
  const send = async (to: Surface): Promise<void> => {
    const lines = await batch.send(() => privatePlace(desk, place.asker.id, to.shared), desk, desk.stopping);
    await to.whisper({ text: "Files", blocks: [section(lines)] });
  };
  const direct = new DirectSurface(desk, place.asker.id);
  return isSaid(desk, "files", {
    here: () => send(surface),
    directly: surface.direct ? undefined : () => send(direct),
    simplify: () => false,
  });
}
