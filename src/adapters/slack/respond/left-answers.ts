import { formatLine } from "../../../bot/grammar/grammar.ts";
import { commandLine } from "../../../reply/text.ts";
import { restartedNotice } from "../../chat/notices.ts";
import type { LeftAnswer } from "../../chat/open-answers.ts";
import type { SlackContext } from "../context.ts";
import type { ServedInstallations } from "../served-installations.ts";
import { viewResponder } from "./answer-view.ts";
import { commandOf, plainCaller } from "./invocation.ts";
import { Left, type Place } from "./place.ts";
import type { Responder } from "./request-context.ts";
import { respondWith } from "./respond.ts";
import { buttonResponder, commandResponder, directMessageResponder, mentionResponder } from "./responders.ts";

/** Closes an answer of a dead process, in place of what it showed. Rejects where Slack takes nothing. */
export async function closeLeft(served: ServedInstallations, left: LeftAnswer): Promise<void> {
  const { ask, asker, workspace, channel, thread, place: given } = Left.parse(left.content);
  const slack = await served.contextFor([{ team: workspace, enterprise: workspace }]);
  if (slack === undefined) throw new Error("the app is not installed there any more");
  const place = left.isUncertain ? besideAnswer(given, asker.id) : given;
  const isEdit =
    place.kind === "view" ||
    (place.kind === "command" && place.shown === true) ||
    (place.kind === "direct" && place.posted !== undefined);
  // A second message is worse than a second edit to the same.
  if (!isEdit) await left.forget();
  const notice = restartedNotice(commandLine(formatLine(ask)), commandOf(slack, ask)?.shownBy, left.isUncertain);
  const responder = responderAt(slack, place);
  const caller = plainCaller({ ...asker, workspace });
  await respondWith(slack, notice, ask, { caller, workspace, channel, thread, responder }, "caller");
  await responder.clearProgress?.();
  await left.forget();
}

/** The same place, but so that nothing is replaced which may be the answer. */
function besideAnswer(place: Place, user: string): Place {
  if (place.kind === "view") return { kind: "direct", user };
  if (place.kind === "command") return { ...place, shown: false };
  return place.kind === "button" ? place : { ...place, posted: undefined };
}

function responderAt(slack: SlackContext, place: Place): Responder {
  switch (place.kind) {
    case "command":
      return commandResponder(slack, place);
    case "button":
      return buttonResponder(slack, place);
    case "mention":
      return mentionResponder(slack, place);
    case "direct":
      return directMessageResponder(slack, place.user, place.posted);
    case "view":
      return viewResponder(slack, { id: place.id, channel: place.channel });
  }
}
