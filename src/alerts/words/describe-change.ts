import { type Block, paragraph } from "../../reply/block.ts";
import { type Action, commandAction, reply, type Reply } from "../../reply/reply.ts";
import { code, commandLine, text, type Text, time } from "../../reply/text.ts";
import { toMillis } from "../../units/time.ts";
import { timeFromText } from "../judge/kinds/kind.ts";
import type { NetworkStatus } from "../judge/kinds/network-status.ts";
import type { ChangeMessage, Over, TestMessage } from "../message/message.ts";
import type { Platforms } from "../destination.ts";
import type { Subscription } from "../route/subscription.ts";
import { conditionWords } from "./condition-words.ts";
import { networkStatusWords } from "./network-status-words.ts";
import { markedTitle } from "./phrases.ts";
import { silenceScopeWords, silenceTimeWords } from "./silence-words.ts";
import { deliveryOptionWords, subscriptionWords } from "./subscription-words.ts";

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
        title: text`${by} changed subscription ${code(now.id)}: now ${subscriptionWords(now, labels)}${mannerWords(now)}`,
      };
    }
    case "removed":
    case "paused":
    case "resumed": {
      const { id } = change.subscription;
      const title = text`${by} ${change.what} subscription ${code(id)}: ${subscriptionWords(change.subscription, labels)}`;
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
