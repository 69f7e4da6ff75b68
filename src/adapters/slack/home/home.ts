// The home tab: reads a person's data, renders the view and publishes it.
// Next: home-data.ts (the ports that it reads through).

import type { Button, HomeView, KnownBlock, SectionBlock } from "@slack/types";

import type { AnyCommand } from "../../../bot/command.ts";
import { isRequired, shortUsage } from "../../../bot/grammar/usage.ts";
import { code, id, joinText, text, type Text } from "../../../reply/text.ts";
import type { SlackContext } from "../context.ts";
import { BUTTON_LABEL_LENGTH, MAX_ACTIONS, MAX_VIEW_BLOCKS, SECTION_LENGTH } from "../limits.ts";
import { contextBlock, sectionBlock } from "../render/blocks.ts";
import { dangerStyle } from "../render/buttons.ts";
import { renderPlain, renderText } from "../render/mrkdwn.ts";
import { encodePress, type Press } from "../render/press.ts";
import { describeError, logFailure } from "../transport/api-error.ts";
import { retryRateLimited } from "../transport/web-api.ts";
import type { SavedParty, SlackUser, Subscription } from "./home-data.ts";

/** Publishes the home tab of a person who opens it, or who pressed a button there. Never rejects. */
export async function publishHome(slack: SlackContext, person: SlackUser): Promise<void> {
  await logFailure(slack, "home tab", async () => {
    const { commands, networks } = slack.bot;
    const { subscriptionsOf } = slack.homeData;
    const [parties, subscriptions] = await Promise.all([
      readOrUnreadable(slack, slack.homeData.savedParties(person)),
      subscriptionsOf === undefined ? undefined : readOrUnreadable(slack, subscriptionsOf(person)),
    ]);
    const view = renderHome({ command: slack.command, commands, networks, parties, subscriptions });
    await retryRateLimited(slack, () => slack.web.views.publish({ user_id: person.id, view }));
  });
}

/** The rest of the tab is shown without it. */
async function readOrUnreadable<T>(slack: SlackContext, reading: Promise<T>): Promise<T | "unreadable"> {
  try {
    return await reading;
  } catch (error) {
    slack.log.error({ platform: "slack", err: error, why: describeError(error) }, "home tab incomplete");
    return "unreadable";
  }
}

/** How many saved parties and subscriptions the home tab shows. */
const MAX_PARTIES = 20;
const MAX_SUBSCRIPTIONS = 40;

interface HomeContent {
  /** The root command, with its slash. */
  readonly command: string;
  readonly commands: readonly AnyCommand[];
  readonly networks: readonly string[];
  /** This person's saved parties; `unreadable` where the store did not answer. */
  readonly parties: readonly SavedParty[] | "unreadable";
  /** Undefined where nobody can subscribe to anything. */
  readonly subscriptions: readonly Subscription[] | "unreadable" | undefined;
}

/** The app's home tab: what the app is, how to begin, this person's parties and subscriptions. Pure and total. */
export function renderHome(content: HomeContent): HomeView {
  const { command, commands, networks, parties, subscriptions } = content;
  const [first] = networks;
  const own: KnownBlock[] = [];
  if (subscriptions !== undefined) own.push(...subscriptionBlocks(command, commands, subscriptions));
  if (commands.some(({ name }) => name === "my party")) own.push(...partyBlocks(command, parties));
  const blocks: KnownBlock[] = [
    { type: "header", text: { type: "plain_text", text: "Bellwether", emoji: false } },
    line(
      text`Answers questions about the trading network: its time and nodes, its markets, orders, stake, snapshots, checkpoints, and ledger exports as files. It asks ${networks.join(" or ")}${first === undefined || networks.length < 2 ? "" : text`, ${first} unless told otherwise`}.`,
    ),
    header("How to begin"),
    line(
      text`Type ${code(`${command} market list`)} in any channel, or press a button. Only you see the answer; ${code("Share")} shows it to all. ${code(`${command} help`)} lists what can be asked. In a thread, mention the app instead.`,
    ),
    ...actions(
      "begin",
      commands.filter((one) => one.access === "everyone").map((one) => [one.name, pressFor(one)]),
    ),
    ...own,
    header("What can be asked"),
    ...lists(commands.map((one) => text`${code(`${command} ${shortUsage(one)}`)} ${one.summary}`)),
  ];
  return { type: "home", blocks: blocks.slice(0, MAX_VIEW_BLOCKS) };
}

function subscriptionBlocks(
  command: string,
  commands: readonly AnyCommand[],
  subscriptions: readonly Subscription[] | "unreadable",
): KnownBlock[] {
  const title = header("Alerts to you and to channels here");
  if (subscriptions === "unreadable") return [title, unreadable()];
  if (subscriptions.length === 0) return [title, line(text`Nothing yet. ${howToSubscribe(command, commands)}`)];
  const shown = subscriptions.slice(0, MAX_SUBSCRIPTIONS);
  const more = subscriptions.length - shown.length;
  return [
    title,
    ...shown.map((one, index) => subscriptionBlock(one, index)),
    ...(more === 0 ? [] : [contextBlock(`${more} more are not shown here.`)]),
    ...(shown.some(({ channel }) => channel !== undefined) && commands.some(({ name }) => name === "alerts list")
      ? [line(text`Type ${code(`${command} alerts list`)} in a channel to see what it is told of.`)]
      : []),
  ];
}

function subscriptionBlock({ text: what, channel, remove }: Subscription, index: number): SectionBlock {
  const place = channel !== undefined && /^[CGD][A-Z0-9]+$/u.test(channel) ? ` in <#${channel}>` : "";
  const shown = renderText(what, { max: SECTION_LENGTH - place.length - 10 }).mrkdwn;
  const block: SectionBlock = {
    type: "section",
    text: { type: "mrkdwn", text: `${shown.trim() === "" ? "–" : shown}${place}`, verbatim: true },
  };
  const value = remove === undefined ? undefined : encodePress({ kind: "ask", ask: remove, effect: "reply" });
  if (value === undefined) return block;
  const label = "Remove";
  const button: Button = {
    type: "button",
    action_id: `press:subscription:${index}`,
    text: { type: "plain_text", text: label, emoji: false },
    value,
    ...dangerStyle("You are told of it no more.", label),
  };
  return { ...block, accessory: button };
}

/** Names the commands that subscribe, as far as there are any. */
function howToSubscribe(command: string, commands: readonly AnyCommand[]): Text {
  const names = commands.filter(({ name }) => name.startsWith("alerts ")).map(({ name }) => name);
  const offered = ["alerts add", "alerts watch"].filter((name) => names.includes(name));
  const chosen = offered.length > 0 ? offered : names.slice(0, 1);
  if (chosen.length === 0) return [];
  return text`Type ${joinText(
    chosen.map((name) => code(`${command} ${name}`)),
    " or ",
  )}.`;
}

function unreadable(): KnownBlock {
  return contextBlock("It cannot be read for the moment. Open this tab again in a minute.");
}

function partyBlocks(command: string, parties: readonly SavedParty[] | "unreadable"): KnownBlock[] {
  const title = header("Your parties");
  if (parties === "unreadable") return [title, unreadable()];
  if (parties.length === 0) {
    return [
      title,
      line(
        text`You have saved none. ${code(`${command} my party <id> [name]`)} keeps one; it is then offered first, and asked about where you name none.`,
      ),
    ];
  }
  const shown = parties.slice(0, MAX_PARTIES);
  const more = parties.length - shown.length;
  return [
    title,
    ...lists(shown.map((party) => (party.name === undefined ? [id(party.id)] : text`${party.name} ${id(party.id)}`))),
    ...actions(
      "party",
      shown.map((party): [string, Press] => [
        `Stake of ${party.name ?? party.id.slice(0, 8)}`,
        { kind: "ask", ask: { command: "stake", options: { party: party.id } }, effect: "reply" },
      ]),
    ),
    ...(more === 0 ? [] : [contextBlock(`${more} more are not shown here.`)]),
  ];
}

function pressFor(command: AnyCommand): Press {
  const ask = { command: command.name, options: {} };
  return Object.values(command.options).some(isRequired)
    ? { kind: "form", ask }
    : { kind: "ask", ask, effect: "reply" };
}

function header(title: string): KnownBlock {
  return { type: "header", text: { type: "plain_text", text: title, emoji: false } };
}

function line(content: Text): KnownBlock {
  return sectionBlock(renderText(content, { max: SECTION_LENGTH }).mrkdwn);
}

/** Lines in as few sections as hold them. */
function lists(items: readonly Text[]): KnownBlock[] {
  const packed: string[] = [];
  for (const item of items) {
    const shown = `• ${renderText(item, { max: 500 }).mrkdwn}`;
    const open = packed.at(-1);
    if (open !== undefined && open.length + shown.length + 1 <= SECTION_LENGTH)
      packed[packed.length - 1] = `${open}\n${shown}`;
    else packed.push(shown);
  }
  return packed.map(sectionBlock);
}

function actions(group: string, buttons: readonly (readonly [string, Press])[]): KnownBlock[] {
  const elements = buttons.flatMap(([label, press], index): Button[] => {
    const value = encodePress(press);
    const shown = renderPlain([{ kind: "text", text: label }], BUTTON_LABEL_LENGTH).text;
    if (value === undefined || shown === "") return [];
    const text = { type: "plain_text", text: shown, emoji: false } as const;
    return [{ type: "button", action_id: `press:${group}:${index}`, text, value }];
  });
  const rows: KnownBlock[] = [];
  for (let start = 0; start < elements.length; start += MAX_ACTIONS) {
    rows.push({ type: "actions", elements: elements.slice(start, start + MAX_ACTIONS) });
  }
  return rows;
}
