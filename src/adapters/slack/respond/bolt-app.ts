import type { App as BoltApp, ButtonAction, Receiver } from "@slack/bolt";

import type { SlackContext } from "../context.ts";
import { publishHome } from "../home/home.ts";
import { FORM_CALLBACK_ID } from "../render/form.ts";
import { describeError } from "../transport/api-error.ts";
import { App } from "../transport/bolt.ts";
import type { Identity } from "../transport/identity.ts";
import { libraryLogger, webClientOptions } from "../transport/web-api.ts";
import { handleButton } from "./button-handler.ts";
import { handleCommand, handleMention } from "./command-handler.ts";
import { handleForm, type SubmittedView, suggestOptions } from "./form-handler.ts";
import type { Asker } from "./invocation.ts";

export interface BoltAppDependencies {
  readonly receiver: Receiver;
  readonly botToken: string;
  readonly apiUrl?: string | undefined;
  readonly identity: Identity;
  readonly context: SlackContext;
  /** Told of all work that goes on after an acknowledgement. */
  track(work: Promise<void>): void;
}

/**
 * Hands what Slack sends to whoever answers it. Every listener acknowledges in its first line and then works on:
 * the receiver waits for nothing, and acknowledges what no listener takes.
 */
export function createBoltApp(parts: BoltAppDependencies): BoltApp {
  const { context, identity } = parts;
  const track = (work: Promise<void>): void => parts.track(work);
  const app = new App({
    receiver: parts.receiver,
    // One workspace; with many, this is where an installation is looked up. Nothing is asked of Slack before an acknowledgement.
    authorize: () =>
      Promise.resolve({
        botToken: parts.botToken,
        ...(identity.userId === undefined ? {} : { botUserId: identity.userId }),
      }),
    logger: libraryLogger(context.log),
    clientOptions: webClientOptions({ apiUrl: parts.apiUrl, log: context.log }),
    convoStore: false,
    ignoreSelf: false,
  });
  // Any command that Slack sends here is the app's own, whatever name its manifest gives it.
  app.command(/.*/u, async ({ ack, payload }) => {
    await ack();
    track(handleCommand(context, payload));
  });
  app.action({ type: "block_actions", action_id: /.*/u }, async ({ ack, body, payload }) => {
    await ack();
    if (isButton(payload) && !payload.action_id.startsWith("link:")) track(handleButton(context, body, payload));
  });
  app.view(FORM_CALLBACK_ID, async ({ ack, body, view }) => {
    const outcome = await handleForm(context, view, senderOf(body));
    if ("errors" in outcome) {
      await ack({ response_action: "errors", errors: outcome.errors });
      return;
    }
    await ack();
    track(outcome.answer());
  });
  app.options(/.*/u, async ({ ack, body }) => {
    const view = "view" in body ? (body.view as SubmittedView | undefined) : undefined;
    const block = "block_id" in body ? body.block_id : "";
    await ack({ options: await suggestOptions(context, view, block, body.value, senderOf(body)) });
  });
  app.event("app_mention", ({ event, body }) => {
    // The event's own team is the author's, which may be another organisation's.
    track(handleMention(context, { ...event, team: body.team_id }, identity.userId));
    return Promise.resolve();
  });
  app.event("app_home_opened", ({ event, body }) => {
    if (event.tab === "home") track(publishHome(context, { id: event.user, workspace: body.team_id }));
    return Promise.resolve();
  });
  for (const event of ["app_uninstalled", "tokens_revoked"] as const) {
    app.event(event, () => {
      context.log.warn({ platform: "slack", event }, "Slack takes the app's permissions back");
      identity.checkNow();
      return Promise.resolve();
    });
  }
  app.error((error) => {
    context.log.error({ platform: "slack", err: error, why: describeError(error) }, "a listener failed");
    return Promise.resolve();
  });
  return app;
}

function isButton(payload: { type: string }): payload is ButtonAction {
  return payload.type === "button";
}

function senderOf(body: { user: { id: string; name?: string }; team?: { id: string } | null }): Asker {
  return { id: body.user.id, name: body.user.name, workspace: body.team?.id };
}
