import { modalRefusals } from "../../adapters/discord/judge-modal.ts";
import { checkMessage, type SentMessage } from "./check-message.ts";
import { change, edited, shown, store } from "./messages.ts";
import type { ParsedBody } from "./parse-body.ts";
import { ErrorResponse } from "./error-response.ts";
import type { Context, Route } from "./route.ts";
import type { State, StoredInteraction, StoredMessage } from "./state.ts";

const TOKEN_MILLIS = 15 * 60 * 1000;
const FIRST_ANSWER_MILLIS = 3000;
const SLOW_MILLIS = 1000;

/** What answers an interaction, in the name of its token alone. */
export const INTERACTION_ROUTES: readonly Route[] = [
  { method: "POST", path: /^\/interactions\/([^/]+)\/([^/]+)\/callback$/u, auth: false, handle: callback },
  { method: "POST", path: /^\/webhooks\/\d+\/([^/]+)$/u, auth: false, handle: followUp },
  { method: "PATCH", path: /^\/webhooks\/\d+\/([^/]+)\/messages\/@original$/u, auth: false, handle: editOriginal },
  { method: "DELETE", path: /^\/webhooks\/\d+\/([^/]+)\/messages\/@original$/u, auth: false, handle: deleteOriginal },
];

function callback({ state, body }: Context, id: string, token: string): unknown {
  const interaction = state.interactions.get(id);
  if (interaction === undefined || interaction.token !== token)
    throw new ErrorResponse(404, 10_062, "Unknown interaction");
  const waited = Date.now() - interaction.realCreatedAt;
  if (waited > FIRST_ANSWER_MILLIS) throw new ErrorResponse(404, 10_062, "Unknown interaction");
  if (interaction.acknowledged) {
    const failure = new ErrorResponse(400, 40_060, "Interaction has already been acknowledged.");
    // A client without a response could not know; on a busy machine that is no fault.
    failure.forgiven = waited > SLOW_MILLIS;
    throw failure;
  }
  const { type, data = {} } = body.json as { type: number; data?: Record<string, unknown> };
  const ephemeral = (Number(data["flags"] ?? 0) & 64) !== 0;
  // Of a form, the message stays on which the button was pressed that opened it.
  const ofForm = interaction.original === undefined ? [4, 5] : [4, 5, 6, 7];
  const allowed = { command: [4, 5, 9], press: [4, 5, 6, 7, 9], complete: [8], submit: ofForm }[interaction.kind];
  if (!allowed.includes(type))
    throw new ErrorResponse(400, 50_035, `type ${type} does not answer a ${interaction.kind}`);
  if (type === 4) interaction.original = create(state, interaction, sent(data, body, interaction), ephemeral).id;
  if (type === 5) interaction.original = create(state, interaction, undefined, ephemeral).id;
  if (type === 7) {
    const original = originalOf(state, interaction);
    change(state, original, checkMessage(data, body, interaction.maxBytes, edited(original)));
  }
  if (type === 8) interaction.choices = choices(data["choices"]);
  if (type === 9) {
    const refused = modalRefusals(data);
    if (refused.length > 0) throw new ErrorResponse(400, 50_035, `Invalid Form Body: ${refused.join("; ")}`);
    interaction.modal = data as unknown as NonNullable<StoredInteraction["modal"]>;
  }
  interaction.acknowledged = true;
  interaction.acknowledgedAfter = waited;
  return undefined;
}

function choices(given: unknown): { name: string; value: string }[] {
  const list = given as { name: string; value: string }[];
  const fits = (text: string): boolean => text.length >= 1 && text.length <= 100;
  if (!Array.isArray(list) || list.length > 25 || !list.every(({ name, value }) => fits(name) && fits(value))) {
    throw new ErrorResponse(400, 50_035, "Invalid Form Body: choices");
  }
  return list;
}

function followUp({ state, body }: Context, token: string): unknown {
  const interaction = alive(state, token);
  const ephemeral = (Number(body.json["flags"] ?? 0) & 64) !== 0;
  const message = sent(body.json, body, interaction);
  const original = interaction.original === undefined ? undefined : state.messages.get(interaction.original);
  if (original?.thinking === true) {
    // The first follow-up takes the place of what was deferred, whatever it says about who may see it.
    change(state, original, message);
    return shown(state, original);
  }
  return shown(state, create(state, interaction, message, ephemeral));
}

function editOriginal({ state, body }: Context, token: string): unknown {
  const interaction = alive(state, token);
  const original = originalOf(state, interaction);
  change(state, original, checkMessage(body.json, body, interaction.maxBytes, edited(original)));
  return shown(state, original);
}

function deleteOriginal({ state }: Context, token: string): unknown {
  const original = originalOf(state, alive(state, token));
  state.messages.delete(original.id);
  return undefined;
}

function alive(state: State, token: string): StoredInteraction {
  const interaction = [...state.interactions.values()].find((one) => one.token === token);
  if (interaction === undefined || !interaction.acknowledged) throw new ErrorResponse(404, 10_015, "Unknown Webhook");
  if (state.now() - interaction.createdAt > TOKEN_MILLIS) throw new ErrorResponse(401, 50_027, "Invalid Webhook Token");
  return interaction;
}

function originalOf(state: State, interaction: StoredInteraction): StoredMessage {
  const message = interaction.original === undefined ? undefined : state.messages.get(interaction.original);
  if (message === undefined) throw new ErrorResponse(404, 10_008, "Unknown Message");
  return message;
}

function sent(data: Record<string, unknown>, body: ParsedBody, interaction: StoredInteraction): SentMessage {
  return checkMessage(data, body, interaction.maxBytes);
}

function create(
  state: State,
  interaction: StoredInteraction,
  message: SentMessage | undefined,
  ephemeral: boolean,
): StoredMessage {
  const { channel, command, user } = interaction;
  const stored = store(state, { channel, command, onlyFor: ephemeral ? user : undefined }, message);
  interaction.produced.push(stored.id);
  return stored;
}
