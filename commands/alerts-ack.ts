import { timeFromText } from "../src/alerts/judge/kinds/json-fields.ts";
import { episodeName, isOpen } from "../src/alerts/judge/rules/episode.ts";
import { tokenScope } from "../src/alerts/route/suspension.ts";
import { conditionWords } from "../src/alerts/words/condition-words.ts";
import { andMoreWords } from "../src/alerts/words/describe-change.ts";
import { sinceWords } from "../src/alerts/words/phrases.ts";
import { ALL_NETWORKS_OPTION } from "../src/answers/alerts/alert-options.ts";
import { changeAnnouncements } from "../src/answers/alerts/alerts.ts";
import {
  affectsCallerOnly,
  destinationHere,
  isAmongMany,
  isSameDestination,
  requireManager,
} from "../src/answers/alerts/destination.ts";
import {
  alertPlace,
  detailsAction,
  findEpisodes,
  requireEpisodeAccess,
  seenHere,
  silenceKindAction,
} from "../src/answers/alerts/episodes/episodes.ts";
import { command } from "../src/bot/command.ts";
import { details, field, fields, paragraph } from "../src/reply/block.ts";
import { reply } from "../src/reply/reply.ts";
import { code, text, time } from "../src/reply/text.ts";
import type { Destination } from "../src/alerts/destination.ts";
import { EPISODE_OPTION } from "../src/answers/alerts/episodes/episode-options.ts";

export const alertsAck = command({
  name: "alerts ack",
  alsoCalled: ["acknowledge", "reminder"],
  summary: "Acknowledge an alert: no more reminders",
  verb: "Acknowledge",
  title: "Acknowledge an alert",
  examples: ["alerts ack network.stalled"],
  // Everybody may in their direct messages; rights on a channel are checked below.
  access: "everyone",
  changes: true,
  options: { episode: EPISODE_OPTION, network: ALL_NETWORKS_OPTION },
  run: async (context) => {
    const { alerts, caller, here, options } = context;
    requireManager(context, "acknowledge its alerts");
    const found = await findEpisodes(alerts, options.episode, options.network);
    const named = found.map((one) => seenHere(one, context));
    const [own = found[0]] = named;
    await requireEpisodeAccess(own, context);
    if (context.pressed !== undefined) await alerts.notePress(own.id, context.pressed);
    const open = named.filter(isOpen);
    const [first = open[0] ?? own, ...rest] = open.filter(({ acknowledged }) => acknowledged === undefined);
    const bad = text`${conditionWords(first).bad}${andMoreWords(rest.length)}`;
    if (!isOpen(first)) {
      return reply({
        title: text`Nothing changed: that is over. ${bad}`,
        blocks: [paragraph("An alert that is over needs no acknowledgement and sends no reminders.")],
        actions: [silenceKindAction(first), detailsAction(first)],
      });
    }
    const known = first.acknowledged;
    if (known !== undefined) {
      return reply({
        title: text`Nothing changed: ${known.by} has acknowledged that already. ${bad}`,
        blocks: [fields([field("When", time(timeFromText(known.at), "both"))])],
        actions: [detailsAction(first)],
      });
    }
    const destination = await alertPlace(own, context);
    const alone = affectsCallerOnly(context);
    // The pressed message itself shows the acknowledgement; so does the alert on the console.
    const isShown = context.pressed !== undefined || here.platform === context.platforms.console.platform;
    const isTold = (one: Destination): boolean => isShown && isSameDestination(one, destination);
    await alerts.acknowledge(
      first.id,
      {
        name: caller.name,
        person: { ...tokenScope(destinationHere(context)), platform: here.platform, id: caller.id },
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
    return reply({
      tone: "good",
      title: text`Acknowledged: ${bad}`,
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
