import { timeFromText } from "../src/alerts/judge/kinds/kind.ts";
import { type Acknowledgement, type Episode, episodeName, isOpen } from "../src/alerts/judge/rules/episode.ts";
import { happening } from "../src/alerts/words/condition-words.ts";
import { andMoreWords } from "../src/alerts/words/describe-notice.ts";
import { sinceWords } from "../src/alerts/words/phrases.ts";
import { ALL_NETWORKS_OPTION } from "../src/answers/alerts/alert-options.ts";
import { changeAnnouncements } from "../src/answers/alerts/alerts.ts";
import {
  affectsCallerOnly,
  type CallerContext,
  callerPerson,
  destinationHere,
  isAmongMany,
  isCaller,
  isSameDestination,
  requireManagerOrMentioned,
} from "../src/answers/alerts/destination.ts";
import {
  alertPlace,
  detailsAction,
  findEpisode,
  findEpisodes,
  overActions,
  requireAcknowledger,
  seenHere,
} from "../src/answers/alerts/episodes/episodes.ts";
import { command } from "../src/bot/command.ts";
import { details, field, fields, paragraph } from "../src/reply/block.ts";
import { reply, type Reply } from "../src/reply/reply.ts";
import { code, text, time } from "../src/reply/text.ts";
import { formatCount } from "../src/units/format-number.ts";
import type { Destination } from "../src/alerts/destination.ts";
import { OPEN_EPISODE_OPTION } from "../src/answers/alerts/episodes/episode-options.ts";

export const alertsAck = command({
  name: "alerts ack",
  alsoCalled: ["acknowledge", "reminder"],
  asked: [
    "acknowledge|ack",
    "acknowledge|ack the|this|that|it|alert",
    "acknowledge|ack {episode}|stall|halt|outage|incident|lag|auction|node",
    "take|taking care|alert|over",
    "stop|no|end reminder",
  ],
  summary: "Acknowledge an alert: no more reminders",
  verb: "Acknowledge",
  title: "Acknowledge an alert",
  examples: ["alerts ack network.stalled"],
  // Everybody may in their direct messages; rights on a channel are checked below.
  access: "everyone",
  changes: true,
  shownBy: "alerts status",
  options: { episode: OPEN_EPISODE_OPTION, network: ALL_NETWORKS_OPTION },
  offers: async (context) => {
    const { alerts, openly, options } = context;
    const episode = seenHere(await findEpisode(alerts, options.episode, options.network), context);
    if (openly !== true) await requireAcknowledger(episode, context);
    const { acknowledged } = episode;
    if (!isOpen(episode)) return overReply(episode);
    if (acknowledged !== undefined) return acknowledgedReply(episode, acknowledged, context);
    const facts = [field("Since", sinceWords(episode, "both"))];
    return { question: text`Acknowledge: ${happening(episode)}?`, label: "Acknowledge", facts };
  },
  run: async (context) => {
    const { alerts, caller, here, options } = context;
    await requireManagerOrMentioned(context, "acknowledge its alerts");
    const found = await findEpisodes(alerts, options.episode, options.network);
    const named = found.map((one) => seenHere(one, context));
    const [own = found[0]] = named;
    await requireAcknowledger(own, context);
    if (context.pressed !== undefined) await alerts.notePress(own.id, context.pressed);
    const open = named.filter(isOpen);
    const [first = open[0] ?? own, ...rest] = open.filter(({ acknowledged }) => acknowledged === undefined);
    const what = text`${happening(first)}${andMoreWords(rest.length)}`;
    if (!isOpen(first)) return overReply(first);
    if (first.acknowledged !== undefined) return acknowledgedReply(first, first.acknowledged, context);
    const destination = await alertPlace(own, context);
    const alone = affectsCallerOnly(context);
    // The pressed message itself shows the acknowledgement; so does the alert on the console.
    const isShown = context.pressed !== undefined || here.platform === context.platforms.console.platform;
    const isTold = (one: Destination): boolean => isShown && isSameDestination(one, destination);
    const after = await alerts.acknowledge(
      first.id,
      {
        name: caller.name,
        person: callerPerson(context),
        ...(isAmongMany(context) ? { within: destinationHere(context) } : {}),
      },
      (episode, at) => {
        const untold = alone ? [] : at.filter((one) => !isTold(one));
        const others = rest.length === 0 || episode.id !== first.id ? {} : { others: rest.length };
        return changeAnnouncements(context, untold, { what: "acknowledged", episode, ...others });
      },
      alone ? destination : undefined,
      rest.map(({ id }) => id),
    );
    // Somebody may have acknowledged it since it was read.
    const stands = after?.acknowledged;
    if (stands !== undefined && !isCaller(stands.person, context)) {
      return acknowledgedReply(first, stands, context, rest.length);
    }
    return reply({
      tone: "good",
      title: text`Acknowledged: ${what}`,
      blocks: [
        fields([field("Since", sinceWords(first, "both"))]),
        paragraph(
          alone
            ? "You get no more reminders of it; channels that are told of it do. Its end is told."
            : "No more reminders come of it. Its end is told.",
        ),
        ...details([fields([field("Episode", code(episodeName(first.id)), { wide: true })])]),
      ],
      // The reply has details of its own.
      actions: [{ ...detailsAction(first), label: "Why" }],
    });
  },
});

function overReply(episode: Episode): Reply {
  return reply({
    title: text`Nothing changed: that is over. ${happening(episode)}`,
    blocks: [paragraph("An alert that is over needs no acknowledgement and sends no reminders.")],
    actions: overActions(episode),
  });
}

/** The answer about an episode that is acknowledged; with the number of `others` that are now acknowledged as well. */
function acknowledgedReply(episode: Episode, stands: Acknowledgement, context: CallerContext, others = 0): Reply {
  const what = happening(episode);
  return reply({
    title: isCaller(stands.person, context)
      ? text`Nothing changed: ${stands.by} has acknowledged that already. ${what}`
      : text`${stands.by} was first. ${what}`,
    blocks: [
      fields([field("When", time(timeFromText(stands.at), "both"))]),
      ...(others === 0
        ? []
        : [paragraph(`The other ${formatCount(others)} of this message are acknowledged as well.`)]),
    ],
    actions: [detailsAction(episode)],
  });
}
