import type { Button, HomeView, KnownBlock } from "@slack/types";

import type { AnyCommand } from "../../bot/command.ts";
import { isRequired, shortUsage } from "../../bot/usage.ts";
import { code, id, text, type Text } from "../../reply/text.ts";
import { guarded } from "./answer.ts";
import { context, section } from "./blocks.ts";
import type { Desk } from "./desk.ts";
import { renderPlain, renderText } from "./inline.ts";
import { ACTIONS, BUTTON_LABEL_LENGTH, SECTION_LENGTH, VIEW_BLOCKS } from "./limits.ts";
import { encodePress, type Press } from "./press.ts";

/** A party that somebody keeps under a name of their own. */
export interface SavedParty {
  readonly id: string;
  readonly name: string | undefined;
}

/** How many saved parties the home tab shows. */
const PARTIES = 20;

interface HomeParts {
  /** The root command, with its slash. */
  readonly command: string;
  readonly commands: readonly AnyCommand[];
  readonly networks: readonly string[];
  readonly parties: readonly SavedParty[];
}

/** The app's home tab: what it is, how to begin, what this person keeps. */
export function renderHome(parts: HomeParts): HomeView {
  const { command, commands, networks, parties } = parts;
  const [first] = networks;
  const blocks: KnownBlock[] = [
    { type: "header", text: { type: "plain_text", text: "Bellwether", emoji: false } },
    line(
      text`Answers questions about the trading network: its time and nodes, its markets, orders, stake, snapshots, checkpoints, and ledger exports as files. It asks ${networks.join(" or ")}${first === undefined || networks.length < 2 ? "" : text`, ${first} unless told otherwise`}.`,
    ),
    header("How to begin"),
    line(
      text`Type ${code(`${command} market list`)} in any channel, or press a button. Only you see the answer; ${code("Share")} shows it to all. ${code(`${command} help`)} lists what can be asked. In a thread, mention the app instead.`,
    ),
    ...actions(commands.filter((one) => one.access === "everyone").map((one) => [one.name, pressOf(one)])),
    ...lists(commands.map((one) => text`${code(`${command} ${shortUsage(one)}`)} ${one.summary}`)),
  ];
  if (commands.some(({ name }) => name === "my party")) blocks.push(...partyBlocks(command, parties));
  return { type: "home", blocks: blocks.slice(0, VIEW_BLOCKS) };
}

function partyBlocks(command: string, parties: readonly SavedParty[]): KnownBlock[] {
  if (parties.length === 0) {
    return [
      header("Your parties"),
      line(
        text`You have saved none. ${code(`${command} my party <id> [name]`)} keeps one; it is then offered first, and asked about where you name none.`,
      ),
    ];
  }
  const shown = parties.slice(0, PARTIES);
  const more = parties.length - shown.length;
  return [
    header("Your parties"),
    ...lists(shown.map((party) => (party.name === undefined ? [id(party.id)] : text`${party.name} ${id(party.id)}`))),
    ...actions(
      shown.map((party): [string, Press] => [
        `Stake of ${party.name ?? party.id.slice(0, 8)}`,
        { kind: "ask", ask: { command: "stake", options: { party: party.id } }, effect: "reply" },
      ]),
    ),
    ...(more === 0 ? [] : [context(`${more} more are not shown here.`)]),
  ];
}

function pressOf(command: AnyCommand): Press {
  const ask = { command: command.name, options: {} };
  return Object.values(command.options).some(isRequired)
    ? { kind: "form", ask }
    : { kind: "ask", ask, effect: "reply" };
}

function header(title: string): KnownBlock {
  return { type: "header", text: { type: "plain_text", text: title, emoji: false } };
}

function line(content: Text): KnownBlock {
  return section(renderText(content, { max: SECTION_LENGTH }).mrkdwn);
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
  return packed.map(section);
}

function actions(buttons: readonly (readonly [string, Press])[]): KnownBlock[] {
  const elements = buttons.flatMap(([label, press], index): Button[] => {
    const value = encodePress(press);
    const shown = renderPlain([{ kind: "text", text: label }], BUTTON_LABEL_LENGTH).text;
    if (value === undefined || shown === "") return [];
    return [
      { type: "button", action_id: `press:${index}`, text: { type: "plain_text", text: shown, emoji: false }, value },
    ];
  });
  const rows: KnownBlock[] = [];
  for (let start = 0; start < elements.length; start += ACTIONS) {
    rows.push({ type: "actions", elements: elements.slice(start, start + ACTIONS) });
  }
  return rows;
}

/** Shows the home tab to somebody who opens it. Never rejects. */
export async function onHome(desk: Desk, person: Parameters<Desk["savedParties"]>[0]): Promise<void> {
  await guarded(desk, "home tab", async () => {
    const { commands, networks } = desk.bot;
    const parties = await desk.savedParties(person);
    await desk.web.views.publish({
      user_id: person.id,
      view: renderHome({ command: desk.command, commands, networks, parties }),
    });
  });
}
