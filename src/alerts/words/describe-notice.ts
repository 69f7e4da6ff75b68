import { type Block, paragraph } from "../../reply/block.ts";
import { type Action, commandAction, reply, type Reply, type Tone } from "../../reply/reply.ts";
import { code, commandLine, type Inline, text, type Text, time } from "../../reply/text.ts";
import { formatDuration, toMillis } from "../../units/time.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import { isOpen } from "../judge/rules/episode.ts";
import type { ChangeMessage, MessageOf, Over, TestMessage } from "../message/message.ts";
import type { DatabaseFault, NoticeAbout } from "../message/notice.ts";
import type { Platforms } from "../destination.ts";
import { headline } from "./describe-condition.ts";
import { actionsOf, channelName, markedTitle, whatToDo } from "./phrases.ts";
import { silenceScopeWords, silenceTimeWords, silenceUntilWords, silenceWords } from "./silence-words.ts";
import type { NetworkStatus } from "../judge/kinds/network-status.ts";
import type { Subscription } from "../route/subscription.ts";
import { conditionWords } from "./condition-words.ts";
import { networkStatusWords } from "./network-status-words.ts";
import { deliveryOptionWords, subscriptionWords } from "./subscription-words.ts";

/** What the operators must know. Pure and total. */
export function describeNotice(message: MessageOf<"notice">, platforms?: Platforms): Reply {
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
        paragraph(text`${commandLine("alerts silences")}, where one was made or at the console, ends it.`),
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

/** A test message to whoever is told alone, or to a channel that was lost, with its subscription. */
export function describeTest(message: TestMessage, platforms?: Platforms): Reply {
  const { by, first, subscription, standing } = message;
  const told = subscription === undefined ? [] : text` It is told of ${subscriptionWords(subscription)}.`;
  const place = subscription?.destination.channel.startsWith("user:") === true ? "this conversation" : "this channel";
  return reply({
    tone: "good",
    title: markedTitle(text`Alerts arrive here`, message),
    blocks: [
      paragraph(text`${by} subscribed ${place}.${told}`),
      ...standingBlocks(standing),
      ...firstWord(first, subscription, platforms),
    ],
  });
}

/** What the people of a channel learn with its first subscription. */
function firstWord(first: true | undefined, subscription: Subscription | undefined, platforms?: Platforms): Block[] {
  const platform = platforms?.chat(subscription?.destination.platform ?? "");
  if (first !== true || platform === undefined) return [];
  return [
    {
      kind: "list",
      title: text`From now on`,
      items: [
        text`An alert comes here when something is wrong, and says when it is over.`,
        text`Quiet for a while: press Silence on an alert, or type ${commandLine("alerts silence all 1h")}.`,
        text`What comes here: ${commandLine("alerts list")}; ${platform.managers} may change it, unless the operator names others.`,
      ],
    },
  ];
}

/** Who changed what of a channel's subscriptions and silences, in one short message. */
export function describeChange(message: ChangeMessage, platforms?: Platforms): Reply {
  const { title, ...rest } = changeParts(message, platforms);
  return reply({ title: markedTitle(title, message), ...rest });
}

/** What a message says. Moments belong into the body, where each reader sees them in their own zone. */
function changeParts({ by, change, at, labels }: ChangeMessage, platforms?: Platforms): ChangeParts {
  switch (change.what) {
    case "added": {
      const { subscription, standing, first } = change;
      return {
        title: text`${by} subscribed this channel to ${subscriptionWords(subscription, labels)}${mannerWords(subscription)}`,
        blocks: [...standingBlocks(standing), ...firstWord(first, subscription, platforms)],
      };
    }
    case "edited": {
      const { subscription: now } = change;
      return {
        title: text`${by} changed a subscription of this channel: now ${subscriptionWords(now, labels)}${mannerWords(now)}`,
      };
    }
    case "removed":
    case "paused":
    case "resumed": {
      const { id } = change.subscription;
      const title = text`${by} ${change.what} a subscription of this channel: ${subscriptionWords(change.subscription, labels)}`;
      return change.what === "paused"
        ? { title, ...undoing(change, commandAction("Resume", "alerts resume", { id })) }
        : { title };
    }
    case "silenced": {
      const { silence } = change;
      const { blocks, actions } = undoing(change, commandAction("End silence", "alerts unsilence", { id: silence.id }));
      const reason = silence.reason === undefined ? [] : text`: ${silence.reason}`;
      return {
        title: text`${by} silenced ${silenceScopeWords(silence)}`,
        blocks: [
          paragraph(text`${capital(silenceTimeWords(silence, toMillis(timeFromText(at))))}${reason}`),
          ...blocks,
        ],
        actions,
      };
    }
    case "unsilenced":
      return { title: text`${by} ended the silence of ${silenceScopeWords(change.silence)}` };
    case "acknowledged":
      return {
        title: text`${by} takes it: ${conditionWords(change.episode).now}${andMoreWords(change.others)}`,
        actions: [commandAction("Details", "alerts why", { episode: change.episode.id })],
      };
  }
}

interface ChangeParts {
  readonly title: Text;
  readonly blocks?: Block[];
  readonly actions?: Action[];
}

/** The button that undoes a change; once it is over, what came of it instead. */
function undoing({ over }: { readonly over?: Over }, action: Action): { blocks: Block[]; actions: Action[] } {
  if (over === undefined) return { blocks: [], actions: [action] };
  const { what, by } = over;
  const came = by === undefined ? `It ${what}` : `${by} ${what} it`;
  return { blocks: [paragraph(text`${came} at ${time(timeFromText(over.at))}.`)], actions: [] };
}

function mannerWords(subscription: Subscription): Text {
  const manner = deliveryOptionWords(subscription);
  return manner.length === 0 ? [] : text` (${manner})`;
}

/** Follows the words for one alert that has others beside it. */
export function andMoreWords(others = 0): string {
  return others === 0 ? "" : `, and ${others} more`;
}

/** Capitalizes a text. */
function capital([first, ...rest]: Text): Text {
  if (first?.kind !== "text") return first === undefined ? [] : [first, ...rest];
  return [{ ...first, text: `${first.text.slice(0, 1).toUpperCase()}${first.text.slice(1)}` }, ...rest];
}

/** The message stays, and the network does not stay as it was. */
function standingBlocks(standing: NetworkStatus | undefined): Block[] {
  return standing === undefined ? [] : [paragraph(networkStatusWords(standing, "then"))];
}
