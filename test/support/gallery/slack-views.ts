import type { HomeView, ModalView } from "@slack/types";

import { commands } from "../../../commands/index.ts";
import { renderHome } from "../../../src/adapters/slack/home/render-home.ts";
import { renderAskForm, renderForm } from "../../../src/adapters/slack/render/form.ts";
import { renderSlack } from "../../../src/adapters/slack/render/render.ts";
import { answerModal } from "../../../src/adapters/slack/respond/answer-view.ts";
import type { SavedParty } from "../../../src/adapters/chat/home-data.ts";
import { Suspensions } from "../../../src/alerts/route/suspension.ts";
import { systemClock } from "../../../src/api/clock.ts";
import { withCommonOptions } from "../../../src/bot/command.ts";
import { homeStanding } from "../../../src/main/platforms/home-standing.ts";
import { homeSubscriptions } from "../../../src/main/platforms/home-subscriptions.ts";
import type { HomeList, HomePlace } from "../../../src/adapters/chat/press.ts";
import type { Ask } from "../../../src/reply/reply.ts";
import { toMillis } from "../../../src/units/time.ts";
import { down, stalled } from "../../alerts/readings.ts";
import { alertsOn } from "../alert-service.ts";
import { homeContext } from "../home-context.ts";
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

/** Kinds of which no alert is open. */
const SILENCED =
  "network.disagree network.clock node.lagging node.refuses market.bound market.state market.price checkpoint.overdue snapshot.overdue".split(
    " ",
  );

/** All of them; the ids that were made up are always the same. */
export async function slackViews(talk: Talk): Promise<SlackViewSample[]> {
  const signal = AbortSignal.timeout(60_000);
  talk.become({ here: HERE, caller: ANN });
  const empty = await homeOf(talk);
  await talk.askFor("alerts add node.down style:plain");
  const witnesses = ["a:1", "b:1"].map((node) => ({ node, reachable: true, height: "1200" }));
  await see(talk, 1, [stalled("good"), down("good")], { round: { witnesses } });
  const calm = await homeOf(talk);
  await see(talk, 1, [down("bad")]);
  await see(talk, 1, [down("bad")]);
  await see(talk, 1, [down("bad")]);
  const one = await homeOf(talk);
  await see(talk, 4, [stalled("bad"), down("bad")]);
  await talk.askFor(LINE);
  await talk.askFor("my party ab34f2c1f8ac93d1ab34f2c1f8ac93d1ab34f2c1f8ac93d1ab34f2c1f8ac93d1 treasury");
  const list = await talk.askFor("market list");
  const all = await talk.engine.subscriptions();
  const [market = ""] = all.flatMap(({ subjects }) => subjects);
  await seeMarkets(talk, { [market]: { label: "BTC/USDT" } });
  const id = all.find(({ kinds }) => kinds.includes("market.price"))?.id ?? "";
  const edit = { command: "alerts edit", options: { id } };
  const present = await talk.bot.present({ ...edit, here: HERE, caller: ANN, signal });
  const { commands: offered } = talk.bot;
  const halted = await haltedHome(talk);
  const crowded = await crowdedHome(talk);
  const samples: SlackViewSample[] = [
    form("form-market-show", "market show"),
    form("form-alerts-add", "alerts add"),
    form("form-alerts-add-when", "alerts add", {}, { open: ["When it is told"] }),
    form("form-alerts-add-all", "alerts add", {}, { open: headingsOf("alerts add") }),
    form("form-alerts-edit", "alerts edit"),
    form("form-alerts-edit-prefilled", "alerts edit", { id, ...present }, { begins: id }),
    form("form-alerts-add-price", "alerts add", { kinds: "market.price", subjects: "BTC/USDT" }),
    form("form-alerts-silence", "alerts silence"),
    form("form-alerts-log", "alerts log"),
    form("form-ledger-export", "ledger export"),
    {
      id: "form-ask",
      title: "Ask Bellwether",
      view: renderAskForm(
        "/bell",
        offered.filter(({ name }) => ASKED.includes(name)),
        ["mainnet", "testnet"],
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
    { id: "home-empty", title: "The home tab at first", view: empty },
    { id: "home-calm", title: "The home tab while all is well", view: calm },
    {
      id: "home-halt",
      title: "The home tab: a halt, silences, and a channel that cannot be reached",
      view: halted,
    },
    { id: "home-one-open", title: "The home tab: one alert is open", view: one },
    ...crowded.map(([id, view]) => ({
      id,
      title: `The home tab: ten alerts, ten silences, ten channels${id === "home-crowded" ? "" : ", a list"}`,
      view,
    })),
  ];
  const stored = [...(await talk.engine.subscriptions()), ...(await talk.engine.silences())];
  const content = (one: (typeof stored)[number]): string => JSON.stringify({ ...one, id: "" });
  const made = stored.toSorted((a, b) => (content(a) < content(b) ? -1 : 1)).map((one) => one.id);
  const fixed = [id, ...made.filter((one) => one !== id)].reduce(
    (json, one, index) => json.replaceAll(one, `7k2m${"qrstvwxyz"[index] ?? index}`),
    JSON.stringify(samples),
  );
  return JSON.parse(fixed) as SlackViewSample[];
}

/** What the watcher of markets knows of them. */
async function seeMarkets(talk: Talk, markets: Readonly<Record<string, { readonly label: string }>>): Promise<void> {
  const watcher = { name: "markets", every: 5000 };
  const at = talk.now();
  await talk.engine.processObservation({
    network: "mainnet",
    watcher,
    snapshot: { markets },
    readings: [],
    events: [],
    at,
  });
}

/** Somebody else acknowledges, alerts are silenced, and the app is taken out of a second channel. */
async function haltedHome(talk: Talk): Promise<HomeView> {
  const other = { ...HERE, channel: "C0456WXYZ" };
  await see(talk, 76, [stalled("bad"), down("bad")]);
  talk.become({ caller: { ...ANN, id: "U0123MIA", name: "mia" } });
  await talk.askFor("alerts ack node.down");
  talk.become({ caller: ANN });
  await talk.askFor("alerts silence market.auction 2h reason:maintenance");
  talk.become({ here: { ...HERE, channel: "D0123ABCD" } });
  await talk.askFor("alerts add network");
  talk.become({ here: other });
  await talk.askFor("alerts add markets network:testnet");
  const at = toMillis(talk.now());
  const suspensions = new Suspensions([]);
  suspensions.put({
    platform: "slack",
    destination: { platform: "slack", channel: other.channel },
    since: at - 600_000,
    why: "not_in_channel",
    nextAt: at,
  });
  await talk.store.transaction(({ alerts }) => suspensions.save(alerts, at));
  return homeOf(talk, [{ id: "ab34f2c1".repeat(8), name: "treasury" }]);
}

/** Ten alerts are open, ten silences hold, ten channels are subscribed: the overview, and the first page of each list. */
async function crowdedHome(talk: Talk): Promise<readonly (readonly [id: string, view: HomeView])[]> {
  const nodes = Array.from({ length: 8 }, (_, index) => down("bad", `validator-${index + 1}.example.net:3008`));
  await see(talk, 4, [stalled("bad"), down("bad"), ...nodes]);
  for (let index = 0; index < 8; index += 1) {
    talk.become({ here: { ...HERE, channel: `C0789${String(index).repeat(4)}` } });
    await talk.askFor(`alerts add ${index % 2 === 0 ? "nodes" : "ops"}`);
    talk.advance(1000);
  }
  talk.become({ here: HERE });
  for (const kind of SILENCED) {
    await talk.askFor(`alerts silence ${kind} 2h reason:"maintenance of the validators"`);
    talk.advance(1000);
  }
  const parties = [{ id: "ab34f2c1".repeat(8), name: "treasury" }];
  const home = async (list?: HomeList) => homeOf(talk, parties, list === undefined ? { page: 0 } : { list, page: 0 });
  return [
    ["home-crowded", await home()],
    ["home-crowded-alerts", await home("alerts")],
    ["home-crowded-silences", await home("silences")],
    ["home-crowded-told", await home("told")],
  ];
}

async function homeOf(
  talk: Talk,
  parties: readonly SavedParty[] = [],
  place: HomePlace = { page: 0 },
): Promise<HomeView> {
  const clock = { ...systemClock, wallClock: () => talk.now() };
  const context = homeContext(alertsOn(talk.store, { clock }).service, { ...ANN, workspace: HERE.workspace });
  const { commands: offered, networks } = talk.bot;
  return renderHome({
    place,
    command: "/bell",
    botName: "bellwether",
    commands: offered,
    manages: "own",
    at: toMillis(talk.now()),
    standing: await homeStanding(context, networks, 0, false),
    parties,
    subscriptions: await homeSubscriptions(context),
  });
}

/** The headings of a command's options. */
export function headingsOf(name: string): string[] {
  const declared = commands.find((one) => one.name === name);
  if (declared === undefined) throw new Error(`no command is called ${name}`);
  const options = Object.values(withCommonOptions(declared, PLATFORMS).options);
  return [...new Set(options.flatMap(({ section }) => section ?? []))];
}

function form(
  id: string,
  name: string,
  given: Ask["options"] = {},
  more: { open?: readonly string[]; begins?: string } = {},
): SlackViewSample {
  const declared = commands.find((one) => one.name === name);
  if (declared === undefined) throw new Error(`no command is called ${name}`);
  const command = withCommonOptions(declared, PLATFORMS);
  const title = `${name}: the form${more.open !== undefined ? `, ${more.open.length} headings opened` : more.begins === undefined ? "" : " of one that is there"}`;
  const view = renderForm(command, given, ["mainnet", "testnet"], { command: name, shared: true, ...more });
  return { id, title, view };
}
