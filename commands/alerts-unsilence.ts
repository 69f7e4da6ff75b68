import { announcements } from "../src/answers/alert-change.ts";
import { SILENCE_OPTION } from "../src/answers/alert-options.ts";
import { destinationHere } from "../src/answers/alert-place.ts";
import { placesConcerned } from "../src/answers/alert-silence.ts";
import { findSilence, silencesHere } from "../src/answers/alert-silences.ts";
import { subjectLabels } from "../src/answers/alert-subjects.ts";
import { destinationKey } from "../src/alerts/subscription.ts";
import { holdsAt, overlap, type Silence } from "../src/alerts/silence.ts";
import { silenceScopeWords } from "../src/alerts/silence-words.ts";
import { command } from "../src/bot/command.ts";
import { paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { code, text, type Text } from "../src/reply/text.ts";
import type { Milliseconds } from "../src/units/duration.ts";
import { toMillis } from "../src/units/nanoseconds.ts";

export const alertsUnsilence = command({
  name: "alerts unsilence",
  summary: "Ends a silence",
  examples: ["alerts unsilence <id>"],
  access: "channel-manager",
  audience: "caller",
  options: { id: SILENCE_OPTION },
  run: async (context) => {
    const { alerts, caller, options } = context;
    const found = await findSilence(alerts, options.id, context);
    const now = toMillis(context.now());
    const { recurrence: _, ...rest } = found;
    const ended: Silence = { ...rest, from: Math.min(found.from, now - 1), until: now };
    const here = destinationHere(context);
    const { destination, subject } = found.scope;
    const labels = await subjectLabels(
      [{ kinds: ["market.state"], ids: subject === undefined ? [] : [subject] }],
      context,
    );
    const all = await placesConcerned(context, found);
    const told =
      destination === undefined
        ? all
        : destination === destinationKey(here)
          ? [here]
          : all.filter((one) => destinationKey(one) === destination);
    await alerts.putSilence(
      ended,
      caller.name,
      announcements(context, told, { what: "unsilenced", silence: ended }, labels),
    );
    return reply({
      tone: "good",
      title: text`Ended the silence of ${silenceScopeWords(found, labels)}`,
      blocks: [paragraph(whatFollows(found, silencesHere(await alerts.silences(), context), now))],
    });
  },
});

/** Nothing was kept back out of its time, and what others keep back still is. */
function whatFollows(ended: Silence, all: readonly Silence[], now: Milliseconds): Text {
  if (!holdsAt(ended, now)) {
    return ended.from > now
      ? text`It had not begun: nothing was kept back by it.`
      : text`It was not its time: nothing was being kept back by it.`;
  }
  const others = all.filter((one) => one.id !== ended.id && holdsAt(one, now));
  const whole = others.find((one) => overlap(ended, one) === "all");
  if (whole !== undefined) return text`Silence ${code(whole.id)} still keeps all of that back.`;
  const part = others.find((one) => overlap(ended, one) === "some");
  return part === undefined
    ? text`What is firing still is told now.`
    : text`What is firing still is told now, but for what silence ${code(part.id)} keeps back.`;
}
