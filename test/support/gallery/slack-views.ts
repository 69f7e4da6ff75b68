import type { HomeView, ModalView } from "@slack/types";

import { commands } from "../../../commands/index.ts";
import { renderHome } from "../../../src/adapters/slack/home/home.ts";
import { renderAskForm, renderForm } from "../../../src/adapters/slack/render/form.ts";
import { renderSlack } from "../../../src/adapters/slack/render/render.ts";
import { answerModal } from "../../../src/adapters/slack/respond/answer-view.ts";
import { withCommonOptions } from "../../../src/bot/command.ts";
import { homeStanding } from "../../../src/main/platforms/home-standing.ts";
import { homeSubscriptions } from "../../../src/main/platforms/home-subscriptions.ts";
import type { Ask } from "../../../src/reply/reply.ts";
import { down } from "../../alerts/readings.ts";
import { alertsOn } from "../alert-service.ts";
import { see } from "../see.ts";
import type { Talk } from "../talk.ts";
import { PLATFORMS } from "../platforms.ts";

// The forms, the answers and the home tab that Slack shows beside messages.

/** A view, made by the program from what a conversation left behind. */
export interface SlackViewSample {
  /** Kebab-case and unique. */
  readonly id: string;
  readonly title: string;
  readonly view: HomeView | ModalView;
}

const HERE = {
  platform: "slack",
  workspace: "T0123ABCD",
  channel: "C0123ABCD",
  files: { maxBytes: 1e7, maxCount: 10 },
};
const ANN = { id: "U0123ANN", name: "ann", mayManageChannel: true };
const LINE =
  'alerts add market.price BTC/USDT high:70000 low:50000 severity:warning quiet:22:00-07:00 zone:Europe/Berlin note:"Call the desk"';

/** Of a list that grows with each command. */
const ASKED: readonly string[] = ["time", "market list", "market show", "order", "alerts add"];

/** All of them; the ids that were made up are always the same. */
export async function slackViews(talk: Talk): Promise<SlackViewSample[]> {
  const signal = AbortSignal.timeout(60_000);
  talk.become({ here: HERE, caller: ANN });
  await talk.askFor("alerts add node.down style:plain");
  await see(talk, 1, [down("good")]);
  await see(talk, 4, [down("bad")]);
  await talk.askFor(LINE);
  await talk.askFor("my party ab34f2c1f8ac93d1ab34f2c1f8ac93d1ab34f2c1f8ac93d1ab34f2c1f8ac93d1 treasury");
  const list = await talk.askFor("market list");
  const all = await talk.engine.subscriptions();
  const id = all.find(({ kinds }) => kinds.includes("market.price"))?.id ?? "";
  const edit = { command: "alerts edit", options: { id } };
  const present = await talk.bot.present({ ...edit, here: HERE, caller: ANN, signal });
  const { service } = alertsOn(talk.store);
  const person = { platform: "slack", id: ANN.id, workspace: HERE.workspace };
  const { commands: offered, networks } = talk.bot;
  const home = renderHome({
    command: "/bell",
    botName: "bellwether",
    commands: offered,
    standing: await homeStanding(service, networks, person, PLATFORMS, 0),
    parties: [{ id: "ab34f2c1".repeat(8), name: "treasury" }],
    subscriptions: await homeSubscriptions(service, person, PLATFORMS),
  });
  const samples: SlackViewSample[] = [
    form("form-market-show", "market show"),
    form("form-alerts-add", "alerts add"),
    form("form-alerts-add-all", "alerts add", {}, { all: true }),
    form("form-alerts-edit", "alerts edit"),
    form("form-alerts-edit-prefilled", "alerts edit", { id, ...present }, { begins: id }),
    form("form-alerts-silence", "alerts silence"),
    form("form-ledger-export", "ledger export"),
    {
      id: "form-ask",
      title: "Ask Bellwether",
      view: renderAskForm(
        "/bell",
        offered.filter(({ name }) => ASKED.includes(name)),
      ),
    },
    {
      id: "answer-market-list",
      title: "market list, asked in the home tab",
      view: answerModal(
        renderSlack(list, { asker: ANN.id, ask: { command: "market list", options: {} }, inView: true }).blocks,
        undefined,
      ),
    },
    { id: "home", title: "The home tab", view: home },
  ];
  return JSON.parse(JSON.stringify(samples).replaceAll(id, "7k2mq")) as SlackViewSample[];
}

function form(
  id: string,
  name: string,
  given: Ask["options"] = {},
  more: { all?: true; begins?: string } = {},
): SlackViewSample {
  const declared = commands.find((one) => one.name === name);
  if (declared === undefined) throw new Error(`no command is called ${name}`);
  const command = withCommonOptions(declared, PLATFORMS);
  const title = `${name}: the form${more.all === true ? " with all options" : more.begins === undefined ? "" : " of one that is there"}`;
  const view = renderForm(command, given, ["mainnet", "testnet"], { command: name, shared: true, ...more });
  return { id, title, view };
}
