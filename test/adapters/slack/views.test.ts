import { expect, test } from "vitest";

import { talkToSimulator } from "../../commands/conversation.ts";
import { judgeView } from "../../support/fake-slack/judge.ts";
import { slackViews } from "../../support/gallery/slack-views.ts";

// What Slack shows beside messages, in golden files.

test("forms, answers in a modal and the home tab", async () => {
  const talk = await talkToSimulator();
  for (const { id, view } of await slackViews(talk)) {
    expect(judgeView(view)).toEqual([]);
    const shown = `${JSON.stringify(view, undefined, 1)}\n`.replaceAll(/127\.0\.0\.1:\d+/gu, "<address>");
    await expect(shown).toMatchFileSnapshot(`../../golden/adapters/slack/views/${id}.json`);
  }
});
