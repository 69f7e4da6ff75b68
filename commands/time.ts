import { NODE_OPTION, resolveNode } from "../src/answers/alerts/alert-subjects.ts";
import {
  besideVerdict,
  type OpenBeside,
  type WatchedStall,
  watchedStall,
} from "../src/answers/alerts/episodes/network-status.ts";
import { offersWhere } from "../src/answers/alerts/destination.ts";
import { requireAcknowledger } from "../src/answers/alerts/episodes/episodes.ts";
import { askFor, looksChartActions, refreshAction } from "../src/answers/answer.ts";
import { nodeTable, placeWords } from "../src/answers/node-table.ts";
import { capitalised } from "../src/reply/enum-words.ts";
import { timeFromText } from "../src/alerts/judge/kinds/kind.ts";
import { type Episode, episodeName } from "../src/alerts/judge/rules/episode.ts";
import { endOf, lengthWords } from "../src/alerts/words/phrases.ts";
import { type NodeVerdict, standstillMillis, type Verdict } from "../src/api/verdict/verdict.ts";
import { command, type CommandContext, NETWORK_OPTION } from "../src/bot/command.ts";
import type { Options } from "../src/bot/options/options.ts";
import { type Block, details, facts, field, paragraph } from "../src/reply/block.ts";
import { NETWORK_STATES, shownState } from "../src/reply/states.js";
import { type Action, type Ask, commandAction, invalidatingAction, reply, type Tone } from "../src/reply/reply.ts";
import { code, joinText, strong, text, type Text, time as timeText } from "../src/reply/text.ts";
import { compareIntegers } from "../src/units/decimal.ts";
import { formatDuration, type Milliseconds, toMillis } from "../src/units/time.ts";

/** Beyond this, network time and wall clock differ; the same as the clock alert's default. */
const DRIFT_MILLIS: Milliseconds = 30_000;
/** Nodes whose times are this near to the network's are at about the same moment. */
const SAME_MOMENT_MILLIS: Milliseconds = 60_000;
/** Observations of one question are within this time: too short to see an advance. */
const OBSERVATION_SPAN_MILLIS: Milliseconds = 1000;
/** More blocks than any network makes within that moment, at some 100 a second. */
const FAR_APART_BLOCKS = 10_000n;

export const time = command({
  name: "time",
  alsoCalled: [
    "status",
    "health",
    "height",
    "healthy",
    "verdict",
    "network",
    "data node",
    "node",
    "nodes",
    "block",
    "age",
    "simulated",
  ],
  asked: [
    "network|chain|blockchain|node|validator|everything|all|system|exchange|net|server|service|cluster|infra|prod|production|thing|block|consensus|{network}|{node} healthy|health|ok|okay|fine|safe|alright|well|good|great|normal|calm|stable|green|up|down|online|offline|unreachable|alive|live|dead|working|running|operational|function|functioning|functional|responding|slow|broken|degraded|flaky|hung|kaput|toast|bad|wrong|correct|properly|problem|trouble|issue|outage|state|status|uptime|heartbeat|sync|consensus|validate|sign|check|standing|shape|condition|holding|hold",
    "network|chain|blockchain|node|validator|everything|all|system|block|{network}|{node} crash|go|going|stalled|stuck|halt|stop|hang|hung|frozen|freeze|produce|make|move|moving|progress|advance|grow|tick|behind|lag|agree|fork|come|arrive|mint|lose|lost|missing|die|died",
    "anything|something|any going|wrong|problem|issue|trouble|flag|concern|anomaly|weird|odd|strange network|chain|node|{network}",
    "what|anything|something|anyone down|dead|offline|unreachable|unavailable|broken",
    "which|list|many node",
    "how network|chain|node|validator|{network}|{node}",
    "we|you|it|all up|down|running|alive|live|online|operational|healthy|green|stuck|stalled|halt|frozen|good|ok|okay|fine|safe",
    "outage|downtime|uptime|stall|halt",
    "last|latest|current|newest|which|what block|height|number",
    "network|chain|block time|age|production|height",
    "healthy|health|status",
    "network|chain|blockchain|{network}|{node}",
  ],
  summary: "Is the network healthy?",
  verb: "Show network health",
  examples: ["time", "time network:testnet"],
  audience: "channel",
  options: { network: NETWORK_OPTION, node: NODE_OPTION },
  run: async (context) => {
    const { api, network, options, signal, alerts } = context;
    const named = options.node === undefined ? undefined : resolveNode(options.node, context, "node");
    const known = alerts.verdict?.(network);
    const verdict = await api.assess(known === undefined ? { signal } : { signal, earlier: known.memory });
    const watched = await watchedStall(context, verdict);
    const spoke = verdict.nodes.filter((node) => node.time !== undefined);
    const { frontier } = verdict;
    const { fired } = watched ?? {};
    const whole = watched ?? headline(network, verdict);
    const own = verdict.nodes.find(({ node }) => node === named);
    const now = toMillis(context.now());
    const { open, halt } = await besideVerdict(context, { tone: whole.tone, subject: named, now });
    const said = own === undefined ? whole : nodeHeadline(own, whole, placeWords(own, verdict));
    // A network that is well needs no explanation above the fold, nor do nodes that keep up.
    const troubled = said.tone !== "good";
    const above: Block[] = [];
    const below: Block[] = [];
    above.push(...haltBlocks(halt));
    (troubled ? above : below).push(paragraph(watched?.judgement ?? judgement(verdict)));
    if (frontier !== undefined && spoke.length > 0) {
      (fired === undefined ? above : below).push(
        ...facts([
          field("Network time", timeText(frontier.time)),
          // The footer says how old what is well is.
          ...(troubled && fired === undefined ? [field("Age", ageWords(verdict))] : []),
          field("Nodes", agreeingWords(verdict)),
        ]),
      );
    }
    (troubled ? above : below).push(nodeTable(verdict));
    above.push(...oddities(verdict, open));
    const again = askFor(context, "time", { node: named });
    const chart = looksChartActions(context, "network");
    return reply({
      ...besideAlerts(said, open),
      blocks: [...above, ...details(below)],
      footer: footer(network, verdict, watched, own !== undefined),
      actions: [
        ...(await alertActions(context, fired, open, again)),
        ...haltActions(halt),
        ...(fired === undefined ? [refreshAction(again), ...chart] : [...chart, refreshAction(again)]),
      ],
      ...(spoke.length === 0 || isImplausible(verdict) ? { failure: "network" as const } : {}),
    });
  },
});

/** Whether every node that answered reported an implausible time. */
function isImplausible(verdict: Verdict): boolean {
  const { nodes, implausible } = verdict;
  return nodes.every(({ node, time: at }) => at === undefined || implausible.some((odd) => odd.node === node));
}

interface Headline {
  readonly title: Text;
  readonly tone: Tone;
}

/** How one node is; where the network is not well, how that is, too. */
function nodeHeadline({ node, state, why }: NodeVerdict, { title, tone }: Headline, place: Text): Headline {
  const { [state]: shown } = { ok: tone, lagging: "warning", down: "bad", unknown: "warning" } as const;
  const how = { ok: "is healthy", lagging: "lags", down: "is down", unknown: "cannot be judged" }[state];
  const block = state === "ok" ? place : "";
  const isSaid = tone === "good" || (state !== "ok" && tone === "warning");
  return {
    title: text`${node} ${how}${block}${why === undefined ? "" : text`: ${why}`}${isSaid ? "" : text`; ${title}`}`,
    tone: shown,
  };
}

/** `mainnet stood still for 9 min 20 s until 14:04.` */
function haltBlocks(halt: Episode | undefined): readonly Block[] {
  if (halt === undefined) return [];
  const until = timeText(timeFromText(endOf(halt)), "clock");
  return [paragraph(text`${halt.network} stood still for ${lengthWords(halt, 0)} until ${until}.`)];
}

/** Takes the alert of a halt that nobody has taken, where somebody may who sees the answer; shows what is open. */
async function alertActions(
  context: CommandContext<Options>,
  fired: Episode | undefined,
  open: OpenBeside | undefined,
  again: Ask,
): Promise<Action[]> {
  const show = commandAction("Show alerts", "alerts status", { network: context.network });
  if (fired === undefined) return open === undefined ? [] : [show];
  const may = fired.acknowledged === undefined && offersWhere(context, () => requireAcknowledger(fired, context));
  if (!(await may)) return [show];
  return [invalidatingAction("Acknowledge", "alerts ack", { episode: episodeName(fired.id) }, again), show];
}

function haltActions(halt: Episode | undefined): readonly Action[] {
  return halt === undefined ? [] : [commandAction("The halt", "alerts why", { episode: episodeName(halt.id) })];
}

/** What is well is not called so alone while an alert is open. */
function besideAlerts({ title, tone }: Headline, open: OpenBeside | undefined): Headline {
  return open === undefined
    ? { title, tone }
    : { title: text`${title}; ${open.ends}`, tone: tone === "good" ? "warning" : tone };
}

function headline(network: string, verdict: Verdict): Headline {
  const height = verdict.frontier?.height;
  const block = height === undefined ? text`` : text`, block ${height}`;
  const troubled = verdict.nodes.filter((node) => node.state !== "ok").length;
  const state = shownState(verdict.network, verdict.nodes);
  const { tone } = NETWORK_STATES[state];
  switch (state) {
    case "unsettled": {
      const back = verdict.wentBack.length;
      const all = verdict.nodes.length;
      // The frontier is then from earlier answers, which no node confirms now.
      const title =
        back > 0
          ? text`${network}: time went back at ${all === 1 ? "its one node" : `${back} of ${all} nodes`}`
          : text`${network}: no node is where the network was a moment ago${block}`;
      return { title, tone };
    }
    case "healthy":
    case "troubled": {
      const odd = oddWords(verdict, troubled);
      const but = odd === undefined ? "" : `, ${odd}`;
      return { title: text`${network} is healthy${block}${but}`, tone: odd === undefined ? tone : "warning" };
    }
    case "contested":
      return { title: text`${network}: some nodes go on, others stand still${block}`, tone };
    case "unconfirmed":
      return { title: text`${network} goes on at too few nodes to be sure${block}`, tone };
    case "syncing":
      return { title: text`${network}: its nodes are catching up${block}`, tone };
    case "stalled":
      return { title: text`${network} has stood still for ${formatDuration(standstillMillis(verdict, 0))}`, tone };
    case "blind":
      return verdict.nodes.every((node) => node.time === undefined)
        ? { title: text`${network} cannot be seen: no data node ${silence(verdict)}`, tone }
        : { title: text`${network} cannot be seen`, tone };
  }
}

/** What is not well though the network is healthy: the widest; undefined where all is. */
function oddWords(verdict: Verdict, troubled: number): string | undefined {
  const all = verdict.nodes.length;
  if (troubled > 0) return `${troubled} of ${all} nodes in trouble`;
  if (verdict.disagree !== undefined) return "but its nodes disagree";
  if (verdict.contradictions.length > 0) return "but its nodes contradict each other";
  if (farApart(verdict) !== undefined) return "but its nodes are far apart";
  const back = verdict.wentBack.length;
  return back === 0 ? undefined : `but time went back at ${all === 1 ? "its one node" : `${back} of ${all} nodes`}`;
}

/** No answer and a useless answer have different remedies. */
function silence(verdict: Verdict): string {
  return verdict.nodes.some((node) => node.answered === true) ? "gives a usable answer" : "answers";
}

function judgement(verdict: Verdict): Text {
  const basis = verdict.basis === "age" && verdict.network !== "blind" ? text` ${basisWords(verdict)}` : text``;
  const single =
    verdict.singleSource && verdict.network === "stalled"
      ? text` Seen from one node: network and node cannot be told apart.`
      : text``;
  const state = shownState(verdict.network, verdict.nodes);
  // The headline calls what is well so.
  if (state === "healthy") return text`${capitalised(sentence(verdict.why))}${basis}${drift(verdict)}`;
  const word = strong(capitalised(NETWORK_STATES[state].word));
  if (state === "unsettled") {
    return text`${word}: ${sentence(verdict.why)} No node stands where it was then; look again in half a minute to see which of the two goes on.`;
  }
  return text`${word}: ${sentence(verdict.why)}${single}${basis}${drift(verdict)}`;
}

/** The basis of the verdict where no advance has been observed yet. */
function basisWords({ atMillis, memory }: Verdict): string {
  const watchedMillis = Math.trunc(atMillis - memory.watchedSinceMillis);
  return watchedMillis < OBSERVATION_SPAN_MILLIS
    ? "Judged from one look, by the bot's clock."
    : `Judged by the bot's clock: in the ${formatDuration(watchedMillis)} that it has watched, no block came.`;
}

/** A note about a wrong clock: the network advances though its time seems old. */
function drift({ network, basis, ageMillis = 0 }: Verdict): Text {
  return network === "healthy" && basis === "advance" && ageMillis > DRIFT_MILLIS
    ? text` Yet its time is ${formatDuration(ageMillis)} behind the bot's clock: one of the two is off.`
    : text``;
}

function sentence(clause: string): string {
  return /[.!?]$/u.test(clause) ? clause : `${clause}.`;
}

function ageWords(verdict: Verdict): string | undefined {
  const { ageMillis } = verdict;
  if (ageMillis === undefined) return undefined;
  return ageMillis < 0 ? `${formatDuration(-ageMillis)} ahead of the bot's clock` : formatDuration(ageMillis);
}

/** How many of the nodes are where the network is; where they go different ways, how many go which. */
function agreeingWords({ network, nodes }: Verdict): string {
  if (network === "contested" || network === "unconfirmed" || network === "syncing") {
    const on = nodes.filter(goesOn).length;
    const syncing = nodes.filter(({ vote }) => vote === "syncs").length;
    const silent = nodes.filter(({ vote }) => vote === "silent").length;
    const still = nodes.length - on - syncing - silent;
    const parts: readonly (readonly [number, string, string])[] = [
      [on, "goes on", "go on"],
      [syncing, "catches up", "catch up"],
      [still, "stands still", "stand still"],
      [silent, "is not heard", "are not heard"],
    ];
    return parts
      .flatMap(([count, one, more]) => (count === 0 ? [] : [`${count} ${count === 1 ? one : more}`]))
      .join(", ");
  }
  const agree = nodes.filter(({ state }) => state === "ok").length;
  if (nodes.length === 1) return agree === 1 ? "one, which keeps up" : "one, in trouble";
  return agree === nodes.length ? `all ${agree} agree` : `${agree} of ${nodes.length} agree`;
}

function goesOn({ vote }: NodeVerdict): boolean {
  return vote === "moves" || vote === "climbs";
}

/** Further findings beside the state of each node, and what else is open. */
function oddities(verdict: Verdict, open: OpenBeside | undefined): Block[] {
  const items: Text[] = [
    ...verdict.contradictions.map(
      ({ height, says }) =>
        text`${strong("Contradiction")} about block ${height}: ${joinText(
          says.map((one) => text`${code(one.node)} says ${timeText(one.time)}`),
          ", ",
        )}.`,
    ),
    ...verdict.wentBack.map(
      ({ node, from, to }) =>
        text`${strong("Time went back")} at ${code(node)}, from ${timeText(from)} to ${timeText(to)}: the node was swapped or restored.`,
    ),
  ];
  if (verdict.disagree !== undefined) {
    const { moving, standing, forMillis } = verdict.disagree;
    items.push(
      text`${strong("Nodes disagree")} for ${formatDuration(forMillis)}: ${moving.join(", ")} advancing while ${standing.join(", ")} stand still.`,
    );
  }
  const apart = farApart(verdict);
  if (apart !== undefined) {
    const [low, high] = apart;
    items.push(
      text`${strong("Blocks far apart")} at one moment: ${code(low.node)} is at block ${low.height ?? "–"}, ${code(high.node)} at block ${high.height ?? "–"}. One of them began its history anew, or serves another network.`,
    );
  }
  items.push(...(open?.lines ?? []));
  return items.length === 0 ? [] : [{ kind: "list", items }];
}

/** The lowest and the highest of the nodes that say about the same time, where no one chain can have both blocks. */
function farApart({ nodes }: Verdict): readonly [NodeVerdict, NodeVerdict] | undefined {
  const [low, ...others] = nodes
    .filter(({ height, behindMillis = Infinity }) => height !== undefined && behindMillis <= SAME_MOMENT_MILLIS)
    .toSorted((a, b) => compareIntegers(a.height ?? 0n, b.height ?? 0n));
  const high = others.at(-1);
  if (low?.height === undefined || high?.height === undefined) return undefined;
  return high.height - low.height > FAR_APART_BLOCKS ? [low, high] : undefined;
}

/** The time stands above; so does the block, but for where a network stands still, and for one node. */
function footer(
  network: string,
  { frontier, nodes, at, ageMillis = 0, network: state }: Verdict,
  watched: WatchedStall | undefined,
  isOfOne: boolean,
): Text {
  if (frontier === undefined)
    return text`${network} · ${nodes.map(({ node }) => node).join(", ")} · read ${timeText(at)}`;
  const isSaid = frontier.height === undefined || (state !== "stalled" && watched === undefined && !isOfOne);
  if (watched?.fired !== undefined)
    return text`${network} · ${frontier.node}${frontier.height === undefined ? [] : text` · block ${frontier.height}`}`;
  const block = isSaid ? [] : text`block ${frontier.height}, `;
  return text`${network} · ${frontier.node} · ${block}${formatDuration(Math.max(0, ageMillis))} old`;
}
