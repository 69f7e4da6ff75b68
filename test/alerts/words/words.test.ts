import * as fc from "fast-check";
import { secondsIn } from "../../../src/alerts/words/phrases.ts";
import { describe as group, expect, it } from "vitest";

import type { Guidance } from "../../../src/alerts/alerts-config.ts";
import { AlertEvent, severityOfEvent } from "../../../src/alerts/judge/kinds/event.ts";
import type { Event } from "../../../src/alerts/judge/kinds/kind.ts";
import { CONDITION_KINDS, KINDS } from "../../../src/alerts/judge/kinds/kinds.ts";
import { deliverySubject } from "../../../src/alerts/message/delivery-subject.ts";
import { AlertMessage } from "../../../src/alerts/message/message.ts";
import { describe } from "../../../src/alerts/words/words.ts";
import { ruleWords } from "../../../src/alerts/words/subscription-words.ts";
import { aboveFold } from "../../../src/reply/fold.ts";
import { fullText } from "../../../src/reply/full-text.ts";
import { plainText } from "../../../src/reply/plain-text.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import type { Episode } from "../../../src/alerts/judge/rules/episode.ts";
import { alertMessages, at, episodeOf, EVENT_KINDS, eventOf } from "../../support/gallery/alert-messages.ts";
import { gist } from "../../support/gist.ts";
import { replyTexts } from "../../support/reply-texts.ts";
import { linesOf, saying } from "../../support/said.ts";
import { wordsOf } from "../outage.ts";
import { anEpisode } from "../samples.ts";

// The texts themselves are in the gallery (test/golden/alerts.txt).

group("an alert in words", () => {
  it.each(alertMessages.map(([message, context]) => [gist(message, context), message, context] as const))(
    "survives the store, has no hole and says when: %s",
    async (_gist, message, context) => {
      expect(AlertMessage.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
      expect(await wordsOf(describe(message, context))).not.toMatch(/undefined|NaN|\[object/u);
      expect(deliverySubject(message, "bot").at).toMatch(/^\d+$/u);
    },
  );

  it("counts nothing down: what is not edited stays true", () => {
    const stale = alertMessages.filter(([message, context]) =>
      /\d (?:ms|s|min|h|d) left\b/u.test(fullText(describe(message, context))),
    );
    expect(stale).toEqual([]);
  });

  it("of an event says in its second line how bad and seen where, in its third what it means and what to do", () => {
    for (const event of EVENT_KINDS.map((kind) => eventOf(kind)).filter((one) => severityOfEvent(one) !== "info")) {
      const kind: Event = KINDS[event.kind];
      const [, second, third] = replyTexts(describe({ type: "event", event })).map(plainText);
      expect(second).toMatch(/^(?:Warning|Critical) · seen at a:1$/u);
      const says = [kind.meaning?.(event), kind.remedy].filter((part) => part !== undefined);
      for (const part of says) expect(third).toContain(part);
    }
  });

  it("says nothing of how long it lasted where a clock that was ahead saw its beginning", () => {
    const began = String(BigInt(at) + 600_000_000_000n);
    const episode = episodeOf("node.down", true, { state: "resolved", began, recovered: at, ended: at });
    const { title } = describe({ type: "condition", phase: "resolve", episode });
    expect(plainText(title)).not.toMatch(/ for |[-−]\d/u);
  });

  it("is there for every kind and every type of message", () => {
    const kinds = alertMessages.map(([message]) =>
      message.type === "condition" ? message.episode.kind : message.type === "event" ? message.event.kind : "",
    );
    expect(new Set(kinds)).toEqual(new Set([...CONDITION_KINDS, ...EVENT_KINDS, ""]));
  });

  it.each(CONDITION_KINDS)("of kind %s has its network, its time, and buttons while it is open", async (kind) => {
    const open = describe({ type: "condition", phase: "trigger", episode: episodeOf(kind) });
    const { id } = episodeOf(kind);
    expect(linesOf(open)).toEqual([
      `alerts ack episode:${id}`,
      `alerts silence what:${id} for:1h`,
      `alerts why episode:${id}`,
      // Of the samples, these two have a value now: the form begins one per cent beyond it.
      ...(kind === "market.price"
        ? ["alerts add kinds:market.price subjects:BTC/USD to:me network:mainnet low:60600"]
        : []),
      ...(kind === "market.value"
        ? ['alerts add kinds:market.value subjects:BTC/USD to:me network:mainnet if:"spread above 0.627%"']
        : []),
    ]);
    const over = { state: "resolved", recovered: at, ended: at, acknowledged: { by: "bob", at } } as const;
    const message = { type: "condition", phase: "resolve", episode: episodeOf(kind, true, over) } as const;
    const ended = describe(message, { triggeredAt: nanoseconds(BigInt(at)) });
    expect(linesOf(ended)).toEqual([`alerts why episode:${id}`]);
    expect([open.tone, ended.tone]).toEqual(["warning", "good"]);
    for (const reply of [open, ended]) expect(await wordsOf(reply)).toMatch(saying("mainnet", "22:13:20 UTC"));
    expect(await wordsOf(ended)).toMatch(saying("bob"));
  });

  it.each(CONDITION_KINDS)("of kind %s is a card without machine keys, its key and figures below the fold", (kind) => {
    const reply = describe({ type: "condition", phase: "trigger", episode: episodeOf(kind) });
    const [first, second, third, ...more] = replyTexts(aboveFold(reply)).slice(0, -1).map(plainText);
    expect(first).toMatch(saying("mainnet", /(?:.* )?since 22:13:20 UTC/u));
    expect(second).toMatch(/^Warning/u);
    expect(third).toContain(
      KINDS[kind].remedy ??
        KINDS[kind].meaning({ nodes: 3 }, ruleWords(episodeOf(kind).rule) || "beyond its threshold"),
    );
    expect(more).toEqual([]);
    expect([first, second, third].join(" ")).not.toMatch(/\||\b(?:network|node|watch|market|checkpoint)\.[a-z]/u);
    expect(fullText(reply)).toContain(episodeOf(kind).id);
  });

  it.each(["silence", "severity", "inhibition", "flapping", "quiet hours", "it could not be sent"])(
    "says in words why it is told only now: %s",
    (already) => {
      const reply = describe({ type: "condition", phase: "trigger", episode: episodeOf("node.down"), already });
      expect(replyTexts(reply).map(plainText)).toContainEqual(
        expect.stringMatching(/^Told only now because \w+ \w+ .*\.$/u),
      );
      expect(fullText(reply)).not.toMatch(/because (?:silence|severity|inhibition|flapping)/u);
    },
  );

  it("says the guidance that is configured, and rather that of its subscription", async () => {
    const episode = anEpisode("node.down");
    const guidance = { "node.down": { note: "Ask *infra*.", runbook: "https://wiki.example.org/all" } };
    const told = (own?: Guidance) =>
      wordsOf(
        describe(
          { type: "condition", phase: "trigger", episode, ...(own === undefined ? {} : { guidance: own }) },
          { guidance },
        ),
      );
    expect(await told()).toMatch(saying("Ask *infra*.", "https://wiki.example.org/all"));
    expect(await told({ note: "Ask us." })).toMatch(saying("Ask us.", "https://wiki.example.org/all"));
    expect(
      await wordsOf(
        describe(
          { type: "event", event: eventOf("node.version") },
          { guidance: { "node.version": { note: "So what?" } } },
        ),
      ),
    ).toContain("So what?");
  });

  it("keeps on its first line what happened, since when, how bad and who takes it; once it is over from when to when", () => {
    const moment = (seconds: number): string => String(BigInt(at) + BigInt(seconds) * 1_000_000_000n);
    const title = (more: Partial<Episode>, group = false, ofOther: Partial<Episode> = {}): string => {
      const episode = episodeOf("node.down", true, { ...more });
      const other = { ...episode, id: "node.down|mainnet|b:1|1", subject: "b:1", ...ofOther };
      const context = group ? { group: { id: "d", episodes: [episode, other], notices: [] } } : {};
      return plainText(describe({ type: "condition", phase: "state", episode }, context).title);
    };
    const worse = {
      severity: "critical",
      escalated: moment(180),
      acknowledged: { by: "Mia", at: moment(200) },
    } as const;
    const over = { state: "resolved", recovered: moment(242), ended: moment(250) } as const;
    expect(title({})).toBe("a:1 on mainnet does not answer since 22:13:20 UTC");
    expect(title(worse)).toBe(
      "a:1 on mainnet does not answer since 22:13:20 UTC · critical since 22:16:20 · Mia takes it",
    );
    expect(title({ ...worse, ...over })).toBe(
      "Resolved: a:1 on mainnet did not answer for 4 min 2 s (22:13:20 to 22:17:22 UTC) · Mia took it",
    );
    expect(title(over, true)).toBe(
      "Resolved: 2 nodes on mainnet did not answer for 4 min 2 s (22:13:20 to 22:17:22 UTC)",
    );
    expect(title(worse, true, { acknowledged: { by: "Ben", at: moment(210) } })).toMatch(/ · Mia and Ben take it$/u);
    const late = { began: `${at.slice(0, -9)}900000000` };
    expect(title({ ...over, ...late })).toMatch(saying("for 4 min 2 s", "22:13:20 to 22:17:22"));
    const soon = `${at.slice(0, -9)}950000000`;
    expect(title({ ...over, ...late, recovered: soon })).toMatch(saying("for 50 ms", "22:13:20 to 22:13:20"));
    expect(title({ ...over, beganBefore: true })).toMatch(saying("for at least 4 min 2 s", "22:13:20 or earlier"));
    expect(title({ state: "gone", ended: moment(9) })).toMatch(saying("gone"));
  });

  it.each(["market.price", "market.bound"] as const)(
    "of %s names no price in its first line while it recovers",
    (kind) => {
      const title = (state: Episode["state"]): string => {
        const episode = episodeOf(kind, true, { state });
        return plainText(describe({ type: "condition", phase: "state", episode }).title);
      };
      const [price = ""] = /[\d,.]{5,}/u.exec(title("firing")) ?? [];
      expect(price).not.toBe("");
      expect(title("recovering")).not.toContain(price);
    },
  );

  it("rings beside its card by one line with a link to it, and no buttons", () => {
    const episode = episodeOf("node.down", true, { severity: "critical", escalated: at });
    for (const phase of ["escalation", "reminder", "resolve"] as const) {
      const over = phase === "resolve" ? ({ state: "resolved", ended: at } as const) : {};
      const message = { type: "condition", phase, short: true, episode: { ...episode, ...over } } as const;
      const reply = describe(message, { card: "https://chat.example/1" });
      expect(reply.actions).toEqual([]);
      expect(reply.blocks).toHaveLength(1);
      expect(fullText(reply)).toContain("https://chat.example/1");
      expect(describe(message).blocks).toEqual([]);
    }
  });

  it.each(EVENT_KINDS)("of kind %s says where and when, and whether it is real", async (kind) => {
    const event = eventOf(kind);
    expect(await wordsOf(describe({ type: "event", event }))).toMatch(saying("mainnet", "2023-11-14 22:13:20"));
    expect(describe({ type: "event", event, simulated: true }).title[0]).toEqual({
      kind: "strong",
      text: "SIMULATED",
    });
  });

  it.each(EVENT_KINDS)("of kind %s says what it means and what to do", async (kind) => {
    const record: Event = KINDS[kind];
    const said = await wordsOf(describe({ type: "event", event: eventOf(kind) }));
    expect(said).toContain(record.meaning?.(eventOf(kind)) ?? "");
    expect(said).toContain(record.remedy ?? "");
  });

  it.each(CONDITION_KINDS)("of kind %s says what it means and what to do, but not in a drill", async (kind) => {
    const record = KINDS[kind];
    const episode = anEpisode(kind);
    const message = { type: "condition", phase: "trigger", episode } as const;
    const said = await wordsOf(describe(message));
    expect(said).toContain(record.meaning(episode.last, "beyond its threshold"));
    expect(said).toContain(record.remedy ?? "");
    expect(await wordsOf(describe({ ...message, drill: true }))).not.toContain(
      record.meaning(episode.last, "beyond its threshold"),
    );
  });

  it.each([
    [
      "1700000100000000000",
      "1700000200000000000",
      saying("taken by bob 1 min 40 s after it began", "critical after 3 min 20 s"),
    ],
    [
      "1700000200000000000",
      "1700000100000000000",
      saying("critical 1 min 40 s after it began", "taken by bob after 3 min 20 s"),
    ],
  ])(
    "tells its story in the order of time: acknowledged at %s, worse at %s",
    async (acknowledged, escalated, order) => {
      const over = { state: "resolved", escalated, recovered: "1700000300000000000", ended: "1700000300000000000" };
      const episode = episodeOf("network.stalled", true, { ...over, acknowledged: { by: "bob", at: acknowledged } });
      expect(await wordsOf(describe({ type: "condition", phase: "resolve", episode }))).toMatch(order);
    },
  );

  it("that may be a repeat says so in its last line", () => {
    const message = { type: "event", event: eventOf("checkpoint.new") } as const;
    expect(describe(message, { repeat: true }).blocks.slice(0, -1)).toEqual(describe(message).blocks);
  });

  it("never fails, whatever a node called its things", () => {
    const words = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(words, words, fc.constantFrom(...EVENT_KINDS), (subject, label, kind) => {
        const event = AlertEvent.parse({ ...eventOf(kind), subject, label, status: label, node: label });
        const digest = {
          type: "digest",
          reason: "catch-up",
          network: subject,
          events: Array(9).fill(event),
          episodes: [],
        };
        for (const message of [{ type: "event", event }, digest]) {
          expect(describe(AlertMessage.parse(message)).title.length).toBeGreaterThan(0);
        }
      }),
    );
  });
});

group("what a program is told of a message", () => {
  const states: [AlertMessage, string, string][] = [
    [{ type: "condition", phase: "trigger", episode: episodeOf("node.down") }, "trigger", "firing"],
    [{ type: "condition", phase: "reminder", episode: episodeOf("node.down") }, "reminder", "firing"],
    [{ type: "condition", phase: "escalation", episode: episodeOf("node.down") }, "escalation", "escalated"],
    [{ type: "condition", phase: "escalation", episode: episodeOf("node.down") }, "trigger", "firing"],
    [
      { type: "condition", phase: "resolve", episode: episodeOf("node.down", true, { state: "resolved", ended: at }) },
      "fired and resolved",
      "resolved",
    ],
    [{ type: "event", event: eventOf("checkpoint.new") }, "event", "event"],
    [
      { type: "digest", reason: "catch-up", network: "mainnet", events: [eventOf("checkpoint.new")], episodes: [] },
      "digest",
      "digest",
    ],
    [
      { type: "rolling", kind: "checkpoint.new", network: "mainnet", day: "2024-06-03", total: 1, events: [] },
      "rolling",
      "digest",
    ],
  ];
  it.each([
    ["refused", "firing"],
    ["revoked", "firing"],
    ["accepted", "resolved"],
    ["back", "resolved"],
  ] as const)("of a token that is %s: %s", (what, state) => {
    const change = { what, waiting: 0, until: at, subscriptions: 0, unsent: 0 };
    const message = AlertMessage.parse({ type: "token", platform: "slack", why: "no", since: at, at, change });
    expect(deliverySubject(message, "bot")).toMatchObject({ kind: "bot", subject: "slack", state, at });
  });

  it.each(states)("%j as %s is %s", (message, phase, state) => {
    expect(deliverySubject(message, phase)).toMatchObject({ network: "mainnet", state });
  });
});

it("a story shorter than ten minutes has seconds in each of its clocks", () => {
  const at = (seconds: number): string => `${1_700_000_000 + seconds}000000000`;
  expect(secondsIn(at(0), at(599))).toEqual({ seconds: true });
  expect(secondsIn(at(0), at(600))).toEqual({});
});
