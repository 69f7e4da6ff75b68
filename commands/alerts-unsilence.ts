import { isSilenceActive, overlap, type Silence, silenceEnds } from "../src/alerts/route/silence.ts";
import { silenceMoment, silenceScopeWords } from "../src/alerts/words/silence-words.ts";
import { changeAnnouncements } from "../src/answers/alerts/alerts.ts";
import { destinationHere, isCaller, isOperator, requireManager } from "../src/answers/alerts/destination.ts";
import {
  affectedDestinations,
  findSilence,
  quietHoursEnds,
  visibleSilences,
  withQuietHours,
} from "../src/answers/alerts/silences/silences.ts";
import { command } from "../src/bot/command.ts";
import { quoteTyped } from "../src/bot/nearest.ts";
import { ignoreUserError } from "../src/errors.ts";
import { paragraph } from "../src/reply/block.ts";
import { type Action, commandAction, reply, type Reply } from "../src/reply/reply.ts";
import { code, joinText, text, type Text, time } from "../src/reply/text.ts";
import { formatSpan, fromMillis, type Milliseconds, toMillis } from "../src/units/time.ts";
import { destinationKey } from "../src/alerts/destination.ts";
import { SILENCE_OPTION } from "../src/answers/alerts/silences/silence-options.ts";

const MINUTE: Milliseconds = 60_000;

export const alertsUnsilence = command({
  name: "alerts unsilence",
  asked: ["end|lift|remove|cancel|stop|undo silence|mute|snooze", "unmute|unsilence", "unmute|unsilence {id}"],
  summary: "End a silence",
  verb: "End silence",
  title: "End a silence",
  examples: ["alerts unsilence <id>"],
  // Everybody may in their direct messages; rights on a channel are checked below.
  access: "everyone",
  changes: true,
  shownBy: "alerts silences",
  options: { id: SILENCE_OPTION },
  offers: async (context) => {
    const { id } = context.options;
    const visible = visibleSilences(await context.alerts.silences(), context);
    const found = await findSilence(id, context).catch(ignoreUserError);
    if (found !== undefined) return { question: text`End the silence of ${silenceScopeWords(found)}?`, facts: [] };
    const others = visible.length === 0 ? [] : [commandAction("List silences", "alerts silences")];
    return reply({ title: `No silence of ${quoteTyped(id)} holds here`, actions: others });
  },
  run: async (context) => {
    const { alerts, caller, options } = context;
    // Whoever made a silence may end it.
    const hasOwn = (await alerts.silences()).some(({ person }) => isCaller(person, context));
    if (!hasOwn) requireManager(context, "end its silences");
    const over = await alerts.silence(options.id.trim().toLowerCase());
    const now = toMillis(context.now());
    if (over !== undefined && silenceEnds(over) <= now && visibleSilences([over], context).length > 0) {
      return overAlready(over);
    }
    const found = await findSilence(options.id, context);
    if (!isCaller(found.person, context)) requireManager(context, "end silences that others made");
    const { recurrence: _, untilOver: __, ...rest } = found;
    const ended: Silence = { ...rest, from: Math.min(found.from, now - 1), until: now };
    const here = destinationHere(context);
    const isHere = found.scope.destination === destinationKey(here);
    // Where a silence holds if no place is named.
    const isUsual = isOperator(context) ? found.scope.destination === undefined : isHere;
    const affected = isHere ? [here] : await affectedDestinations(context, found);
    const announced = changeAnnouncements(context, affected, { what: "unsilenced", silence: ended });
    const isFirst = await alerts.putSilence(ended, caller.name, announced);
    if (!isFirst) return overAlready((await alerts.silence(found.id)) ?? ended);
    const quiet = quietHoursEnds(withQuietHours(found, await alerts.subscriptions()), now);
    return reply({
      tone: "good",
      title: text`Ended the silence of ${silenceScopeWords(found)}`,
      blocks: [paragraph(whatFollows(found, visibleSilences(await alerts.silences(), context), quiet, now))],
      actions: isUsual ? againActions(found, now) : [],
    });
  },
});

/** The way back, for what was left of it; a plan or several subjects are not said in one line. */
function againActions(ended: Silence, now: Milliseconds): Action[] {
  const { kind, network, subject, subjects } = ended.scope;
  const { label, reason, recurrence, until, untilOver } = ended;
  if (recurrence !== undefined || untilOver !== undefined || subjects !== undefined || !isSilenceActive(ended, now))
    return [];
  const what = kind ?? label ?? subject ?? "all";
  const of = kind === undefined ? undefined : subject;
  const left = formatSpan(Math.ceil((until - now) / MINUTE) * MINUTE);
  return [commandAction("Silence again", "alerts silence", { what, for: left, subject: of, network, reason })];
}

/** Of a button that was there for longer than its silence. */
function overAlready(silence: Silence): Reply {
  return reply({
    title: text`Over already: the silence of ${silenceScopeWords(silence)}`,
    blocks: [paragraph(text`It ended at ${time(fromMillis(silenceEnds(silence)))}.`)],
  });
}

/** The consequence of the end: other silences and quiet hours may still suppress the same alerts. */
function whatFollows(ended: Silence, all: readonly Silence[], quiet: readonly Milliseconds[], now: Milliseconds): Text {
  if (!isSilenceActive(ended, now)) {
    return ended.from > now
      ? text`It had not begun: nothing was kept back by it.`
      : text`It was not its time: nothing was being kept back by it.`;
  }
  const others = all.filter((one) => one.id !== ended.id && isSilenceActive(one, now));
  const whole = others.find((one) => overlap(ended, one) === "all");
  if (whole !== undefined) return text`Silence ${code(whole.id)} still keeps all of that back.`;
  const part = others.find((one) => overlap(ended, one) === "some");
  const [end] = quiet;
  const keeping = [
    ...(part === undefined ? [] : [text`silence ${code(part.id)} keeps back`]),
    ...(end === undefined ? [] : [text`quiet hours keep back until ${endWords(end, quiet.at(-1) ?? end, now)}`]),
  ];
  const but = keeping.length === 0 ? [] : text`, except for alerts that ${joinText(keeping, " or that ")}`;
  return text`Alerts that still fire are told now${but}.`;
}

/** The end of the quiet hours, which differs by subscription. */
function endWords(first: Milliseconds, last: Milliseconds, now: Milliseconds): Text {
  const [from, to] = [first, last].map((at) => silenceMoment(at, last, now));
  return first === last ? text`${from}` : text`${from}, some until ${to}`;
}
