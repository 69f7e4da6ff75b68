// The home tab: reads a person's data, renders the view and publishes it.
// Next: home-data.ts (the ports that it reads through).

import type { Button, HomeView, KnownBlock, SectionBlock } from "@slack/types";

import type { AnyCommand } from "../../../bot/command.ts";
import type { Ask } from "../../../reply/reply.ts";
import { code, id, strong, text, type Text } from "../../../reply/text.ts";
import type { SlackContext } from "../context.ts";
import { MAX_VIEW_BLOCKS, SECTION_LENGTH } from "../limits.ts";
import { contextBlock, headerBlock, sectionBlock } from "../render/blocks.ts";
import { dangerStyle } from "../render/buttons.ts";
import { plainTextElement, renderText } from "../render/mrkdwn.ts";
import { encodePress } from "../render/press.ts";
import { TONE_SIGNS } from "../../chat/tone-signs.ts";
import { describeError, logFailure } from "../transport/api-error.ts";
import { retryRateLimited } from "../transport/web-api.ts";
import type { Press } from "../../chat/press.ts";
import type { HomeStanding, OpenAlert, SavedParty, WorkspaceUser, Subscription } from "../../chat/home-data.ts";

/** What has just been done in the home tab. */
interface HomeState {
  /** Counted from 0. */
  readonly page?: number;
  /** A question whose answer is in the app's direct messages. */
  readonly answered?: Ask;
}

/** Publishes the home tab of a person who opens it, or who pressed a button there. Never rejects. */
export async function publishHome(slack: SlackContext, person: WorkspaceUser, state: HomeState = {}): Promise<void> {
  await logFailure(slack, "home tab", async () => {
    const { command, homeData } = slack;
    const { commands, networks } = slack.bot;
    const [standing, parties, subscriptions] = await Promise.all([
      readOrUnreadable(slack, homeData.standing(networks, person, state.page ?? 0)),
      readOrUnreadable(slack, homeData.savedParties(person)),
      readOrUnreadable(slack, homeData.subscriptionsOf(person)),
    ]);
    const view = renderHome({
      ...state,
      command,
      botName: slack.botName(),
      commands,
      standing,
      parties,
      subscriptions,
    });
    await retryRateLimited(slack)(() => slack.web.views.publish({ user_id: person.id, view }));
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

/** How many saved parties, and how many subscriptions, a page shows. */
const PER_PAGE = 20;
/** How many channels are counted. */
const MAX_CHANNELS = 100;
const MAX_PAGES = 100;

/** `unreadable`: the store did not answer. */
interface HomeContent extends HomeState {
  /** The root command, with its slash. */
  readonly command: string;
  readonly botName: string;
  readonly commands: readonly AnyCommand[];
  readonly standing: HomeStanding | "unreadable";
  /** This person's saved parties. */
  readonly parties: readonly SavedParty[] | "unreadable";
  readonly subscriptions: readonly Subscription[] | "unreadable";
}

/**
 * The app's home tab: how the networks stand, what is open, what is this person's own, and how to begin. Pure and total.
 */
export function renderHome(content: HomeContent): HomeView {
  const { command, commands, answered, parties, standing, subscriptions } = content;
  const own = subscriptions === "unreadable" ? [] : subscriptions.filter(({ remove }) => remove !== undefined);
  const saved = parties === "unreadable" ? [] : parties;
  const needed = Math.max(
    standing === "unreadable" ? 1 : standing.pages,
    Math.ceil(saved.length / PER_PAGE),
    Math.ceil(own.length / PER_PAGE),
  );
  const pages = Math.min(MAX_PAGES, needed);
  const page = Math.min(content.page ?? 0, pages - 1);
  const isOffered = (name: string): boolean => commands.some((one) => one.name === name);
  const asking = (name: string): Press => ({ kind: "ask", ask: { command: name, options: {} }, effect: "reply" });
  const isNew = parties !== "unreadable" && subscriptions !== "unreadable" && saved.length + own.length === 0;
  const blocks: KnownBlock[] = [
    ...(answered === undefined
      ? []
      : [line(text`The answer to ${code(`${command} ${answered.command}`)} is under Messages, beside this tab.`)]),
    ...(isNew
      ? [
          line(
            text`Bellwether answers questions about the trading network, and says first when something is wrong with it. Press ${strong("Ask a question")}, or subscribe a channel to alerts, as the end of this page says.`,
          ),
        ]
      : []),
    ...standingBlocks(standing),
    buttonRow([
      ["Ask a question", { kind: "question" }],
      ...(isOffered("market list") ? [["Markets", asking("market list")] as const] : []),
      ...(isOffered("help") ? [["Help", asking("help")] as const] : []),
    ]),
    ...(isOffered("my party") ? partyBlocks(command, parties, page) : []),
    ...subscriptionBlocks(content, page),
    ...pageChoice(page, pages),
    line(
      text`Type ${code(`${command} market list`)} in any channel: only you see the answer, and ${strong("Share")} shows it to all. In a thread, mention the app instead. ${code(`${command} help`)} lists what can be asked.`,
    ),
  ];
  return { type: "home", blocks: blocks.slice(0, MAX_VIEW_BLOCKS) };
}

/** The verdict on each network, and the open alerts with what to do about them. */
function standingBlocks(standing: HomeContent["standing"]): KnownBlock[] {
  if (standing === "unreadable") return [headerBlock("Networks"), unreadable()];
  const { networks, open, more } = standing;
  return [
    headerBlock("Networks"),
    ...lists(
      networks.map(({ tone, text: shown }) => text`${TONE_SIGNS[tone]}${shown}`),
      "",
    ),
    headerBlock("Open alerts"),
    ...(open.length === 0 ? [line(text`None.`)] : open.map((one, index) => alertBlock(one, index))),
    ...(more === 0
      ? []
      : [contextBlock(renderText(text`${more} more: choose another page below.`, { max: 300 }).mrkdwn)]),
  ];
}

function alertBlock({ tone, text: what, why, acknowledge, channel }: OpenAlert, index: number): SectionBlock {
  const shown = text`${TONE_SIGNS[tone]}${what}`;
  const place = channel === undefined || acknowledge === undefined ? {} : { channel };
  const press: Press = { kind: "ask", ask: acknowledge ?? why, effect: "reply", ...place };
  const label = acknowledge === undefined ? "Why" : "Acknowledge";
  const style = acknowledge === undefined ? {} : ({ style: "primary" } as const);
  return withButton(shown, { label, press, id: `alert:${index}`, ...style });
}

/** A line with a button beside it, where the button can carry its meaning. */
function withButton(
  content: Text,
  button: { label: string; press: Press; id: string } & Pick<Button, "style" | "confirm">,
  after = "",
): SectionBlock {
  const { label, press, id: name, ...look } = button;
  const shown = renderText(content, { max: SECTION_LENGTH - after.length - 10 }).mrkdwn;
  const block: SectionBlock = {
    type: "section",
    text: { type: "mrkdwn", text: `${shown.trim() === "" ? "–" : shown}${after}`, verbatim: true },
  };
  const value = encodePress(press);
  if (value === undefined) return block;
  const accessory = { action_id: `press:${name}`, text: plainTextElement(label), value, ...look };
  return { ...block, accessory: { type: "button", ...accessory } };
}

function subscriptionBlocks({ command, botName, commands, subscriptions }: HomeContent, page: number): KnownBlock[] {
  const title = headerBlock("What you are told of");
  if (subscriptions === "unreadable") return [title, unreadable()];
  const own = subscriptions.filter(({ remove }) => remove !== undefined);
  const channels = subscriptions.filter(({ remove }) => remove === undefined).slice(0, MAX_CHANNELS);
  const shown = pageOf(own, page);
  const may = commands.some(({ name }) => name === "alerts add");
  return [
    title,
    ...(own.length === 0
      ? [
          line(
            may
              ? text`Nothing yet. Type ${code(`${command} alerts add`)} under Messages, beside this tab.`
              : text`Nothing.`,
          ),
        ]
      : shown.map((one, index) => subscriptionBlock(one, index))),
    headerBlock("Channels here"),
    ...lists(
      channels.map(({ text: counted }) => counted),
      "• ",
      channels.map(placeOf),
    ),
    ...(may
      ? [
          line(
            text`To subscribe a channel, type in it ${code(`/invite @${botName}`)} and then ${code(`${command} alerts add`)}. ${code(`${command} alerts list`)} there shows what it is told of.`,
          ),
        ]
      : []),
  ];
}

function placeOf({ channel }: Subscription): string {
  return channel !== undefined && /^[CGD][A-Z0-9]+$/u.test(channel) ? ` in <#${channel}>` : "";
}

function subscriptionBlock(one: Subscription, index: number): SectionBlock {
  const label = "Remove";
  const ask = one.remove ?? { command: "alerts list", options: {} };
  const press: Press = { kind: "ask", ask, effect: "reply" };
  const danger = dangerStyle("You are told of it no more.", label);
  return withButton(one.text, { label, press, id: `subscription:${index}`, ...danger }, placeOf(one));
}

function unreadable(): KnownBlock {
  return contextBlock("It cannot be read for the moment. Open this tab again in a minute.");
}

function partyBlocks(command: string, parties: readonly SavedParty[] | "unreadable", page: number): KnownBlock[] {
  const title = headerBlock("Your parties");
  if (parties === "unreadable") return [title, unreadable()];
  if (parties.length === 0) {
    return [
      title,
      line(text`None yet. ${code(`${command} my party <id> [name]`)} saves one: it becomes your default.`),
    ];
  }
  const shown = pageOf(parties, page);
  return [
    title,
    ...shown.map((party, index) =>
      withButton(party.name === undefined ? [id(party.id)] : text`${party.name} ${id(party.id)}`, {
        label: "Stake",
        press: { kind: "ask", ask: { command: "stake", options: { party: party.id } }, effect: "reply" },
        id: `party:${index}`,
      }),
    ),
  ];
}

/** What a page shows of a list; of a list that ends before it, the last page. */
function pageOf<T>(all: readonly T[], page: number): readonly T[] {
  const last = Math.max(0, Math.ceil(all.length / PER_PAGE) - 1);
  const from = Math.min(page, last) * PER_PAGE;
  return all.slice(from, from + PER_PAGE);
}

/** A select of the pages, where there are several. */
function pageChoice(page: number, pages: number): KnownBlock[] {
  if (pages === 1) return [];
  const options = Array.from({ length: pages }, (_, index) => ({
    text: plainTextElement(`Page ${index + 1} of ${pages}`),
    value: encodePress({ kind: "home", page: index }) ?? "",
  }));
  const [initial] = options.slice(page);
  const select = {
    type: "static_select",
    action_id: "home:page",
    placeholder: plainTextElement("Page"),
    options,
  } as const;
  return [{ type: "actions", elements: [initial === undefined ? select : { ...select, initial_option: initial }] }];
}

function line(content: Text): KnownBlock {
  return sectionBlock(renderText(content, { max: SECTION_LENGTH }).mrkdwn);
}

/** Lines in as few sections as hold them; `after` is mrkdwn behind each. */
function lists(items: readonly Text[], bullet: string, after: readonly string[] = []): KnownBlock[] {
  const packed: string[] = [];
  for (const [index, item] of items.entries()) {
    const content = renderText(item, { max: 500 }).mrkdwn;
    const shown = `${bullet}${content.trim() === "" ? "–" : content}${after[index] ?? ""}`;
    const open = packed.at(-1);
    if (open !== undefined && open.length + shown.length + 1 <= SECTION_LENGTH)
      packed[packed.length - 1] = `${open}\n${shown}`;
    else packed.push(shown);
  }
  return packed.map(sectionBlock);
}

function buttonRow(buttons: readonly (readonly [label: string, press: Press])[]): KnownBlock {
  const elements = buttons.flatMap(([label, press], index): Button[] => {
    const value = encodePress(press);
    if (value === undefined) return [];
    return [{ type: "button", action_id: `press:begin:${index}`, text: plainTextElement(label), value }];
  });
  return { type: "actions", elements };
}
