import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { COLORS } from "../../../../src/adapters/discord/render/embed.ts";
import { customIdsIn } from "../../../../src/adapters/discord/render/press.ts";
import { noAlertNotice } from "../../../../src/adapters/chat/why-this-alert.ts";
import { episodeName } from "../../../../src/alerts/judge/rules/episode.ts";
import { plainText } from "../../../../src/reply/plain-text.ts";
import { price } from "../../../alerts/readings.ts";
import { delivering } from "../../../support/delivering.ts";
import { labelsOf, type Person, textOf } from "../../../support/fake-discord/person.ts";
import type { StoredMessage } from "../../../support/fake-discord/state.ts";
import { until } from "../../../support/fake-discord/until.ts";
import { saying } from "../../../support/said.ts";
import { seeDown, seeNow } from "../../../support/see.ts";
import { stage, type Stage } from "../stage.ts";

// An alert on Discord end to end: subscription, post and buttons in a channel, over a restart.

let on: Stage;
let ann: Person;
let bob: Person;
beforeEach(async () => {
  on = await stage({ simulated: false });
  ann = on.fake.person("Ann", { manages: true });
  bob = on.fake.person("Bob");
});
afterEach(() => on[Symbol.asyncDispose]());

/** The id of the alert about a node that is down, which its message bears. */
const DOWN = "node.down|mainnet|a:1|1";
/** Whether it says that only those who manage the channel may do that. */
const isRefusal = (message: StoredMessage): boolean =>
  (message.components[0] as { accent_color?: number }).accent_color === COLORS.warning &&
  textOf(message).includes("manage this channel");

const posts = () =>
  [...on.fake.state.messages.values()].filter((one) => one.channel === on.channel && one.onlyFor === undefined);
/** By its words, or by what its buttons are about: the id of an alert is among its details. */
const post = (words: string) =>
  posts().find((one) => [textOf(one), ...customIdsIn(one.components)].some((part) => part.includes(words)));

/** Without how long it has lasted. */
const headline = (message: StoredMessage): string =>
  (textOf(message).split("\n", 1)[0] ?? "").replace(/\d+ m?s so far$/u, "so far");

/** Delivers until a post with these words is there. */
async function deliverUntil(words: string): Promise<void> {
  await using _ = delivering(on.store, on.adapter);
  await until(() => post(words) !== undefined, words);
}

describe("an alert on Discord", () => {
  test("is subscribed to, delivered, acknowledged and silenced by its buttons, also after a restart", async () => {
    const added = await ann.run(on.channel, "alerts add", { kinds: "node.down" });
    expect(textOf(added.last)).toMatch(saying("node outages", "mainnet"));
    expect(added.last.onlyFor).toBe(ann.id);
    await seeDown(on);
    await deliverUntil(DOWN);
    expect(posts().map((one) => one.content)).toEqual([
      expect.stringContaining("node outages"),
      expect.stringContaining("a:1"),
    ]);
    expect(labelsOf(post(DOWN)!)).toEqual(["Acknowledge", "Silence 1 h", "Details"]);

    await on.restart();
    const refused = await bob.press(post(DOWN)!, "Acknowledge");
    expect(isRefusal(refused.last)).toBe(true);
    const story = await bob.press(post(DOWN)!, "Details");
    expect(isRefusal(story.last)).toBe(false);
    expect(textOf(story.last)).toContain("a:1");
    // The menu of its message tells the same.
    const chosen = await bob.choose(post(DOWN)!, "Why this alert?");
    expect([chosen.last.onlyFor, headline(chosen.last)]).toEqual([bob.id, headline(story.last)]);
    const elsewhere = await bob.choose(
      posts().find((one) => one !== post(DOWN))!,
      "Why this alert?",
    );
    expect([elsewhere.last.onlyFor, textOf(elsewhere.last)]).toEqual([
      bob.id,
      expect.stringContaining(plainText(noAlertNotice().title)),
    ]);
    const before = posts().length;
    const acknowledged = await ann.press(post(DOWN)!, "Acknowledge");
    expect(acknowledged.last.onlyFor).toBe(ann.id);
    await deliverUntil(`<@${ann.id}>`);
    expect(textOf(post(DOWN)!)).toContain(`<@${ann.id}>`);
    expect(posts()).toHaveLength(before);
    const silenced = await ann.press(post(DOWN)!, "Silence 1 h");
    expect(textOf(silenced.last)).toContain("node outages");
    await deliverUntil("silenced node outages");
    const ended = await ann.press(post("silenced node outages")!, "End silence");
    expect(textOf(ended.last)).toContain("node outages");
    expect(await on.engine.silences()).toEqual([]);
  });

  test("may be acknowledged and silenced by members of the role that it mentions", async () => {
    const role = on.fake.state.snowflake();
    const mia = on.fake.person("Mia", { roles: [role] });
    await ann.run(on.channel, "alerts add", { kinds: "node.down", mention: `<@&${role}>` });
    await seeDown(on);
    await deliverUntil(DOWN);
    expect(isRefusal((await bob.press(post(DOWN)!, "Silence 1 h")).last)).toBe(true);
    expect(textOf((await mia.press(post(DOWN)!, "Silence 1 h")).last)).toContain("Silenced");
    const long = await mia.run(on.channel, "alerts silence", { what: "all", for: "9h" });
    expect(textOf(long.last)).toContain("8 h at most");
    expect(textOf((await mia.press(post(DOWN)!, "Acknowledge")).last)).toContain("Acknowledged");
    expect(textOf((await ann.press(post(DOWN)!, "Acknowledge")).last)).toContain("Mia was first");
    expect((await on.engine.openEpisodes())[0]?.acknowledged?.by).toBe("Mia");
  });

  test("keeps its buttons where its episode's name is too long for one", async () => {
    const market = "ab".repeat(32);
    await ann.run(on.channel, "alerts add", {
      kinds: "market.price",
      subjects: market,
      high: "70000.123456789",
      low: "1",
    });
    await seeNow(on, price("50", market));
    await seeNow(on, price("80000", market));
    await deliverUntil("above 70,000.123456789 on mainnet since");
    await on.restart();
    const pressed = await ann.press(post("above 70,000.123456789 on mainnet since")!, "Acknowledge");
    expect(textOf(pressed.last)).toContain("Acknowledged");
    expect((await on.engine.openEpisodes())[0]?.acknowledged?.by).toBe("Ann");
  });

  test("is read back where it was told, by who manages the channel from anywhere in the server, and by nobody else", async () => {
    await ann.run(on.channel, "alerts add", { kinds: "node.down" });
    await seeDown(on);
    await deliverUntil(DOWN);
    const told = async (who: Person, channel: string): Promise<string> => {
      const dialog = await who.run(channel, "alerts told", { since: "3h" });
      expect(dialog.last.onlyFor).toBe(who.id);
      return textOf(dialog.last);
    };
    expect(await told(ann, on.channel)).toMatch(saying("a:1 on mainnet does not answer", "so far"));
    expect(await told(bob, on.channel)).toMatch(saying("a:1 on mainnet does not answer", "this channel"));
    const role = on.fake.state.snowflake();
    on.fake.state.roles.set(role, 16n);
    const [moderator, member] = [on.fake.person("Mo", { roles: [role] }), on.fake.person("Eve")];
    const general = on.fake.channel();
    expect(await told(moderator, general)).toContain("a:1 on mainnet does not answer");
    expect(await told(moderator, on.fake.channel("700000000000000077"))).not.toContain("a:1");
    expect(await told(member, general)).not.toContain("a:1");
    const log = await bob.run(on.channel, "alerts log", { what: "yesterday" });
    expect(textOf(log.last)).toMatch(saying("none", "UTC"));
  });

  test("is changed by channel managers; everyone may see its messages and their reason", async () => {
    await ann.run(on.channel, "alerts add", { kinds: "node.down" });
    await seeDown(on);
    await deliverUntil(DOWN);
    const [subscription] = await on.engine.subscriptions();
    const id = subscription?.id ?? "";
    await ann.run(on.channel, "alerts silence", { what: "all", for: "1h" });
    const [silence] = await on.engine.silences();
    const episode = DOWN;
    const before = [await on.engine.subscriptions(), await on.engine.silences()];

    const refused = async (command: string, options: Record<string, string> = {}): Promise<boolean> => {
      const dialog = await bob.run(on.channel, command, options);
      await until(() => dialog.messages.some((one) => !one.thinking), command);
      return isRefusal(dialog.last);
    };
    const changes: [string, Record<string, string>][] = [
      ["alerts add", { kinds: "markets" }],
      ["alerts edit", { id, severity: "critical" }],
      ["alerts remove", { id }],
      ["alerts pause", { id }],
      ["alerts resume", { id }],
      ["alerts silence", { what: "all", for: "2h" }],
      ["alerts unsilence", { id: silence?.id ?? "" }],
      ["alerts ack", { episode }],
      ["alerts drill", {}],
    ];
    for (const [command, options] of changes)
      expect([command, await refused(command, options)]).toEqual([command, true]);
    for (const command of ["alerts list", "alerts log", "alerts status", "alerts silences"]) {
      expect([command, await refused(command)]).toEqual([command, false]);
    }
    expect(await refused("alerts why", { episode })).toBe(false);

    const shown = await ann.run(on.channel, "alerts list", { private: false });
    for (const message of [post(DOWN)!, shown.last]) {
      for (const label of labelsOf(message).filter((one) => /^(?:Ack|Silence|Remove|Pause|Edit)/u.test(one))) {
        let pressed = await bob.press(message, label);
        const [confirm] = textOf(pressed.last).includes("unless you confirm") ? labelsOf(pressed.last) : [];
        if (confirm !== undefined) pressed = await bob.press(pressed.last, confirm);
        expect([label, isRefusal(pressed.last)]).toEqual([label, true]);
      }
    }
    expect([await on.engine.subscriptions(), await on.engine.silences()]).toEqual(before);
  });

  test("offers kinds, alerts and episodes while they are typed", async () => {
    await ann.run(on.channel, "alerts add", { kinds: "node.down" });
    await seeDown(on);
    const kinds = await ann.complete(on.channel, "alerts add", "kinds", "ops,mark");
    expect(kinds.map(({ value }) => value)).toContain("ops,market.price");
    const [alert] = await ann.complete(on.channel, "alerts remove", "id", "");
    expect(alert?.name).toContain("Node outages on mainnet");
    const [episode] = await ann.complete(on.channel, "alerts why", "episode", "node");
    expect(episode?.value).toBe(episodeName(DOWN));
  });
});
