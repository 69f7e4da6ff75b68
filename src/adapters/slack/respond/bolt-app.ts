import type {
  AckFn,
  App as BoltApp,
  BlockElementAction,
  Receiver,
  ViewResponseAction,
  ViewSubmitAction,
} from "@slack/bolt";

import type { SlackContext } from "../context.ts";
import { publishHome } from "../home/home.ts";
import { LINK_VALUE } from "../render/buttons.ts";
import { SHORTCUTS } from "../manifest.ts";
import { ASK_CALLBACK_ID, FORM_CALLBACK_ID, MORE_ACTION_ID } from "../render/form.ts";
import { describeError } from "../transport/api-error.ts";
import { App } from "../transport/bolt.ts";
import type { Identity } from "../transport/identity.ts";
import type { Installations } from "../transport/installations.ts";
import { libraryLogger, webClientOptions } from "../transport/web-api.ts";
import { handleButton, type Pressed } from "./button-handler.ts";
import { handleCommand, handleMention } from "./command-handler.ts";
import { foreignNotice, type PayloadOrigin, sayForeign } from "./foreign-workspace.ts";
import {
  type FormResult,
  handleForm,
  openAskForm,
  showAllOptions,
  showPresent,
  type SubmittedView,
  suggestOptions,
} from "./form-handler.ts";
import type { Asker } from "./invocation.ts";
import { handleAskForm, handleWhyThisAlert } from "./shortcut-handler.ts";

export interface BoltAppDependencies {
  readonly receiver: Receiver;
  readonly installations: Installations;
  readonly apiUrl?: string | undefined;
  readonly identity: Identity;
  readonly slack: SlackContext;
  /** Called with each handler that continues after its acknowledgement. */
  track(work: Promise<void>): void;
}

/**
 * Routes commands, buttons, forms, mentions and events to their handlers. Every listener acknowledges first; the
 * receiver waits for nothing, and acknowledges whatever has no listener.
 */
export function createBoltApp(dependencies: BoltAppDependencies): BoltApp {
  const { slack, identity } = dependencies;
  const track = (work: Promise<void>): void => dependencies.track(work);
  const app = new App({
    receiver: dependencies.receiver,
    // No call to Slack precedes an acknowledgement.
    authorize: async () => {
      const found = await dependencies.installations.find({ team: undefined, enterprise: undefined });
      const { botToken, botUser } = found ?? {};
      return {
        ...(botToken === undefined ? {} : { botToken }),
        ...(botUser === undefined ? {} : { botUserId: botUser }),
      };
    },
    logger: libraryLogger(slack.log),
    clientOptions: webClientOptions({ apiUrl: dependencies.apiUrl, log: slack.log }),
    convoStore: false,
    ignoreSelf: false,
  });
  app.use(async ({ body, next }) => {
    const origin: PayloadOrigin = body;
    const notice = foreignNotice(origin, identity);
    if (notice === undefined) await next();
    else track(sayForeign(slack, notice, origin));
  });
  const acknowledge = async (ack: AckFn<ViewResponseAction>, outcome: FormResult): Promise<void> => {
    if ("errors" in outcome) {
      await ack({ response_action: "errors", errors: outcome.errors });
      return;
    }
    await (outcome.view === undefined ? ack() : ack({ response_action: "update", view: outcome.view }));
    if (outcome.answer !== undefined) track(outcome.answer());
  };
  // Any command that Slack sends is the app's own, under any name in its manifest.
  app.command(/.*/u, async ({ ack, payload }) => {
    await ack();
    track(handleCommand(slack, payload));
  });
  app.action({ type: "block_actions", action_id: /.*/u }, async ({ ack, body, payload }) => {
    await ack();
    if (body.view?.callback_id === FORM_CALLBACK_ID) {
      // A form has one button, and one field that tells at once what is chosen in it.
      if (payload.action_id === MORE_ACTION_ID) track(showAllOptions(slack, body.view));
      else track(showPresent(slack, body.view, senderOf(body)));
      return;
    }
    const pressed = pressedIn(payload);
    if (pressed !== undefined) track(handleButton(slack, body, pressed));
  });
  app.view<ViewSubmitAction>(FORM_CALLBACK_ID, async ({ ack, body, view }) => {
    await acknowledge(ack, await handleForm(slack, view, senderOf(body)));
  });
  app.shortcut({ type: "message_action", callback_id: SHORTCUTS.why.callback_id }, async ({ ack, shortcut }) => {
    await ack();
    track(handleWhyThisAlert(slack, shortcut));
  });
  app.shortcut({ type: "shortcut", callback_id: SHORTCUTS.ask.callback_id }, async ({ ack, shortcut }) => {
    await ack();
    track(openAskForm(slack, shortcut.trigger_id));
  });
  app.view<ViewSubmitAction>(ASK_CALLBACK_ID, async ({ ack, body, view }) => {
    await acknowledge(ack, await handleAskForm(slack, view, senderOf(body)));
  });
  app.options(/.*/u, async ({ ack, body }) => {
    const view = "view" in body ? (body.view as SubmittedView | undefined) : undefined;
    const block = "block_id" in body ? body.block_id : "";
    await ack({ options: await suggestOptions(slack, view, block, body.value, senderOf(body)) });
  });
  app.event("app_mention", ({ event, body }) => {
    // The event's own team is the author's, which may be another organisation's.
    track(handleMention(slack, { ...event, team: body.team_id }, identity.userId));
    return Promise.resolve();
  });
  app.event("app_home_opened", ({ event, body }) => {
    if (event.tab === "home") track(publishHome(slack, { id: event.user, workspace: body.team_id }));
    return Promise.resolve();
  });
  for (const event of ["app_uninstalled", "tokens_revoked"] as const) {
    app.event(event, () => {
      slack.log.warn({ platform: "slack", slackEvent: event }, "app permissions revoked");
      identity.checkNow();
      return Promise.resolve();
    });
  }
  app.error((error) => {
    slack.log.error({ platform: "slack", err: error, why: describeError(error) }, "listener failed");
    return Promise.resolve();
  });
  return app;
}

/** What was pressed or chosen; undefined for a link, which Slack opens by itself. */
function pressedIn(action: BlockElementAction): Pressed | undefined {
  switch (action.type) {
    case "button":
      return action.action_id.startsWith("link:") ? undefined : { value: action.value };
    case "static_select":
    case "overflow":
      return action.selected_option?.value === LINK_VALUE ? undefined : { value: action.selected_option?.value };
    default:
      return undefined;
  }
}

function senderOf(body: { user: { id: string; name?: string }; team?: { id: string } | null }): Asker {
  return { id: body.user.id, name: body.user.name, workspace: body.team?.id };
}
