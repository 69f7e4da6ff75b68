import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { askWeb, type Connected, createSandbox, type Sandbox, startOn } from "../../support/bellwether.ts";
import { until } from "../../support/fake-discord/until.ts";
import { FakeSlack } from "../../support/fake-slack/fake-slack.ts";
import { labelsOf, textOf } from "../../support/fake-slack/person.ts";

let sandbox: Sandbox;
let fake: FakeSlack;
beforeEach(async () => {
  sandbox = createSandbox();
  fake = await FakeSlack.start();
});
afterEach(async () => {
  await sandbox.cleanUp();
  await fake.stop();
});

const slack = (): Record<string, string> => ({
  SLACK_BOT_TOKEN: fake.state.botToken,
  SLACK_APP_TOKEN: fake.state.appToken,
  SLACK_API_URL: fake.apiUrl,
  ALLOW_SIMULATOR: "1",
  DATABASE_URL: "file:./slack.db",
  // One slice: a node rests between two.
  EXPORT_SLICE: "1000d",
});

/** Starts it and waits until both its sockets listen. */
async function start(): Promise<Connected> {
  const running = await startOn("slack", sandbox, slack());
  await until(() => fake.sockets.listening >= 2, "the sockets");
  return running;
}

describe("npm start with Slack's tokens", () => {
  it("answers commands, forms, mentions and the home tab, and its buttons outlive a kill", async () => {
    const first = await start();
    const channel = fake.channel();
    const ada = fake.person("ada");
    const asked = await ada.run(channel, "checkpoints");
    const message = asked.last;
    const firstPage = textOf(message);
    expect(firstPage).toContain("SIMULATED");

    const markets = await ada.run(channel, "market list");
    expect(textOf(markets.last)).not.toMatch(/<!(?:channel|here|everyone)>|<script>/u);
    const shared = await ada.press(markets.last, "Share");
    expect(shared.last.onlyFor).toBeUndefined();
    expect(textOf(shared.last)).toContain(`Shared by <@${ada.id}>`);

    const bare = ada.type(channel, "market show");
    const form = await ada.form();
    const [market = ""] = await ada.complete(form, "market", "b");
    expect(market).not.toBe("");
    expect(await ada.submit(form, { market })).toEqual({});
    await bare.answered();

    const root = fake.state.post({ channel, text: "what about it?" });
    ada.mention(channel, "info", root.ts);
    await until(() => ada.sees(channel).some(({ thread }) => thread === root.ts), "it");
    const home = labelsOf((await ada.openHome()).blocks);
    expect(home).toEqual(expect.arrayContaining(["Ask a question", "Markets", "Help"]));
    await first.kill("SIGKILL");

    const second = await start();
    const next = await ada.press(message, "Next (older)");
    expect(textOf(next.last)).toContain("SIMULATED");
    expect(textOf(next.last)).not.toBe(firstPage);
    expect(await second.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });

  it("subscribes a channel from the home tab, which marks it where the app is not in it", async () => {
    fake.expected.add("not_in_channel");
    const running = await start();
    const ada = fake.person("ada");
    const channel = fake.channel({ member: false });
    ada.chooseChannel(await ada.openHome(), channel);
    expect(await ada.submit(await ada.form(), { kinds: "ops" })).toEqual({});
    expect(textOf(await ada.answerInView())).toContain("/invite @bellwether");
    const shown = (): string => textOf(fake.state.homes.get(ada.id)!);
    await until(() => shown().includes(`<#${channel}>: the *ops* alerts`), "the channel");
    expect(shown()).toMatch(/cannot be reached since .*\/invite @bellwether/u);
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });

  it("sends an export as a file to the asker's direct messages", async () => {
    const running = await start();
    const ada = fake.person("ada");
    const bare = ada.type(fake.channel(), "ledger export");
    const form = await ada.form();
    const [party = ""] = await ada.complete(form, "party", "");
    const [asset = ""] = await ada.complete(form, "asset", "");
    expect(await ada.submit(form, { party, asset })).toEqual({});
    await bare.answered();
    const file = ada.directMessages().flatMap(({ files }) => files)[0];
    expect(file?.name).toMatch(/^SIMULATED-(?:PARTIAL-HISTORY-)?ledger-.*\.csv$/u);
    expect(file?.bytes?.toString()).toContain("vega_time");
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });

  it("runs on where Slack refuses its tokens, and says so", async () => {
    fake.expected.add("invalid_auth");
    const running = sandbox.run(["start"], {
      ...slack(),
      SLACK_BOT_TOKEN: "xoxb-wrong",
      SLACK_APP_TOKEN: "xapp-wrong",
    });
    const [url] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\//u);
    while (!running.stderr().includes("Slack refuses")) await sleep(50);
    expect(await askWeb(url, "time")).toMatchObject({ status: 200 });
    const { code, stderr } = await running.kill("SIGTERM");
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/xoxb-wrong|xapp-wrong/u);
  });

  it("answers a hundred questions at once, and comes back by itself after an outage", async () => {
    const running = await start();
    const ada = fake.person("ada");
    const channel = fake.channel();
    const lines = ["time", "market list", "help", "info", "snapshots"];
    const dialogs = Array.from({ length: 100 }, (_, index) => ada.type(channel, lines[index % lines.length] ?? "time"));
    await Promise.all(dialogs.map((dialog) => dialog.answered()));
    fake.goOffline();
    while ((await running.health()).ok) await sleep(50);
    fake.offline = false;
    await until(() => fake.sockets.listening === 2, "the sockets", 30_000);
    expect(textOf((await ada.run(channel, "time")).last)).toContain("SIMULATED");
    expect(await running.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });

  it("is killed in the middle of an answer: nothing of it comes later, and it can be asked again", async () => {
    const first = await start();
    const ada = fake.person("ada");
    const channel = fake.channel();
    fake.fail({ method: "respond", answer: "hang-before" });
    fake.fail({ method: "respond", answer: "hang-after" });
    const lost = ada.type(channel, "time");
    const arrived = ada.type(channel, "help");
    await until(() => fake.held === 2, "both answers to be under way");
    await first.kill("SIGKILL");
    fake.release();
    const second = await start();
    expect(textOf((await ada.run(channel, "time")).last)).toContain("SIMULATED");
    expect([lost, arrived].map(({ messages }) => messages.length).toSorted((a, b) => a - b)).toEqual([0, 1]);
    expect(ada.directMessages()).toEqual([]);
    expect(await second.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });

  it("is stopped while it works: whoever waits is told, and a button asks again", async () => {
    const first = await start();
    const ada = fake.person("ada");
    const channel = fake.channel();
    const bare = ada.type(channel, "ledger export");
    const form = await ada.form();
    const [party = ""] = await ada.complete(form, "party", "");
    const [asset = ""] = await ada.complete(form, "asset", "");
    // The file is on its way to Slack when the bot is stopped.
    fake.fail({ method: "upload", answer: "hang-before" });
    expect(await ada.submit(form, { party, asset })).toEqual({});
    await until(() => fake.held === 1, "the upload");
    expect(await first.kill("SIGTERM")).toMatchObject({ code: 0 });
    await bare.answered();

    fake.release();
    const second = await start();
    await ada.press(bare.last, "Ask again");
    expect(ada.directMessages().flatMap(({ files }) => files)).toHaveLength(1);
    expect(await second.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(fake.complaints()).toEqual([]);
  });
});
