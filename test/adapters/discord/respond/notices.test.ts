import { expect, test } from "vitest";

import * as notices from "../../../../src/adapters/discord/respond/notices.ts";
import { lateAnswer, refusedAnswerNotice, restartedNotice } from "../../../../src/adapters/chat/notices.ts";
import { renderTerminal } from "../../../../src/adapters/terminal/render/render.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { commandLine } from "../../../../src/reply/text.ts";
import { NOON } from "../../../support/talk.ts";

test("the adapter's own messages", () => {
  const all = [
    notices.expiredNotice(undefined),
    notices.expiredNotice("order"),
    notices.confirmNotice("Really?"),
    refusedAnswerNotice("Discord"),
    notices.shareFailedNotice(),
    notices.notSharedNotice("order"),
    notices.answerFailedNotice(),
    notices.lateAnswerNotice(true),
    notices.lateAnswerNotice(false),
    restartedNotice(commandLine("order id:abc"), undefined, false),
    restartedNotice(commandLine("order id:abc"), undefined, true),
    restartedNotice(commandLine("alerts ack episode:abc"), "alerts status", false),
    lateAnswer(reply({ title: "The answer" }), commandLine("order id:abc")),
  ];
  expect(
    all.map((one) => renderTerminal(one, { width: 100, colour: false, links: false, now: NOON })),
  ).toMatchSnapshot();
});
