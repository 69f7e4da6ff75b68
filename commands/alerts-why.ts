import { episodeName } from "../src/alerts/judge/rules/episode.ts";
import { ALL_NETWORKS_OPTION } from "../src/answers/alerts/alert-options.ts";
import { episodeTimelineReply } from "../src/answers/alerts/episodes/episode-timeline.ts";
import { alertPlace, findEpisode, requireAcknowledger } from "../src/answers/alerts/episodes/episodes.ts";
import { offersWhere, requireManagerOrMentioned } from "../src/answers/alerts/destination.ts";
import { hasLooks } from "../src/answers/answer.ts";
import { command } from "../src/bot/command.ts";
import { UserError } from "../src/errors.ts";
import { EPISODE_OPTION, saidHalt } from "../src/answers/alerts/episodes/episode-options.ts";

export const alertsWhy = command({
  name: "alerts why",
  asked: [
    "why|explain|story|cause|reason alert|episode|incident",
    "why fire|firing|alert",
    "why|explain|cause|reason {episode}",
    "why|explain|cause|reason network|chain|blockchain|block|production|node|everything|{network} {episode}",
  ],
  summary: "The whole story of an alert",
  verb: "Explain",
  title: "Explain an alert",
  examples: ["alerts why network.stalled"],
  options: { episode: { ...EPISODE_OPTION, said: saidHalt }, network: ALL_NETWORKS_OPTION },
  run: async (context) => {
    const { alerts, options } = context;
    const { id } = await findEpisode(alerts, options.episode, options.network);
    const story = await alerts.history(id);
    // It was removed since it was found.
    if (story === undefined)
      throw new UserError(`Episode ${episodeName(id)} is no longer kept.`, {
        option: "episode",
        remedy: "Episodes are kept for at least 30 days after their end. The latest ones are in:",
        suggestion: "alerts log",
      });
    const { episode } = story;
    const place = await alertPlace(episode, context);
    return episodeTimelineReply(story, context, {
      acknowledge: await offersWhere(context, () => requireAcknowledger(episode, context)),
      chart: hasLooks(alerts, episode.network),
      silence: await offersWhere(context, () => requireManagerOrMentioned(context, "silence its alerts", place)),
    });
  },
});
