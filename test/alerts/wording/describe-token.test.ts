import { expect, it } from "vitest";

import { deliverySubject } from "../../../src/alerts/outbox/delivery-subject.ts";
import { AlertMessage, type TokenMessage } from "../../../src/alerts/outbox/message.ts";
import { describe } from "../../../src/alerts/wording/wording.ts";
import { PLATFORMS } from "../../../src/main/platforms/platforms.ts";
import { wordsOf } from "../outage.ts";

const since = "1700000000000000000";
const at = "1700003600000000000";
const until = "1700086400000000000";

it.each<[TokenMessage["change"], readonly string[], "firing" | "resolved"]>([
  [
    { what: "refused", waiting: 0, until },
    ["CRITICAL", "Slack refuses the bot's token", "Nothing waits there yet", "SLACK_BOT_TOKEN", "npm run doctor"],
    "firing",
  ],
  [{ what: "refused", waiting: 1, until }, ["One message waits there so far"], "firing"],
  [{ what: "refused", waiting: 12, until }, ["12 messages wait there so far", "2023-11-15 22:13:20"], "firing"],
  [
    { what: "revoked", subscriptions: 0, unsent: 0 },
    ["has refused the bot's token for a day", "There were no subscriptions on Slack. Nothing was given up."],
    "firing",
  ],
  [
    { what: "revoked", removed: true, subscriptions: 1, unsent: 1 },
    ["Slack says that the bot was removed", "One subscription ended on Slack. One message was given up", "come back"],
    "firing",
  ],
  [
    { what: "accepted", waiting: 0, subscriptions: 0, unsent: 0 },
    ["Slack accepts the bot's token again", "Nothing waited there. Nothing was given up."],
    "resolved",
  ],
  [
    { what: "accepted", waiting: 1, subscriptions: 1, unsent: 2 },
    ["The message that waited there is sent now, late. 2 messages were given up", "One subscription came back."],
    "resolved",
  ],
  [{ what: "back", subscriptions: 2, unsent: 0 }, ["Alerts arrive here again", "Nothing was given up"], "resolved"],
])("a refused token is told plainly: %j", async (change, parts, state) => {
  const message: TokenMessage = { type: "token", platform: "slack", why: "Slack says invalid_auth", since, at, change };
  expect(AlertMessage.parse(message)).toEqual(message);
  const words = (await wordsOf(describe(message, {}, PLATFORMS))).replaceAll(/\s+/gu, " ");
  for (const part of parts) expect(words).toContain(part);
  expect(deliverySubject(message, "bot")).toMatchObject({ kind: "bot", subject: "slack", state, at });
});

it("a platform without words of its own is named as it is", async () => {
  const change = { what: "refused", waiting: 2, until } as const;
  const words = await wordsOf(
    describe({ type: "token", platform: "matrix", why: "no", since, at, change }, {}, PLATFORMS),
  );
  expect(words).toContain("matrix refuses the bot's token");
});
