import type {
  AckFn,
  App as BoltApp,
  BlockElementAction,
  MessageShortcut,
  Receiver,
  ViewResponseAction,
  ViewSubmitAction,
} from "@slack/bolt";
import type { KnownBlock } from "@slack/types";

import { noAlertNotice, WHY_COMMAND, whyAsk } from "../../chat/why-this-alert.ts";
import type { SlackContext } from "../context.ts";
import { publishHome } from "../home/home.ts";
import { OVERVIEW } from "../home/viewers.ts";
import { SHORTCUTS } from "../manifest.ts";
import { LINK_VALUE, pressablesIn } from "../render/buttons.ts";
import { ASK_CALLBACK_ID, FORM_CALLBACK_ID, MORE_ACTION_ID } from "../render/form.ts";
import type { ServedInstallations, SharedContext } from "../served-installations.ts";
import { describeError, logFailure } from "../transport/api-error.ts";
import { App } from "../transport/bolt.ts";
import { libraryLogger, webClientOptions } from "../transport/web-api.ts";
import { handleAskForm, openAskForm } from "./ask-form.ts";
import { handleButton, subscribeChannel } from "./button-handler.ts";
import { handleCommand, handleMention } from "./command-handler.ts";
import { answerForeignWorkspace, isOrgWide, originsOf, type PayloadOrigin } from "./foreign-workspace.ts";
import {
  type FormResult,
  handleForm,
  showChosen,
  showFields,
  type SubmittedView,
  suggestOptions,
} from "./form-handler.ts";
import { askerOf, callerOf, isShared } from "./invocation.ts";
import type { RequestContext } from "./request-context.ts";
import { readValue } from "./notices.ts";
import { respond, respondWith } from "./respond.ts";
import { buttonResponder } from "./responders.ts";

/** The member of Bolt's context with the installation's. */
const CONTEXT = "bellwether";

/** The context of the installation that a request comes from: requests without one reach no listener. */
function slackOf(context: Readonly<Record<string, unknown>>): SlackContext {
  return context[CONTEXT] as SlackContext;
}

const noop = (): void => undefined;

interface BoltAppDependencies {
  readonly receiver: Receiver;
  readonly apiUrl?: string | undefined;
  readonly served: ServedInstallations;
  readonly slack: SharedContext;
  /** Called with each handler that continues after its acknowledgement. */
  readonly track: (work: Promise<void>) => void;
}

/**
 * Routes commands, buttons, forms, mentions and events to their handlers. Every listener acknowledges first; the
 * receiver waits for nothing, and acknowledges whatever has no listener.
 */
export function createBoltApp({ receiver, apiUrl, served, slack: shared, track }: BoltAppDependencies): BoltApp {
  const { installations } = served;
  const app = new App({
    receiver,
    // Handlers have the clients of their installation, and use none of the library's.
    authorize: () => Promise.resolve({}),
    logger: libraryLogger(shared.log),
    clientOptions: webClientOptions({ apiUrl, log: shared.log }),
    convoStore: false,
    ignoreSelf: false,
  });
  app.use(async ({ body, context, next }) => {
    const payload = body as PayloadOrigin;
    const isRefused = !installations.many && isOrgWide(payload);
    const slack = isRefused ? undefined : await served.contextFor(originsOf(payload, installations));
    if (slack === undefined) {
      track(answerForeignWorkspace(shared, payload, installations));
      return;
    }
    context[CONTEXT] = slack;
    await next();
  });
  const forget = async (
    slack: SlackContext,
    body: { readonly team_id: string; readonly event_time: number; readonly event: { readonly type: string } },
  ): Promise<void> => {
    const slackEvent = body.event.type;
    shared.log.warn({ platform: "slack", slackEvent }, "app permissions revoked");
    await logFailure(shared, slackEvent, () =>
      installations.removed(slack.workspace ?? body.team_id, 1000 * body.event_time),
    );
  };
  const acknowledge = async (ack: AckFn<ViewResponseAction>, handled: Promise<FormResult>): Promise<void> => {
    // A stop waits for what the form has started.
    track(handled.then(noop, noop));
    const outcome = await handled;
    if ("errors" in outcome) {
      await ack({ response_action: "errors", errors: outcome.errors });
      return;
    }
    await (outcome.view === undefined ? ack() : ack({ response_action: "update", view: outcome.view }));
    if (outcome.answer !== undefined) track(outcome.answer());
  };
  // Any command that Slack sends is the app's own, under any name in its manifest.
  app.command(/.*/u, async ({ ack, context, payload }) => {
    await ack();
    track(handleCommand(slackOf(context), payload));
  });
  app.action({ type: "block_actions", action_id: /.*/u }, async ({ ack, body, context, payload }) => {
    await ack();
    const slack = slackOf(context);
    if (body.view?.callback_id === FORM_CALLBACK_ID) {
      // A form has buttons that show more of it, and fields that tell at once what is chosen in them.
      const asker = askerOf(slack, body);
      if (payload.action_id.startsWith(MORE_ACTION_ID)) track(showFields(slack, body.view, asker, valueOf(payload)));
      else track(showChosen(slack, body.view, payload.block_id, asker));
      return;
    }
    if (payload.type === "conversations_select") {
      track(subscribeChannel(slack, body, payload.selected_conversation));
      return;
    }
    const value = valueOf(payload);
    if (value !== LINK_VALUE) track(handleButton(slack, body, value));
  });
  app.view<ViewSubmitAction>(FORM_CALLBACK_ID, async ({ ack, body, context, view }) => {
    const slack = slackOf(context);
    await acknowledge(ack, handleForm(slack, view, askerOf(slack, body)));
  });
  app.shortcut(
    { type: "message_action", callback_id: SHORTCUTS.why.callback_id },
    async ({ ack, context, shortcut }) => {
      await ack();
      track(handleWhyThisAlert(slackOf(context), shortcut));
    },
  );
  app.shortcut({ type: "shortcut", callback_id: SHORTCUTS.ask.callback_id }, async ({ ack, context, shortcut }) => {
    await ack();
    track(openAskForm(slackOf(context), shortcut.trigger_id));
  });
  app.view<ViewSubmitAction>(ASK_CALLBACK_ID, async ({ ack, body, context, view }) => {
    const slack = slackOf(context);
    await acknowledge(ack, handleAskForm(slack, view, askerOf(slack, body)));
  });
  app.options(/.*/u, async ({ ack, body, context }) => {
    const slack = slackOf(context);
    const view = "view" in body ? (body.view as SubmittedView | undefined) : undefined;
    const block = "block_id" in body ? body.block_id : "";
    await ack({ options: await suggestOptions(slack, view, block, body.value, askerOf(slack, body)) });
  });
  app.event("app_mention", async ({ event, body, context }) => {
    // The event's own team is the author's, which may be another organisation's.
    track(handleMention(slackOf(context), { ...event, team: body.team_id }));
  });
  app.event("app_home_opened", async ({ event, body, context }) => {
    const slack = slackOf(context);
    const workspace = slack.workspace ?? body.team_id;
    if (event.tab === "home") track(publishHome(slack, { id: event.user, workspace }, { place: OVERVIEW }));
  });
  app.event("app_uninstalled", async ({ body, context }) => {
    track(forget(slackOf(context), body));
  });
  app.event("tokens_revoked", async ({ event, body, context }) => {
    // Those of people are not the app's.
    if ((event.tokens.bot ?? []).length > 0) track(forget(slackOf(context), body));
  });
  app.error(async (error) => {
    shared.log.error({ platform: "slack", err: error, why: describeError(error) }, "listener failed");
  });
  return app;
}

/** The value of what was pressed or chosen; LINK_VALUE for a link, which Slack opens by itself, and for what is no button. */
function valueOf(action: BlockElementAction): string | undefined {
  switch (action.type) {
    case "button":
      return action.action_id.startsWith("link:") ? LINK_VALUE : action.value;
    case "static_select":
    case "overflow":
      return action.selected_option?.value;
    default:
      return LINK_VALUE;
  }
}

/** Answers "Why this alert?" on a message, to whoever chose it alone. Never rejects. */
async function handleWhyThisAlert(slack: SlackContext, shortcut: MessageShortcut): Promise<void> {
  await logFailure(slack, "shortcut", async () => {
    const { channel, message, response_url: url } = shortcut;
    const asker = askerOf(slack, shortcut);
    const thread: unknown = message["thread_ts"];
    const inThread = typeof thread === "string" ? { thread } : {};
    const address = { url, since: slack.now(), used: 0 };
    const shared = isShared(channel.id, channel.name === "directmessage");
    const request: RequestContext = {
      caller: await callerOf(slack, asker, WHY_COMMAND),
      workspace: asker.workspace,
      channel: channel.id,
      ...inThread,
      responder: buttonResponder(slack, { address, user: asker.id, shared, ...inThread }),
    };
    const blocks = Array.isArray(message["blocks"]) ? (message["blocks"] as KnownBlock[]) : [];
    const ask = await whyAsk(pressablesIn(blocks), async ({ value }) => {
      const press = await readValue(slack, value);
      return "kind" in press && press.kind === "ask" ? press.ask : undefined;
    });
    if (ask === undefined) await respondWith(slack, noAlertNotice(), undefined, request, "caller");
    else await respond(slack, ask, { ...request, audience: "caller" });
  });
}
