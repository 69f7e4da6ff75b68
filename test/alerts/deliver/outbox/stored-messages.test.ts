import { expect, it } from "vitest";

import { upgradeMessage } from "../../../../src/alerts/deliver/outbox/stored-messages.ts";
import { AlertMessage } from "../../../../src/alerts/message/message.ts";
import { serviceMessages } from "../../../support/gallery/service-messages.ts";

const notices = serviceMessages.flatMap(([message]) => (message.type === "notice" ? [message] : []));

it.each(notices)("a notice about $notice.about is read as earlier versions stored it", (message) => {
  const { notice, at } = message;
  const { about, ...facts } = notice;
  const stored = { type: about, simulated: true, at, ...facts };
  expect(AlertMessage.parse(upgradeMessage(JSON.parse(JSON.stringify(stored))))).toEqual({
    ...message,
    simulated: true,
  });
});

it("leaves every other message as it is", () => {
  for (const [message] of serviceMessages) expect(upgradeMessage(message)).toBe(message);
});
