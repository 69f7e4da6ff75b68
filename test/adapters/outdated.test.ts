import { describe, expect, test } from "vitest";

import { episodeRow } from "../../src/alerts/judge/rules/episode.ts";
import { labelsOf as labelsOnDiscord, textOf } from "../support/fake-discord/person.ts";
import type { StoredMessage as DiscordMessage } from "../support/fake-discord/state.ts";
import { until } from "../support/fake-discord/until.ts";
import { choicesOf, labelsOf as labelsOnSlack } from "../support/fake-slack/person.ts";
import type { StoredMessage as SlackMessage } from "../support/fake-slack/state.ts";
import { anEpisode, aSubscription } from "../alerts/samples.ts";
import { saying } from "../support/said.ts";
import { stage as onDiscord } from "./discord/stage.ts";
import { said } from "./slack/shown.ts";
import { stage as onSlack } from "./slack/stage.ts";

// What a button changes, its own message shows: the answer takes its place, or stands below while the message is asked
// again.

/** Ann, who manages a channel of one platform, at her phone. */
interface Phone<M> {
  ask(command: string, options?: Readonly<Record<string, string | boolean>>): Promise<M>;
  /** Presses, and says yes where that is asked; what came of it is on `sees`. */
  press(message: M, label: string, confirms?: boolean): Promise<void>;
  says(message: M): string;
  offers(message: M): readonly string[];
  /** All that she sees there. */
  sees(): readonly M[];
  /** Subscribes the channel, which the bot then tells nothing. */
  subscribe(): Promise<string>;
  /** Lets a node go down, of which the channel is told. */
  fire(): Promise<void>;
  /** Changes everything as somebody else would. */
  endAll(): Promise<void>;
}

async function discordPhone(
  use: (phone: Phone<DiscordMessage>) => Promise<void>,
  options: { readonly direct?: boolean } = {},
): Promise<void> {
  await using scene = await onDiscord();
  const ann = scene.fake.person("Ann", { manages: true });
  const channel = options.direct === true ? scene.fake.direct(ann) : scene.channel;
  const destination = { platform: "discord", channel: options.direct === true ? `user:${ann.id}` : channel };
  await use({
    ask: async (command, given = {}) => (await ann.run(channel, command, given)).last,
    press: async (message, label, confirms = false) => {
      const pressed = await ann.press(message, label);
      if (confirms) await ann.press(pressed.last, label);
    },
    says: textOf,
    offers: labelsOnDiscord,
    sees: () => ann.sees(channel),
    subscribe: async () => {
      const by = { id: ann.id, name: "Ann" };
      const one = aSubscription({ id: "7k2mq", destination, kinds: ["node.down"], created: 0, by });
      await scene.engine.putSubscriptions([one], "Ann");
      return one.id;
    },
    fire: () => scene.store.transaction(({ alerts }) => alerts.watch.putEpisodes([episodeRow(anEpisode("node.down"))])),
    endAll: async () => {
      for (const one of await scene.engine.silences()) {
        await scene.engine.putSilence({ ...one, from: one.from - 2, until: one.from - 1 }, "bob");
      }
    },
  });
}

async function slackPhone(
  use: (phone: Phone<SlackMessage>) => Promise<void>,
  options: { readonly direct?: boolean } = {},
): Promise<void> {
  await using scene = await onSlack();
  const ann = scene.fake.person("ann");
  const channel = options.direct === true ? scene.fake.state.direct(ann.id).id : scene.channel;
  const destination = { platform: "slack", channel: options.direct === true ? `user:${ann.id}` : channel };
  const written = (given: Readonly<Record<string, string | boolean>>): string =>
    Object.entries(given)
      .map(([name, value]) => ` ${name}:${typeof value === "string" ? value : value ? "yes" : "no"}`)
      .join("");
  await use({
    ask: async (command, given = {}) => (await ann.run(channel, `${command}${written(given)}`)).last,
    press: async (message, label) => {
      await ann.press(message, label);
    },
    says: said,
    offers: ({ blocks }) => [...labelsOnSlack(blocks), ...choicesOf(blocks)],
    sees: () => scene.fake.state.messages.filter((one) => one.channel === channel && !one.gone),
    subscribe: async () => {
      const by = { id: ann.id, name: "ann" };
      const one = aSubscription({ id: "7k2mq", destination, kinds: ["node.down"], created: 0, by });
      await scene.alerts.putSubscriptions([one], "ann");
      return one.id;
    },
    fire: () => scene.store.transaction(({ alerts }) => alerts.watch.putEpisodes([episodeRow(anEpisode("node.down"))])),
    endAll: async () => {
      for (const one of await scene.alerts.silences()) {
        await scene.alerts.putSilence({ ...one, from: one.from - 2, until: one.from - 1 }, "bob");
      }
    },
  });
}

type Story = <M>(phone: Phone<M>) => Promise<void>;

type Open = (tell: Story, options?: { readonly direct?: boolean }) => Promise<void>;

const PLATFORMS: readonly (readonly [string, Open])[] = [
  ["Discord", discordPhone],
  ["Slack", slackPhone],
];

for (const direct of [false, true]) {
  const where = direct ? "in direct messages" : "in a channel";

  test.each(PLATFORMS)(`on %s End silence ${where} takes the place of what it ends`, (_platform, open) =>
    open(
      async (phone) => {
        const silenced = await phone.ask("alerts silence", { what: "node.down", for: "1h" });
        expect(phone.offers(silenced)).toContain("End silence");
        const before = phone.sees().length;
        await phone.press(silenced, "End silence");
        await until(() => !phone.offers(silenced).includes("End silence"), "the end");
        expect(phone.says(silenced)).toMatch(saying("node outages"));
        expect(phone.sees()).toHaveLength(before);
      },
      { direct },
    ),
  );

  test.each(PLATFORMS)(
    `on %s Remove ${where} takes the place of the subscription, and its Undo that of the removal`,
    (_platform, open) =>
      open(
        async (phone) => {
          const id = await phone.subscribe();
          const list = await phone.ask("alerts list");
          const before = phone.sees().length;
          await phone.press(list, "Remove", true);
          await until(() => phone.offers(list).includes("Undo"), "the removal");
          expect(phone.says(list)).toMatch(saying(id, "removed"));
          expect(phone.offers(list)).not.toContain("Pause");
          // Nor does the question stand there any more.
          await until(() => phone.sees().length === before, "the question");
          await phone.press(list, "Undo");
          await until(() => phone.offers(list).includes("Pause"), "the undoing");
          expect(phone.offers(list)).not.toContain("Undo");
          await phone.press(list, "Pause");
          await until(() => phone.offers(list).includes("Resume"), "the pause");
          expect(phone.offers(list)).not.toContain("Pause");
        },
        { direct },
      ),
  );
}

test.each(PLATFORMS)(
  "on %s a list of silences is shown again once one of them is ended, and the answer stands below",
  (_platform, open) =>
    open(async (phone) => {
      await phone.ask("alerts silence", { what: "node.down", for: "1h" });
      await phone.ask("alerts silence", { what: "network.stalled", for: "2h" });
      const list = await phone.ask("alerts silences");
      expect(phone.says(list)).toMatch(saying("node outages", "stalls"));
      const before = phone.sees();
      const [end = ""] = phone.offers(list).filter((label) => /^End|node outages/u.test(label));
      await phone.press(list, end);
      await until(() => !phone.says(list).includes("node outages"), "the list");
      expect(phone.says(list)).toMatch(saying("stalls"));
      const below = phone.sees().filter((one) => !before.includes(one));
      expect(below.map((one) => phone.says(one))).toEqual([expect.stringMatching(saying("node outages"))]);
    }),
);

test.each(PLATFORMS)("on %s the story of an alert is told again once it is acknowledged there", (_platform, open) =>
  open(async (phone) => {
    await phone.subscribe();
    await phone.fire();
    const story = await phone.ask("alerts why", { episode: "node.down" });
    await phone.press(story, "Acknowledge");
    await until(() => !phone.offers(story).includes("Acknowledge"), "the story");
    expect(phone.says(story)).toMatch(saying("acknowledged", /[Aa]nn/u));
  }),
);

test.each(PLATFORMS)("on %s a button that was left behind says that it is over, and goes", (_platform, open) =>
  open(async (phone) => {
    const silenced = await phone.ask("alerts silence", { what: "node.down", for: "1h" });
    await phone.endAll();
    await phone.press(silenced, "End silence");
    await until(() => !phone.offers(silenced).includes("End silence"), "the end");
    expect(phone.says(silenced)).toMatch(saying("Over already", "node outages"));
  }),
);

test.each(PLATFORMS)(
  "on %s an answer that everybody sees offers nothing that another person would not see to be done",
  (_platform, open) =>
    open(async (phone) => {
      const shown = await phone.ask("alerts silence", { what: "node.down", for: "1h", private: false });
      expect(phone.says(shown)).toMatch(saying("node outages"));
      expect(phone.offers(shown)).not.toContain("End silence");
      expect(phone.offers(await phone.ask("alerts silences", { private: false }))).not.toContain("End silence");
      expect(phone.offers(await phone.ask("alerts silences", { private: true }))).toContain("End silence");
    }),
);

describe("on Discord a restart between the question and its answer", () => {
  /** Ann is asked below a list whether she means it, and the bot restarts. */
  async function asked(scene: Awaited<ReturnType<typeof onDiscord>>) {
    const ann = scene.fake.person("Ann", { manages: true });
    const by = { id: ann.id, name: "Ann" };
    const destination = { platform: "discord", channel: scene.channel };
    const one = aSubscription({ id: "7k2mq", destination, kinds: ["node.down"], created: 0, by });
    await scene.engine.putSubscriptions([one], "Ann");
    const { last: list } = await ann.run(scene.channel, "alerts list");
    const { last: question } = await ann.press(list, "Remove");
    await scene.restart();
    return { ann, list, question };
  }

  test("changes the message all the same, and takes the question away", async () => {
    await using scene = await onDiscord({ rememberedAfter: 600_000 });
    const { ann, list, question } = await asked(scene);
    ann.startPress(question, "Remove");
    await until(() => labelsOnDiscord(list).includes("Undo"), "the removal");
    expect(textOf(list)).toMatch(saying("7k2mq", "removed"));
    expect(labelsOnDiscord(list)).not.toContain("Pause");
    await until(() => !ann.sees(scene.channel).includes(question), "the end of the question");
  });

  test("without a key leaves the message, which says so when it is pressed", async () => {
    await using scene = await onDiscord();
    const { ann, list, question } = await asked(scene);
    await ann.press(question, "Remove");
    expect(textOf(question)).toMatch(saying("7k2mq", "removed"));
    await ann.press(list, "Pause");
    await until(() => !labelsOnDiscord(list).includes("Pause"), "the pause");
    expect(textOf(list)).toMatch(saying("7k2mq", "removed"));
  });
});
