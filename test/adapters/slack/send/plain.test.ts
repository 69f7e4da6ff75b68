import { expect, test } from "vitest";

import { memoryAttachment, reply } from "../../../../src/reply/reply.ts";
import { paragraph } from "../../../../src/reply/block.ts";
import { FakeSlack } from "../../../support/fake-slack/fake-slack.ts";
import { delivery, refused, senderOn, signal } from "../sending.ts";

const alert = reply({
  tone: "bad",
  title: "Blocks have stopped <!channel>",
  blocks: [paragraph("No *block* for 40 s."), paragraph("x".repeat(5000))],
  actions: [{ label: "Details", invocation: { command: "alerts why", options: { episode: "e1" } }, effect: "reply" }],
  attachments: [memoryAttachment("list.csv", "text/csv", "a,b\n")],
});

test("a message refused for its content passes as escaped text without blocks, files and the facts beside its id", async () => {
  await using fake = await FakeSlack.start();
  const sender = senderOn(fake.apiUrl);
  const channel = fake.channel();
  fake.fail({ method: "chat.postMessage", answer: { error: "invalid_blocks", messages: ["[ERROR] no"] } });
  const about = {
    kind: "node.down",
    network: "n",
    subject: "",
    state: "firing",
    severity: "warning",
    at: "1",
  } as const;
  const error = await refused(sender.send(delivery("d1", channel, { about }), alert, signal));
  expect(error).toMatchObject({ kind: "content", message: "Slack says invalid_blocks: [ERROR] no" });
  const plain = delivery("d1", channel, { about, plain: true, mention: "S9" });
  const receipt = await sender.send(plain, alert, signal);
  const message = fake.state.message(receipt.message)!;
  expect(message).toMatchObject({ blocks: [], files: [] });
  expect(message.metadata).toEqual({ event_type: "bellwether_delivery", event_payload: { delivery: "d1" } });
  expect(message.text).toMatch(/^<!subteam\^S9> Blocks have stopped &lt;!channel&gt;\n\nNo .block. for 40 s\./u);
  expect(message.text.length).toBeLessThan(3100);
  expect(fake.state.files.size).toBe(0);
  await sender.update(receipt, alert, signal, { plain: true });
  expect(message).toMatchObject({ blocks: [], edits: 1 });
  expect(fake.complaints()).toEqual([]);
});
