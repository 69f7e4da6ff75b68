import { expect, test } from "vitest";

import * as notices from "../../../../src/adapters/slack/respond/notices.ts";
import { lateAnswer, refusedAnswerNotice } from "../../../../src/adapters/chat/notices.ts";
import { renderTerminal } from "../../../../src/adapters/terminal/render/render.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { code } from "../../../../src/reply/text.ts";
import { NOON } from "../../../support/talk.ts";

test("the adapter's own messages", () => {
  const ask = { command: "order", options: { id: "abc" } };
  const all = [
    notices.expiredNotice("/bell"),
    notices.unreadableNotice(),
    notices.notSharedNotice("/bell"),
    notices.workingNotice(ask, "mainnet", false),
    notices.workingNotice(ask, "mainnet", true),
    notices.uploadingNotice(["a.csv"]),
    notices.uploadingNotice(["a.csv", "b.csv"]),
    notices.stoppingNotice(ask),
    refusedAnswerNotice("Slack"),
    lateAnswer(reply({ title: "The answer" }), code("/bell order id:abc")),
    notices.lostAnswerNotice("/bell", ask),
    notices.formNotOpenedNotice("/bell", ask),
    notices.notInChannelNotice("bellwether"),
    notices.fitsByNowNotice(),
  ].map((one) => renderTerminal(one, { width: 100, colour: false, links: false, now: NOON }));
  expect([
    ...all,
    notices.progressFootnote(0, 60_000, true),
    notices.CONTINUES_IN_DIRECT_MESSAGES,
    notices.POSSIBLE_DUPLICATE,
  ]).toMatchSnapshot();
});
