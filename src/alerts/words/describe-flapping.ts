import { SEVERITY } from "../../reply/states.js";
import { type Block, paragraph } from "../../reply/block.ts";
import { reply, type Reply } from "../../reply/reply.ts";
import { strong, text, type Text, type TextPart, time } from "../../reply/text.ts";
import { formatDuration, formatUtc } from "../../units/time.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { KINDS } from "../judge/kinds/kinds.ts";
import { labelOf } from "../judge/kinds/reading.ts";
import type { DeliveryContext } from "../message/delivery-subject.ts";
import type { MessageOf } from "../message/message.ts";
import { conditionWords } from "./condition-words.ts";
import { groupTitles, moreLine, subjectWords } from "./describe-group.ts";
import { clock, markedTitle, secondsIn, tableFile } from "./phrases.ts";

/** So many are named: each takes two lines of a phone. */
const NAMED = 6;

type Flapping = MessageOf<"flapping">;
type Calm = MessageOf<"calm">;

/** An alert comes and goes too often to be told each time; or several of a kind do. */
export function describeFlapping(message: Flapping, { group, growing }: DeliveryContext): Reply {
  const { episode, episodes, withinMillis } = message;
  const within = formatDuration(withinMillis);
  const joined = group?.notices.filter((one) => one.type === "flapping") ?? [];
  const isOne = joined.length < 2;
  const all = isOne ? [message] : joined;
  const last = all.map((one) => one.episode).reduce((a, b) => (BigInt(a.began) < BigInt(b.began) ? b : a));
  const isCritical = all.some((one) => one.episode.severity === "critical");
  const times = all.reduce((sum, one) => sum + one.episodes, 0);
  const { now } = groupTitles(episode.kind, strong(`${all.length}`), strong(episode.network));
  const tone = SEVERITY[isCritical ? "critical" : episode.severity].tone;
  const title = markedTitle(
    text`${isOne ? conditionWords(episode).now : now}, again and again: ${times} times in ${within}, last since ${clock(last.began)}${isCritical ? " · critical" : ""}`,
    message,
  );
  const calm = `Until ${isOne ? "it" : "one"} has been calm for ${within}, it is told only when it becomes critical; after two critical ones, only once it lasts longer.`;
  if (isOne) {
    const last = time(timeFromText(episode.detected), "both");
    return reply({
      tone,
      title,
      blocks: [paragraph(text`It fired ${episodes} times in ${within}, last at ${last}. ${calm}`)],
    });
  }
  const name = `${episode.network}-${episode.kind}-flapping`;
  const subjects = all.map((one) => {
    const { kind, subject, detected, last } = one.episode;
    return { kind, subject, label: labelOf(last), firings: one.episodes, at: detected };
  });
  return reply({
    tone,
    title,
    blocks: [paragraph(`${calm} Fired in ${within}:`), listed(subjects, "last at", growing)],
    ...(growing === true ? {} : fileOf(subjects, name, "Last fired", message)),
  });
}

/** Flapping is over; or that of several alerts of a kind is. */
export function describeCalm(message: Calm, { group, growing }: DeliveryContext): Reply {
  const { kind, network, open, episodes, since } = message;
  const all = group?.notices.filter((one) => one.type === "calm") ?? [];
  const isOne = all.length < 2;
  const of = message.subject === "" ? text`${strong(network)}` : text`${subjectWords(message)} on ${strong(network)}`;
  const after = text`${afterWords(isOne ? [message] : all)}: ${KINDS[kind].words}`;
  const titles = groupTitles(kind, strong(`${all.length}`), strong(network));
  const ofOne = open ? text`${of}: ${KINDS[kind].words}` : text`${of} is calm again${after}`;
  const what = isOne
    ? ofOne
    : open
      ? titles.now
      : text`${strong(`${all.length}`)} ${KINDS[kind].about ?? "alert"}s on ${strong(network)} are calm again${after}`;
  const times = episodes === 1 ? "once" : `${episodes} times`;
  const fired = text`${open ? "It" : `“${KINDS[kind].words}”`} fired ${times} since ${time(timeFromText(since), "both")}. ${
    open ? "It came and went; now it lasts." : "It is not firing now."
  }`;
  const subjects = all.map((one) => ({ ...one, firings: one.episodes, at: one.since }));
  return reply({
    tone: open ? "warning" : "good",
    title: markedTitle(open ? text`${what}, and now it lasts` : what, message),
    blocks: isOne
      ? [paragraph(fired)]
      : [
          paragraph(open ? "Each came and went; now each lasts." : "None of them is firing now."),
          listed(subjects, "since", growing),
        ],
    ...(isOne || growing === true ? {} : fileOf(subjects, `${network}-${kind}-calm`, "Since", message)),
  });
}

/** ` after 7 alerts (22:13 to 23:50 UTC), was critical`; notices of earlier versions know since when alone. */
function afterWords(told: readonly Calm[]): Text {
  const count = told.reduce((sum, one) => sum + one.episodes, 0);
  const first = told.map((one) => one.since).reduce((a, b) => (BigInt(a) < BigInt(b) ? a : b));
  const ends = told.flatMap(({ until }) => until ?? []);
  const last = ends.reduce((a, b) => (BigInt(a) < BigInt(b) ? b : a), first);
  const form = secondsIn(first, last);
  const span =
    ends.length < told.length
      ? text`since ${clock(first)}`
      : text`(${clock(first, { ...form, named: false })} to ${clock(last, { ...form, day: first })})`;
  const wasCritical = told.some(({ critical }) => critical === true) ? ", was critical" : "";
  return text` after ${count === 1 ? "1 alert" : `${count} alerts`} ${span}${wasCritical}`;
}

/** One of several that flap, or did. */
interface Flapped {
  readonly kind: Calm["kind"];
  readonly subject: string;
  readonly label?: string | undefined;
  readonly firings: number;
  /** When it last fired, or since when it flapped. */
  readonly at: string;
}

function listed(subjects: readonly Flapped[], when: string, growing: true | undefined): Block {
  const items = subjects
    .slice(0, NAMED)
    .map((one) => text`${subjectWords(one)}: ${timesWords(one)}, ${when} ${time(timeFromText(one.at))}`);
  return { kind: "list", items: [...items, ...moreLine(subjects.length - items.length, growing)] };
}

function timesWords({ firings }: Flapped): TextPart {
  return firings === 1 ? "once" : `${firings} times`;
}

function fileOf(subjects: readonly Flapped[], name: string, when: string, marks: { simulated?: true | undefined }) {
  if (subjects.length <= NAMED) return {};
  const rows = subjects.map((one) => [
    one.subject,
    one.label ?? "–",
    `${one.firings}`,
    formatUtc(timeFromText(one.at)),
  ]);
  return { attachments: [tableFile(name, ["Subject", "Name", "Firings", when], rows, marks)] };
}
