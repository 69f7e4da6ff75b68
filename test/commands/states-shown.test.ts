import { describe, expect, test } from "vitest";

import { TONE_SIGNS } from "../../src/adapters/chat/tone-signs.ts";
import { COLORS, renderEmbed } from "../../src/adapters/discord/render/embed.ts";
import { renderDiscord } from "../../src/adapters/discord/render/render.ts";
import { renderSlack } from "../../src/adapters/slack/render/render.ts";
import { renderTerminal } from "../../src/adapters/terminal/render/render.ts";
import type { AlertJson } from "../../src/adapters/web/alerts/alert-json.ts";
import type { OpenAlert, WatchedNetwork } from "../../src/adapters/web/alerts/watch.ts";
import { stateAlert, wordOf } from "../../src/adapters/web/public/alerts/standing.js";
import { renderReply } from "../../src/adapters/web/public/reply/reply.js";
import { networkLines, networkPills } from "../../src/adapters/web/public/state/state.js";
import { NetworkStatus } from "../../src/alerts/judge/kinds/network-status.ts";
import { type Episode, episodeName, isOpen } from "../../src/alerts/judge/rules/episode.ts";
import { networkState, verdictWords } from "../../src/alerts/words/network-status-words.ts";
import { homeStanding } from "../../src/main/platforms/home-standing.ts";
import { EPISODE_WORDS, NETWORK_STATES, RESOLVED_TONE, SEVERITY } from "../../src/reply/states.js";
import { paragraph } from "../../src/reply/block.ts";
import { replyToJson } from "../../src/reply/json.ts";
import { plainText } from "../../src/reply/plain-text.ts";
import { reply, type Reply, type Tone } from "../../src/reply/reply.ts";
import { timeFromText } from "../../src/alerts/judge/kinds/kind.ts";
import { toMillis } from "../../src/units/time.ts";
import { auction, blind, down, stalled } from "../alerts/readings.ts";
import { textsOf } from "../adapters/web/print-tree.ts";
import { alertsOn } from "../support/alert-service.ts";
import { describeAlert } from "../support/gist.ts";
import { homeContext } from "../support/home-context.ts";
import { NOON } from "../support/talk.ts";
import { factOf, rowsNamed } from "./agree/read-reply.ts";
import { see, talkInOps } from "./alert-channel.ts";

// A state has one word, one colour and one sign, wherever it stands.

const NOW = toMillis(NOON);

describe("a tone", () => {
  test.each([
    ["neutral", "•", ""],
    ["good", "✓", "✅ "],
    ["warning", "!", "⚠️ "],
    ["bad", "✗", "⛔ "],
  ] as const)("%s has one sign and one colour", (tone, terminal, chat) => {
    const said = reply({ tone, title: "mainnet", blocks: [paragraph("said")] });
    expect(surfacesOf(said)).toEqual({
      terminal,
      Slack: chat,
      Discord: COLORS[tone],
      "alert on Discord": [chat, COLORS[tone]],
      page: tone,
      JSON: tone,
    });
    expect(Object.values(COLORS).filter((one) => one === COLORS[tone])).toHaveLength(1);
    expect(TONE_SIGNS[tone]).toBe(chat);
  });
});

describe("the state of a network", () => {
  test.each(["healthy", "contested", "unconfirmed", "syncing", "stalled", "blind", undefined] as const)(
    "%s has one word and one tone on the page's card and bar",
    (state) => {
      const { word, tone } = NETWORK_STATES[state ?? "unwatched"];
      const watched: WatchedNetwork = {
        network: "mainnet",
        nodes: [{ node: "a:1", state: "ok", vote: "moves" }],
        stalled: { phase: "ok" },
        ...(state === undefined ? {} : { verdict: { state, why: "so it is", at: String(NOON) } }),
      };
      const [card] = networkLines({ networks: [watched] }, { now: NOW, gone: false, pace: () => 1 });
      const [pill] = networkPills({ networks: [watched] }, false);
      for (const tree of [card!, pill!]) {
        expect(tree.attrs["data-tone"]).toBe(tone);
        expect(textsOf(tree).join(" ").toLowerCase()).toContain(word);
      }
    },
  );

  test.each(NetworkStatus.shape.verdict.options)("%s has the same word and tone where watchers say it", (verdict) => {
    const status: NetworkStatus = { network: "mainnet", verdict, firing: [], more: 0 };
    const same = NETWORK_STATES[verdict === "disagree" ? "contested" : verdict];
    expect([verdictWords(status), networkState(status)]).toEqual([same.word, same]);
  });

  test("no two states have one word, and only a healthy one is good", () => {
    const all = Object.values(NETWORK_STATES);
    expect(new Set(all.map(({ word }) => word)).size).toBe(all.length);
    expect(all.filter(({ tone }) => tone === "good")).toEqual([NETWORK_STATES.healthy]);
    expect(NETWORK_STATES.blind.tone).toBe("warning");
  });
});

describe("an alert", () => {
  test("of each severity, in each state, has one word and one tone in every answer and on every surface", async () => {
    const talk = await talkInOps();
    const good = [stalled("good"), blind("good"), down("good"), down("good", "b:1"), auction("good")];
    await see(talk, 1, good);
    await see(talk, 60, [stalled("bad"), blind("good"), down("bad"), down("bad", "b:1"), auction("bad")]);
    await see(talk, 1, [stalled("bad"), blind("good"), down("good"), down("bad", "b:1"), auction("bad")]);
    const episodes = await talk.engine.openEpisodes();
    const home = await homeStanding(homeContext(alertsOn(talk.store).service), ["mainnet"], 0, false);
    const rows = rowsNamed(await talk.askFor("alerts status"), "open-episodes");
    const seen = new Set<string>();
    for (const episode of episodes) {
      const { severity, state } = episode;
      seen.add(`${severity} ${state}`);
      const { word, tone } = SEVERITY[severity];
      const row = rows.find((one) => one["Episode"] === episodeName(episode.id));
      expect([row?.["Severity"], row?.["State"]]).toEqual([severity, EPISODE_WORDS[state]]);
      const why = await talk.askFor(`alerts why "${episode.id}"`);
      expect([why.tone, factOf(why, "State")]).toEqual([tone, `${EPISODE_WORDS[state]}, ${severity}`]);
      const told = describeAlert({ type: "condition", phase: "state", episode });
      expect([told.tone, JSON.stringify(told.blocks).includes(word)]).toEqual([tone, true]);
      const open = openOf(episode);
      const card = stateAlert(open);
      expect(card.reply.tone).toBe(tone);
      expect(wordOf(card, open)).toEqual([
        (state === "recovering" ? EPISODE_WORDS.recovering : word).toUpperCase(),
        tone,
      ]);
      const shown = home.open.find((one) => one.why.options["episode"] === episode.id);
      expect([shown?.tone, plainText(shown?.text ?? []).includes(word)]).toEqual([tone, true]);
      expect(plainText(shown?.text ?? []).includes(EPISODE_WORDS.recovering)).toBe(state === "recovering");
    }
    expect(seen).toEqual(new Set(["critical firing", "warning firing", "warning recovering"]));
  });

  test("that is over has one word and one tone", async () => {
    const talk = await talkInOps();
    await see(talk, 1, [stalled("good"), down("good")]);
    await see(talk, 5, [stalled("good"), down("bad")]);
    await see(talk, 60, [stalled("good"), down("good")]);
    const [episode] = await talk.engine.lastEpisodes(1);
    expect(isOpen(episode!)).toBe(false);
    const why = await talk.askFor("alerts why node.down");
    expect([why.tone, factOf(why, "State")]).toEqual([RESOLVED_TONE, EPISODE_WORDS.resolved]);
    expect(describeAlert({ type: "condition", phase: "state", episode: episode! }).tone).toBe(RESOLVED_TONE);
    const card = { ...stateAlert(openOf(episode!)), state: "resolved" };
    expect(wordOf(card as AlertJson, undefined)).toEqual([EPISODE_WORDS.resolved.toUpperCase(), RESOLVED_TONE]);
    // Where no alert is open, a warning's sign stands before its reason.
    const { service } = alertsOn(talk.store);
    const witnesses = [true, false, true].map((reachable) => ({ reachable }));
    const alerts = { ...service, snapshot: async () => ({ at: NOW, data: { round: { witnesses } } }) };
    const { title } = await homeStanding(homeContext(alerts), ["mainnet"], 0, false);
    expect([title.tone, plainText(title.text)]).toEqual(["warning", "1 of 3 nodes in trouble, no alert is open"]);
  });
});

function openOf({ id, kind, network, subject, severity, state, began }: Episode): OpenAlert {
  const now = state === "recovering" ? "recovering" : "firing";
  return { episode: id, kind, network, subject, severity, state: now, began: String(timeFromText(began)) };
}

/** The sign or the colour of a reply on each surface. */
function surfacesOf(said: Reply): Record<string, unknown> {
  const json = replyToJson(said);
  const before = (text: string): string => text.slice(0, text.indexOf("mainnet"));
  const { content, embeds } = renderEmbed(said);
  const [container] = renderDiscord(said).components;
  return {
    terminal: renderTerminal(said, { width: 80, colour: false, links: false, now: NOON })[0],
    Slack: before(renderSlack(said).text),
    Discord: container !== undefined && "accent_color" in container ? container.accent_color : undefined,
    "alert on Discord": [before(content), embeds[0]?.color],
    page: renderReply(json, { now: NOW, timeZone: "UTC" }).attrs["data-tone"],
    JSON: json.tone satisfies Tone,
  };
}
