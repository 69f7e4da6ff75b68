import { type Block, paragraph } from "../../reply/block.ts";
import { type Action, reply, type Reply, type Tone } from "../../reply/reply.ts";
import { code, commandLine, type Inline, text, type Text, time } from "../../reply/text.ts";
import { formatDuration, toMillis } from "../../units/time.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { isOpen } from "../judge/rules/episode.ts";
import type { AlertMessage } from "../message/message.ts";
import type { DatabaseFault, NoticeAbout } from "../message/notice.ts";
import type { Platforms } from "../destination.ts";
import { headline } from "./describe-condition.ts";
import { actionsOf, channelName, markedTitle, whatToDo } from "./phrases.ts";
import { silenceUntilWords, silenceWords } from "./silence-words.ts";

/** What the operators must know. Pure and total. */
export function describeNotice(message: Extract<AlertMessage, { type: "notice" }>, platforms?: Platforms): Reply {
  const { notice, at } = message;
  const told = (tone: Tone, title: Text, blocks: readonly Block[], actions: readonly Action[] = []) =>
    reply({ tone, title: markedTitle(title, message), blocks, actions });
  switch (notice.about) {
    case "unacknowledged": {
      const { episode } = notice;
      const { tone, title } = headline({ type: "condition", phase: "state", episode });
      const open = isOpen(episode) && episode.acknowledged === undefined ? text`Nobody takes it: ${title}` : title;
      return told(tone, open, unacknowledgedBlocks(notice), actionsOf(episode));
    }
    case "lost": {
      const name = platforms?.nameOf(notice.platform) ?? notice.platform;
      const title = text`A channel on ${name} can no longer be reached`;
      return told("warning", title, [paragraph(lostWords(notice, name, channelName(notice, platforms)))]);
    }
    case "silences": {
      const count =
        notice.silences.length === 1 ? "1 silence is active" : `${notice.silences.length} silences are active`;
      const now = toMillis(timeFromText(at));
      // A message that is not edited says until when, not how long from now.
      const items = notice.silences.map((one) => silenceWords(one, silenceUntilWords(one, now), platforms));
      return told("warning", text`${count}: alerts are being kept back`, [
        { kind: "list", items },
        paragraph(text`${commandLine("alerts unsilence <id>")} ends one, where it was made or at the console.`),
      ]);
    }
    case "refused":
      return told("warning", refusedTitle(notice, platforms), [
        {
          kind: "list",
          items: notice.places.map((one) => placeWords(one, channelName({ ...notice, ...one }, platforms))),
        },
        paragraph(text`${commandLine("alerts log")} has each of them.`),
      ]);
    case "database": {
      const { title, what, remedy = FILE_REMEDY } = DATABASE_WORDS[notice.what];
      const { lostMillis } = notice;
      const lost = lostMillis === undefined ? "" : `The last ${formatDuration(lostMillis)} are missing. `;
      return told("bad", text`${title}`, [
        paragraph(text`${code(notice.file)}, noticed ${time(timeFromText(at), "both")}. ${lost}${what}`),
        whatToDo(remedy),
      ]);
    }
  }
}

function unacknowledgedBlocks({ episode, reminders }: NoticeAbout<"unacknowledged">): Block[] {
  const count = reminders === 1 ? "One reminder was" : `${reminders} reminders were`;
  if (!isOpen(episode) || episode.acknowledged !== undefined) {
    return [paragraph(`${count} sent, and nobody had acknowledged it by then.`)];
  }
  return [
    paragraph(
      text`It has been ${episode.severity} since ${time(timeFromText(episode.escalated ?? episode.detected), "both")}. ${count} sent, nobody has acknowledged it, and no more follow.`,
    ),
  ];
}

function lostWords({ why, subscriptions, unsent }: NoticeAbout<"lost">, platform: string, where: Inline): Text {
  const ended = subscriptions === 1 ? "1 subscription" : `${subscriptions} subscriptions`;
  const givenUp = unsent === 1 ? "1 message was" : `${unsent} messages were`;
  return text`${where}: ${platform} says ${why}. ${ended} ended there, ${givenUp} given up. Invite the bot again, then subscribe again there.`;
}

function refusedTitle({ platform, places }: NoticeAbout<"refused">, platforms?: Platforms): Text {
  const name = platforms?.nameOf(platform) ?? platform;
  const dead = places.reduce((sum, one) => sum + one.dead, 0);
  const plain = places.reduce((sum, one) => sum + one.plain, 0);
  return dead > 0
    ? text`${dead === 1 ? "1 message" : `${dead} messages`} to ${name} ${dead === 1 ? "was" : "were"} given up`
    : text`${name} refused the usual form of ${plain === 1 ? "1 message" : `${plain} messages`}`;
}

function placeWords({ why, dead, plain }: NoticeAbout<"refused">["places"][number], where: Inline): Text {
  const counts = [...(dead === 0 ? [] : [`${dead} given up`]), ...(plain === 0 ? [] : [`${plain} sent as plain text`])];
  return text`${where}: ${counts.join(", ")}. ${why}`;
}

const FILE_REMEDY = text`Stop the bot, put the file back or restore a backup with ${code("npm run restore -- <backup>")}, then start it.`;

const DATABASE_WORDS: Readonly<
  Record<DatabaseFault, { readonly title: string; readonly what: string; readonly remedy?: Text }>
> = {
  deleted: {
    title: "The database of the running bot was deleted",
    what: "The bot goes on with the deleted file, and everything in it ends with this process.",
  },
  replaced: {
    title: "The database of the running bot was replaced",
    what: "The bot goes on with the file that it opened, and everything in it ends with this process; a restart takes the new one.",
  },
  overwritten: {
    title: "The database of the running bot was overwritten",
    what: "The bot goes on with what it remembers, and writes it into what is there now: the file can no longer be relied on.",
  },
  "gone back": {
    title: "The bot's database went back in time",
    what: "It is as it was before, as after a failover to a server that was behind. What was told meanwhile may come again, marked as a possible repeat. What people changed meanwhile is lost: subscriptions, silences, acknowledgements.",
    remedy: text`Look at ${commandLine("alerts list")} in channels where something was changed. A server that commits on its standby too (${code("synchronous_standby_names")}) loses nothing.`,
  },
  "begun anew": {
    title: "The bot's database was gone at the start: a new one was begun",
    what: "It holds no subscriptions, saved parties and silences: nobody but the console and the operators is told of alerts.",
  },
};
