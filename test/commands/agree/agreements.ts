import { TONE_SIGNS } from "../../../src/adapters/chat/tone-signs.ts";
import { NETWORK_STATES, SEVERITY, worstTone } from "../../../src/reply/states.js";
import { plainText } from "../../../src/reply/plain-text.ts";
import type { Reply } from "../../../src/reply/reply.ts";
import type { Verdict } from "../../../src/api/verdict/verdict.ts";
import type { Talk } from "../../support/talk.ts";
import {
  columnOf,
  factOf,
  figure,
  itemsUnder,
  numberIn,
  type Pair,
  paragraphsOf,
  rowsNamed,
  titleOf,
} from "./read-reply.ts";
import { ASSET, PARTY } from "../../export/ledger-csv.ts";
import { MARKET, ORDER, type World } from "./world.ts";

// What must agree in the replies of each command. A command that is not declared here fails.

export interface Scene {
  readonly drawn: World;
  readonly verdict: Verdict;
  readonly talk: Talk;
}

interface Agreement {
  /** The lines that ask it; each is worded when its turn has come. */
  readonly lines: (scene: Scene) => Promise<readonly string[]>;
  /** Of each reply that is no refusal. */
  readonly pairs: (reply: Reply, scene: Scene, line: string) => Promise<readonly Pair[]> | readonly Pair[];
}

const always = (...lines: readonly string[]) => ({ lines: async () => lines });

const ENDED = ["proposed", "settled", "cancelled", "closed", "rejected", "terminated"];
const ORDER_TONES: Readonly<Record<string, Reply["tone"]>> = {
  FILLED: "good",
  REJECTED: "bad",
  STOPPED: "warning",
  PARKED: "warning",
  PARTIALLY_FILLED: "warning",
};

/** A share as a headline has it: three digits, but no 100 % of what is not all. */
function readPercent(exact: number): number {
  const read = Number(exact.toFixed(Math.max(0, 3 - String(Math.trunc(Math.abs(exact))).length)));
  return read === 100 ? exact : read;
}

export const AGREEMENTS: Readonly<Record<string, Agreement>> = {
  time: {
    ...always("time"),
    pairs(reply) {
      const title = titleOf(reply);
      const rows = rowsNamed(reply, "nodes");
      const troubled = rows.filter((row) => !/^(?:ok|stands)\b/u.test(row["State"]!)).length;
      const footer = plainText(reply.footer ?? []);
      const isWell = / is healthy(?:, block [\d,]+)?$/u.test(title);
      const block = numberIn(title, /block ([\d,]+)/u);
      return [
        ["tone of a headline without a but", isWell ? reply.tone : "good", "good"],
        ["nodes in trouble below such a headline", isWell ? troubled : 0, 0],
        ["a good tone", reply.tone === "good", isWell],
        ["nodes in trouble", numberIn(title, /(\d+) of \d+ nodes in trouble/u) || troubled, troubled],
        ["all nodes", numberIn(title, /\d+ of (\d+) nodes in trouble/u) || rows.length, rows.length],
        ["no block in the footer beside one in the headline", block !== 0 && /block/u.test(footer), false],
        ["its findings", isWell ? itemsUnder(reply, "").length : 0, 0],
      ];
    },
  },

  info: {
    ...always("info"),
    pairs(reply) {
      const title = titleOf(reply);
      const rows = rowsNamed(reply, "node-versions");
      const commits = new Set(rows.map((row) => row["Commit"]!).filter((one) => one !== "–"));
      const without = rows.filter((row) => /^no (?:usable )?answer/u.test(row["Remark"]!)).length;
      const odd = rows.filter((row) => row["Remark"] !== "").length;
      const commit = /commit (\S+?)(?:,|$)/u.exec(title)?.[1];
      const versions = new Set(rows.map((row) => row["Version"]!).filter((one) => one !== "–")).size;
      return [
        ["nodes that say nothing", numberIn(title, /(\d+) of \d+ nodes (?:did not|gave no)/u) || without, without],
        ["a good tone", rows.length === 0 ? "good" : reply.tone === "good", rows.length === 0 ? "good" : odd === 0],
        [
          "the commit",
          commit === undefined || [...commits, factOf(reply, "Commit")].some((one) => one?.startsWith(commit)),
          true,
        ],
        ["versions", numberIn(title, /run (\d+) versions/u) || versions, versions],
      ];
    },
  },

  "market list": {
    ...always("market list"),
    pairs(reply) {
      const title = titleOf(reply);
      const states = columnOf(reply, "markets", "State");
      const live = states.filter((one) => !ENDED.includes(one));
      const trading = states.filter((one) => one === "active").length;
      const others = numberIn(title, /; (\d+) others wait/u) || (title.match(/[;,] (?!as of )[^;,]+: /gu)?.length ?? 0);
      const isTroubled = live.some((one) => one !== "active" && one !== "pending");
      return [
        ["markets that trade", numberIn(title, /^([\d,]+) of/u), trading],
        ["live markets that do not", others, live.length - trading],
        ["the tone", reply.tone, asOld(reply, isTroubled ? "warning" : live.length === 0 ? "neutral" : "good")],
        ["none in trouble", / none in trouble/u.test(title), live.length > 0 && live.length === trading],
      ];
    },
  },

  "market show": {
    ...always(`market show ${MARKET}`),
    async pairs(reply, { talk }) {
      const title = titleOf(reply);
      const list = await talk.askFor("market list");
      const row = rowsNamed(list, "markets").find((one) => one["Id"] === MARKET);
      const mark = /(?:trade[sd] at|mark) ([\d.,]*\d)/u.exec(title)?.[1];
      const isTrading = / trade[sd] at /u.test(title);
      return [
        ["the mark price", figure(mark ?? factOf(reply, "Mark")), figure(factOf(reply, "Mark"))],
        ["the mark price in the list", row?.["Mark"], factOf(reply, "Mark")],
        ["the open interest in the list", row?.["Open interest"], factOf(reply, "Open interest")],
        ["whether it trades", isTrading, row?.["State"] === "active"],
        ["the state", row?.["State"]?.startsWith(factOf(reply, "State") ?? "?"), true],
        ["a good tone", asOld(reply, isTrading ? "good" : reply.tone), reply.tone],
        [
          "the spread",
          figure(/spread (\S+ %)/u.exec(title)?.[1]),
          / spread \S+ %/u.test(title) ? readPercent(figure(/\((.*)\)/u.exec(factOf(reply, "Spread") ?? "")?.[1])) : 0,
        ],
        [
          "an auction and why",
          / in (?:an|its opening) auction/u.test(title),
          factOf(reply, "Set off by") !== undefined,
        ],
      ];
    },
  },

  order: {
    ...always(`order ${ORDER}`),
    pairs(reply, { drawn: { order } }) {
      const title = titleOf(reply);
      const status = order.status.toLowerCase().replaceAll("_", " ");
      const [filled = 0, left = 0] = ["Filled", "Left"].map((name) => figure(factOf(reply, name) ?? "0"));
      const isOff = factOf(reply, "Left")?.includes("no longer") === true;
      const isFinal = !["ACTIVE", "PARKED", "NEW"].includes(order.status);
      return [
        ["the status", title.toLowerCase().startsWith(status), true],
        ["filled and left", Math.round((filled + left) * 10), order.size],
        ["the size", figure(factOf(reply, "Size") ?? ""), filled + left],
        ["off the book", isOff, left > 0 && (isFinal || order.status === "NEW")],
        ["the tone", reply.tone, asOld(reply, ORDER_TONES[order.status] ?? "neutral")],
        ["a watch for its end", reply.actions.some((one) => JSON.stringify(one).includes("order.final")), !isFinal],
      ];
    },
  },

  stake: {
    ...always("stake all", `stake ${PARTY}`),
    pairs(reply, { drawn }, line) {
      const title = titleOf(reply);
      if (line !== "stake all") {
        const amount = /stakes ([\d.,]+)/u.exec(title)?.[1];
        const unconfirmed = columnOf(reply, "stake-linkings", "Status").filter((one) => one === "pending").length;
        return [
          ["the stake", figure(amount ?? factOf(reply, "Stake available")), figure(factOf(reply, "Stake available"))],
          ["unconfirmed", numberIn(factOf(reply, "Pending") ?? "", /(\d+) unconfirmed/u), unconfirmed],
          ["the tone", reply.tone, asOld(reply, unconfirmed > 0 ? "warning" : "neutral")],
        ];
      }
      const rows = rowsNamed(reply, "stake");
      const all = drawn.stake.length + drawn.manyParties;
      const none = drawn.stake.filter(({ own }) => own === 0n).length;
      const pending = rows.filter((row) => row["Pending"] !== "").length;
      return [
        ["who stakes", numberIn(title, /^([\d,]+) part/u), all - none],
        ["who does not", numberIn(title, /([\d,]+) ha(?:s|ve) none/u), none],
        ["rows", rows.length, Math.min(20, all)],
        ["all rows", reply.blocks.flatMap((one) => (one.kind === "table" ? [one.total] : []))[0], all],
        [
          "the sum",
          figure(/stakes? ([\d.,]+) on mainnet/u.exec(title)?.[1]),
          Number(figure(factOf(reply, "Total stake")).toPrecision(6)),
        ],
        ["pending", all > 20 || numberIn(factOf(reply, "Pending linkings") ?? "", /^(\d+)/u) === pending, true],
      ];
    },
  },

  rotations: { ...always("rotations"), pairs: (reply) => ofList(reply, "key-rotations", "Block") },
  snapshots: {
    ...always("snapshots"),
    pairs(reply) {
      const upgrades = columnOf(reply, "snapshots", "Change").filter((one) => one.includes("core upgraded")).length;
      return [
        ...ofList(reply, "snapshots", "Block"),
        ["the core's version", factOf(reply, "Core version"), columnOf(reply, "snapshots", "Core version")[0]],
        ["core upgrades", Number(factOf(reply, "Core upgrades on this page") ?? 0), upgrades],
      ];
    },
  },
  checkpoints: {
    ...always("checkpoints"),
    pairs(reply) {
      const spacing = columnOf(reply, "checkpoints", "Spacing").find((one) => one !== "–");
      return [
        ...ofList(reply, "checkpoints", "Block"),
        ["the usual spacing", factOf(reply, "Usual spacing"), spacing === undefined ? undefined : `${spacing} blocks`],
      ];
    },
  },

  chart: {
    ...always("chart network"),
    pairs: (reply) =>
      reply.blocks.flatMap((block) =>
        block.kind === "chart" ? [["the title of the picture", block.scene.title, titleOf(reply)] as const] : [],
      ),
  },

  "bundle list-asset": { ...always(`bundle list-asset ${ASSET}`), pairs: ofBundle },
  "bundle asset-limits": { ...always(`bundle asset-limits ${PARTY}`), pairs: ofBundle },

  "ledger export": {
    ...always(`ledger export ${PARTY} ${ASSET} from:2022-12-01 to:now`),
    pairs(reply) {
      const entries = numberIn(titleOf(reply), /in ([\d,]+) entr/u);
      const found = / (gained|lost) ([\d.,]+)/u.exec(titleOf(reply));
      const net = found === null ? undefined : `${found[1] === "lost" ? "-" : ""}${found[2]}`;
      return [
        ["entries", entries, figure(factOf(reply, "Rows"))],
        ["the net", net === undefined ? 0 : figure(net), net === undefined ? 0 : figure(factOf(reply, "Net"))],
        [
          "what is wrong, in the tone",
          isOld(reply) || /[A-Z]{4,} [A-Z]{4,}/u.test(titleOf(reply)),
          reply.tone === "warning",
        ],
        ["a file", reply.attachments.length > 0, entries > 0],
      ];
    },
  },
  "ledger list": {
    ...always("ledger list"),
    pairs(reply) {
      const rows = rowsNamed(reply, "ledger-exports");
      const open = rows.filter((row) => ["waiting", "under way"].includes(row["State"]!)).length;
      return [
        ["exports", numberIn(titleOf(reply), /^(\d+) ledger/u), rows.length],
        ["under way or waiting", numberIn(titleOf(reply), /(\d+) of them/u), open],
        [
          "how each went",
          rows.filter((row) => row["State"] !== "to be fetched" && !row["How it went"]!.startsWith(row["State"]!)),
          [],
        ],
      ];
    },
  },
  "ledger cancel": { ...always("ledger cancel 00000001"), pairs: () => [] },
  "ledger fetch": {
    ...always("ledger fetch 00000001"),
    pairs: (reply) => [
      [
        "a file that is kept",
        /delivered already|no longer kept|failed/iu.test(titleOf(reply)),
        reply.attachments.length === 0,
      ],
    ],
  },
  "ledger verify": {
    lines: async ({ talk }) => {
      const exported = await talk.askFor(`ledger export ${PARTY} ${ASSET} from:2022-12-01 to:now`);
      return [exported.attachments[0]?.sha256 ?? "f".repeat(64)].map((hash) => `ledger verify sha256:${hash}`);
    },
    pairs: (reply) => [["a hash that is known", /the SHA-256 of /u.test(titleOf(reply)), reply.tone === "neutral"]],
  },

  "alerts add": {
    lines: async ({ drawn }) => (drawn.isSubscribed ? ["alerts add node.lagging", "alerts add market.auction"] : []),
    pairs: async (reply, scene) => [["in the list", await stateInList(scene, factOf(reply, "Subscription")), "active"]],
  },
  "alerts try": {
    ...always("alerts try", "alerts try node.down rounds:1 days:3"),
    pairs(reply) {
      const rows = reply.blocks.flatMap((block) => (block.kind === "table" ? block.rows : [])).length;
      return [["alerts told", numberIn(titleOf(reply), /told you ([\d,]+) times/u) ?? rows, rows]];
    },
  },
  "alerts list": {
    ...always("alerts list", "alerts list ended:yes"),
    pairs(reply) {
      const title = titleOf(reply);
      return [
        ["of the channel", numberIn(title, /(\d+) subscription/u), rowsNamed(reply, "subscriptions").length],
        ["one's own", numberIn(title, /(\d+) watch/u), rowsNamed(reply, "own-subscriptions").length],
      ];
    },
  },
  "alerts edit": {
    lines: async (scene) => (await subscriptionIds(scene)).map((id) => `alerts edit ${id} severity:critical`),
    pairs: async (reply, scene) => [
      ["in the list", await stateInList(scene, factOf(reply, "Subscription")), factOf(reply, "State") ?? "active"],
    ],
  },
  "alerts remove": { ...ofState("remove"), pairs: (reply, scene) => inState(reply, scene, "removed") },
  "alerts pause": { ...ofState("pause"), pairs: (reply, scene) => inState(reply, scene, "paused") },
  "alerts resume": {
    lines: async ({ talk }) =>
      columnOf(await talk.askFor("alerts list ended:yes"), "subscriptions", "Id").map((id) => `alerts resume ${id}`),
    pairs: (reply, scene) => inState(reply, scene, "active"),
  },
  "alerts silence": {
    lines: async ({ drawn }) => drawn.silences.map((one) => `alerts silence ${one}`),
    async pairs(reply, { talk }) {
      const list = await talk.askFor("alerts silences");
      const id = factOf(reply, "Silence");
      return [["in the list", id === undefined || columnOf(list, "silences", "Id").includes(id), true]];
    },
  },
  "alerts silences": {
    ...always("alerts silences"),
    pairs(reply) {
      const title = titleOf(reply);
      const now = columnOf(reply, "silences", "Now");
      const active = now.filter((one) => /left$|^until/u.test(one)).length;
      return [
        ["silences", numberIn(title, /^(\d+) silence/u) || (title.startsWith("Silenced:") ? 1 : 0), now.length],
        ["those that hold", numberIn(title, /(\d+) active/u) || active, active],
        ["none", title === "Nothing is silenced", now.length === 0],
      ];
    },
  },
  "alerts unsilence": {
    lines: async ({ talk }) =>
      columnOf(await talk.askFor("alerts silences"), "silences", "Id")
        .slice(0, 1)
        .map((id) => `alerts unsilence ${id}`),
    async pairs(_reply, { talk }, line) {
      const list = await talk.askFor("alerts silences");
      return [["in the list", columnOf(list, "silences", "Id").some((id) => line.endsWith(id)), false]];
    },
  },
  "alerts ack": {
    lines: async (scene) => (scene.drawn.isAcknowledged ? (await openIds(scene)).map((id) => `alerts ack ${id}`) : []),
    async pairs(_reply, { talk }, line) {
      const row = rowsNamed(await talk.askFor("alerts status"), "open-episodes").find((one) =>
        line.endsWith(one["Episode"]!),
      );
      return [["in the status", row?.["State"]?.includes("acknowledged by"), true]];
    },
  },
  "alerts why": {
    lines: async (scene) => {
      const known = await scene.talk.engine.lastEpisodes(20);
      return known.map(({ id }) => `alerts why "${id}"`);
    },
    async pairs(reply, { talk }, line) {
      const [state = "", severity] = (factOf(reply, "State") ?? "").split(", ");
      const row = rowsNamed(await talk.askFor("alerts status"), "open-episodes").find((one) =>
        line.includes(one["Episode"]!),
      );
      const tone =
        severity === undefined ? (state === "resolved" ? "good" : "neutral") : SEVERITY[severity as "info"].tone;
      return [
        ["the state in the status", row === undefined || row["State"]!.startsWith(state) || state === "firing", true],
        ["the severity in the status", row?.["Severity"] ?? severity, severity],
        ["the tone", reply.tone, tone],
      ];
    },
  },
  "alerts told": {
    ...always("alerts told", "alerts told since:10y"),
    pairs(reply) {
      const rowsOf = (isUntold: boolean): number =>
        reply.blocks.flatMap((block) =>
          block.kind === "table" &&
          isUntold === block.name.startsWith("alerts-untold") &&
          !block.name.endsWith("-first")
            ? block.rows
            : [],
        ).length;
      const [rows, untold] = [rowsOf(false), rowsOf(true)];
      return [
        ["none", /^(?:Nothing happened|Not known)/u.test(titleOf(reply)), rows + untold === 0],
        ["others", / (?:more|other) (?:alert|event)s?$/u.test(titleOf(reply)), rows + untold > 1],
      ];
    },
  },
  "alerts log": {
    ...always("alerts log", "alerts log node.down", "alerts log file:yes"),
    pairs(reply) {
      const title = titleOf(reply);
      const rows = reply.blocks.flatMap((block) => (block.kind === "table" ? block.rows : [])).length;
      const decisions = numberIn(title, /^([\d,]+) decision/u);
      const pages = numberIn(title, /of (\d+)/u) || 1;
      return [
        ["decisions on this page", rows, pages === 1 ? decisions : 15],
        ["pages", pages, Math.max(1, Math.ceil(decisions / 15))],
      ];
    },
  },
  "alerts drill": { ...always(), pairs: () => [] },
  "alerts status": {
    ...always("alerts status network:mainnet"),
    pairs(reply) {
      const title = titleOf(reply);
      const rows = rowsNamed(reply, "open-episodes");
      const severities = rows.map((row) => ({ severity: row["Severity"] as keyof typeof SEVERITY }));
      const [network] = rowsNamed(reply, "networks");
      const verdict = network?.["Verdict"] ?? "";
      const state = Object.values(NETWORK_STATES).find(({ word }) => verdict.startsWith(word));
      const suspicious = itemsUnder(reply, "Suspicious, and no alert yet").length;
      const late = itemsUnder(reply, "Watchers that are late").length;
      const isCalm = title.endsWith(" no alert is open");
      const sorted = ["neutral", "good", "warning", "bad"];
      // Of a network with alerts they say how bad it is.
      const own = rows.length > 0 ? "neutral" : (state?.tone ?? "neutral");
      const worst = sorted[Math.max(sorted.indexOf(worstTone(severities)), sorted.indexOf(own))];
      const isUnwatched = title.startsWith("Nobody is watching");
      return [
        ["open alerts", rows.length, openIn(title)],
        ["the verdict", rows.length > 0 || title.includes(`mainnet ${verdict}`), true],
        ["healthy beside an alert", rows.length > 0 && verdict === "healthy", false],
        [
          "what is suspicious",
          rows.length > 0 ? suspicious : numberIn(title, /(\d+) things? (?:is|are) suspicious/u),
          suspicious,
        ],
        ["late watchers", rows.length > 0 ? late : numberIn(title, /(\d+) watchers? (?:is|are) late/u), late],
        ["calm beside a doubt", isCalm && suspicious + late > 0, false],
        [
          "the tone",
          reply.tone,
          worst !== "bad" && (suspicious + late > 0 || isUnwatched)
            ? "warning"
            : worst === "good" && rows.length > 0
              ? "neutral"
              : worst,
        ],
        ["a good tone over what is not well", reply.tone === "good" && !isCalm, false],
        ["states", rows.filter((row) => !/^(?:firing|recovering|acknowledged by)/u.test(row["State"]!)), []],
        [
          "a counted silence",
          numberIn(factOf(reply, "Silenced") ?? "", /^(\d+) silences are active/u),
          itemsUnder(reply, "Silenced now").length,
        ],
      ];
    },
  },

  "answers show": { ...always("answers show"), pairs: ofAudience },
  "answers set": { ...always("answers set everyone", "answers set asker"), pairs: ofAudience },
  "my party": {
    lines: async ({ drawn }) =>
      Array.from({ length: drawn.parties }, (_, at) => `my party ${at}${PARTY.slice(1)} name-${at}q`),
    async pairs(reply, { talk }) {
      const [first] = rowsNamed(await talk.askFor("my parties"), "my-parties");
      return [["the default", factOf(reply, "Party"), first?.["Party"]]];
    },
  },
  "my parties": {
    ...always("my parties"),
    pairs(reply) {
      const title = titleOf(reply);
      const rows = rowsNamed(reply, "my-parties");
      const said = title.includes("saved one party") ? 1 : numberIn(title, /saved (\d+) parties/u);
      return [
        ["parties", said, rows.length],
        [
          "the default",
          rows.length === 0 || title.includes(rows.find((row) => row["Default"] === "yes")!["Name"]!),
          true,
        ],
      ];
    },
  },
  "my zone": {
    ...always("my zone Europe/Zurich"),
    pairs: (reply) => [["the zone", titleOf(reply).includes("Europe/Zurich"), true]],
  },
  "my forget": {
    lines: async ({ talk }) =>
      columnOf(await talk.askFor("my parties"), "my-parties", "Party")
        .slice(0, 1)
        .map((id) => `my forget ${id}`),
    async pairs(reply, { talk }) {
      const left = columnOf(await talk.askFor("my parties"), "my-parties", "Party");
      return [["still in the list", left.includes(factOf(reply, "Party") ?? ""), false]];
    },
  },
  ask: {
    ...always("ask is the network healthy", "ask my parties or my zone"),
    async pairs(reply, { talk }, line) {
      if (line.includes(" or ")) return [["offered", itemsUnder(reply, "").length, reply.actions.length]];
      return [["the answer of time", titleOf(reply), titleOf(await talk.askFor("time"))]];
    },
  },
  help: {
    ...always("help", "help alerts", "help market show"),
    pairs: (reply) => [
      [
        "commands",
        numberIn(titleOf(reply), /has (\d+) commands/u),
        /has \d+ commands/u.test(titleOf(reply)) ? itemsUnder(reply, "").length : 0,
      ],
    ],
  },
};

/** The tone of an answer whose data is old: a warning at least. */
function asOld(reply: Reply, tone: Reply["tone"]): Reply["tone"] {
  return isOld(reply) && tone !== "bad" ? "warning" : tone;
}

function isOld(reply: Reply): boolean {
  const said = [titleOf(reply), ...paragraphsOf(reply)].join("\n");
  return /as of .* ago: |^(?:Stale data|\w+ is stalled)\./mu.test(said);
}

/** A list that begins with the newest row. */
function ofList(reply: Reply, name: string, column: string): Pair[] {
  const title = titleOf(reply);
  const blocks = columnOf(reply, name, column).map(figure);
  const [newest] = blocks;
  if (newest === undefined) return [["none", title.startsWith("No "), true]];
  const head = numberIn(plainText(reply.footer ?? []), /block ([\d,]+)/u);
  const ago = numberIn(title, / ([\d,]+) blocks? ago/u);
  return [
    ["the newest", numberIn(title, /block ([\d,]+)/u), newest],
    ["how long ago", ago, head < newest ? 0 : head - newest],
    ["rows", blocks.length <= 15, true],
  ];
}

function ofBundle(reply: Reply): Pair[] {
  const title = titleOf(reply);
  const isSigned = !title.includes("not signed yet");
  const signatures = reply.blocks.flatMap((block) => (block.kind === "code" ? [block.text] : []));
  const count = numberIn(title, /has (\d+) signature/u);
  return [
    ["the signatures", signatures.length > 0, isSigned],
    ["their number", count, signatures.reduce((sum, one) => sum + (one.length - 2) / 130, 0)],
    ["a file", reply.attachments.length > 0, isSigned],
    ["the tone", reply.tone, asOld(reply, isSigned ? "good" : "warning")],
    ["a note that it is not", paragraphsOf(reply).some((one) => one.includes("have not signed")), !isSigned],
  ];
}

/** Who sees answers: as the other command says it. */
async function ofAudience(reply: Reply, { talk }: Scene): Promise<readonly Pair[]> {
  const whom = (one: Reply): string | undefined => /for (everyone|the asker)/u.exec(titleOf(one))?.[1];
  return [["for whom", whom(reply), whom(await talk.askFor("answers show"))]];
}

async function subscriptionIds({ talk }: Scene): Promise<string[]> {
  return columnOf(await talk.askFor("alerts list"), "subscriptions", "Id");
}

async function openIds({ talk }: Scene): Promise<string[]> {
  return columnOf(await talk.askFor("alerts status network:mainnet"), "open-episodes", "Episode");
}

async function stateInList({ talk }: Scene, id: string | undefined): Promise<string | undefined> {
  const rows = rowsNamed(await talk.askFor("alerts list ended:yes"), "subscriptions");
  return rows.find((row) => row["Id"] === id)?.["State"];
}

function ofState(verb: string): Pick<Agreement, "lines"> {
  return { lines: async (scene) => (await subscriptionIds(scene)).slice(0, 1).map((id) => `alerts ${verb} ${id}`) };
}

/** The state after a change, in the reply and in the list. */
async function inState(reply: Reply, scene: Scene, state: string): Promise<readonly Pair[]> {
  const listed = await stateInList(scene, factOf(reply, "Subscription"));
  return [
    ["the state in the list", listed, state],
    ["the state in the reply", factOf(reply, "State") ?? state, state],
    ["a sign for the change", TONE_SIGNS[reply.tone] !== "", !titleOf(reply).startsWith("Nothing changed")],
  ];
}

/** The open alerts of a headline: the first, those that it counts beside it, or all. */
function openIn(title: string): number {
  if (/no alert is open/u.test(title)) return 0;
  return numberIn(title, /(?:of|all) (\d+) open alerts/u) || numberIn(title, /; (\d+) more alert/u) + 1;
}
