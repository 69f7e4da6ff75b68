import { episodeName } from "../../../alerts/judge/rules/episode.ts";
import { stem } from "../../../bot/grammar/stem.ts";
import type { Options, Said, SuggestContext, TextOption } from "../../../bot/options/options.ts";
import { saidRun } from "../../../bot/options/said.ts";
import { ignoreUserError } from "../../../errors.ts";
import { DAY, fromMillis, type Nanoseconds, timeFromText, toMillis } from "../../../units/time.ts";
import { kindLabel } from "../alert-kinds.ts";
import { ALL_NETWORKS_OPTION, suggested } from "../alert-options.ts";
import { saidKinds, saidNode, saidSubject, suggestSilencedSubjects } from "../alert-subjects.ts";
import { isPast, suggestPast } from "../alert-times.ts";
import { findEpisode, matchesTyped, suggestEpisodes, suggestLogged, suggestOpenEpisodes } from "./episodes.ts";

export const EPISODE_OPTION = {
  kind: "text",
  label: "Alert",
  required: true,
  question: "Which alert?",
  description: "The node, the market or the network that it is about, or its name",
  example: "network.stalled",
  maxLength: 400,
  rest: true,
  suggest: suggestEpisodes,
  takes: suggested(suggestEpisodes),
} as const;

/** Of those that are open: whoever names none means the only one. */
export const OPEN_EPISODE_OPTION = {
  ...EPISODE_OPTION,
  label: "Open alert",
  closed: true,
  suggest: suggestOpenEpisodes,
  said: saidOpenEpisode,
} as const;

async function saidOpenEpisode(words: readonly string[], context: SuggestContext): Promise<Said | undefined> {
  const { alerts, api } = context;
  const [halt, kind, about] = [
    await saidHalt(words, context),
    await saidKinds(words, context),
    await saidSubject(words, context),
  ];
  if (halt !== undefined) return halt;
  const said = [kind, about].filter((one) => one !== undefined);
  const sought = said.map(({ value }) => value).join(" ");
  const isNamed = words.includes(api.network.toLowerCase());
  const open = (await alerts.openEpisodes()).filter(({ network }) => !isNamed || network === api.network);
  const fits = open.filter((one) => sought === "" || matchesTyped(one, sought));
  const [only] = fits;
  return only === undefined || fits.length > 1
    ? undefined
    : { value: episodeName(only.id), words: said.flatMap((one) => one.words) };
}

const HALT = /^(?:stall|halt|stop|stopp|stuck|fr[eo]ez|frozen|hang|hung|down|outage|crash|di|dead|offline)$/u;

/** Of a node that is down, or of blocks that stopped, the newest alert: open, or not over for longer than a day. */
export async function saidHalt(
  words: readonly string[],
  context: SuggestContext & { readonly now?: () => Nanoseconds },
): Promise<Said | undefined> {
  const said = words.filter((word) => HALT.test(stem(word)));
  if (said.length === 0) return undefined;
  const node = saidNode(words, context);
  const sought = node === undefined ? "network.stalled" : `node.down ${node.value}`;
  const episode = await findEpisode(context.alerts, sought, context.api.network).catch(ignoreUserError);
  if (episode === undefined) return undefined;
  const { ended, id } = episode;
  const now = toMillis(context.now?.() ?? fromMillis(0));
  if (ended !== undefined && now - toMillis(timeFromText(ended)) > DAY) return undefined;
  return { value: episodeName(id), words: [...said, ...(node?.words ?? [])] };
}

function pastOption(description: string, example: string, behind?: RegExp) {
  const said: TextOption["said"] = (words) => {
    const found = saidRun(words, isPast, behind);
    const [first = ""] = found?.words ?? [];
    // “For two hours” says how long, and nothing of the past.
    return /^(?:for|next)$/u.test(words[words.indexOf(first) - 1] ?? "") ? undefined : found;
  };
  return { kind: "text", description, example, suggest: suggestPast, said } as const satisfies TextOption;
}

const MOMENT = { moment: true, section: "Since, until" } as const;

const RANGE_OPTIONS = {
  since: {
    ...pastOption("From when on, by your clock: 18:00, yesterday, 7d", "18:00", /^(?:since|from|between)$/u),
    ...MOMENT,
  },
  until: { ...pastOption("Until when; left out = now", "yesterday", /^(?:until|till|til|to)$/u), ...MOMENT },
} as const satisfies Options;

export const TOLD_OPTIONS = {
  when: pastOption("last night, yesterday, a day; left out = since 22:00 yesterday", "last night"),
  ...RANGE_OPTIONS,
  network: ALL_NETWORKS_OPTION,
  about: {
    kind: "text",
    operatorsOnly: true,
    description: "Only of this node or market",
    example: "sim-2",
    suggest: suggestSilencedSubjects,
    said: saidSubject,
  },
} as const satisfies Options;

export const LOG_OPTIONS = {
  what: {
    kind: "text",
    description: "Only lines with this word: a kind, a name, sent; or of this time: yesterday",
    example: "node.down",
    shows: kindLabel,
    // All words before a page are one value: `suppressed last night`.
    rest: (typed: string) => /^\d+$/u.test(typed),
    suggest: suggestLogged,
  },
  page: { kind: "integer", section: "Page and file", description: "Which page; 1 = the newest", min: 1, max: 1000 },
  file: { kind: "flag", section: "Page and file", description: "All of it as a file (CSV)", default: false },
  network: ALL_NETWORKS_OPTION,
  ...RANGE_OPTIONS,
} as const satisfies Options;
