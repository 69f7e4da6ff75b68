import type { Adapter, SendingAdapter } from "../../../src/adapters/adapter.ts";
import { ok } from "../../../src/adapters/finding.ts";
import { withListedManagers } from "../../../src/adapters/chat/listed-managers.ts";
import type { PlatformRecord } from "../../../src/adapters/chat/chat.ts";
import type { Webhook } from "../../../src/adapters/webhook.ts";
import type { Bot } from "../../../src/bot/bot.ts";
import { endpoint, idleKey, type PlatformSettings, secret } from "../../../src/config/settings.ts";
import { disposeReply, type Reply } from "../../../src/reply/reply.ts";
import { fullText } from "../../../src/reply/full-text.ts";
import { stub } from "./platform.ts";

// A whole chat platform: messages go to an HTTP server, and commands come from a webhook.

const COMMANDS_PATH = "/stub/commands";
const PAGE = new URL("./page/", import.meta.url);

const variables = { STUB_TOKEN: secret.optional(), STUB_URL: endpoint.optional() };

interface StubOptions {
  readonly token: string;
  readonly url: string;
  readonly managers: readonly string[];
}

const settings: PlatformSettings<ReturnType<PlatformRecord["read"]>, typeof variables> = {
  platform: stub,
  variables,
  secrets: ["STUB_TOKEN"],
  tokens: ["STUB_TOKEN"],
  isSetUp: ({ has }) => has("STUB_TOKEN") && has("STUB_URL"),
  person: { pattern: /^@[a-z]+$/u, forms: ["@ann"] },
  channel: { pattern: /^![a-z]+$/u, forms: ["!…"] },
  rules: [idleKey("STUB_URL", "STUB_TOKEN")],
  read: ({ STUB_TOKEN: token, STUB_URL: url }, managers) => ({
    platform: stub,
    page: PAGE,
    preview: () => ({ platform: stub.id, name: stub.name, page: PAGE, render: (reply) => ({ text: fullText(reply) }) }),
    subcommands: { "stub-greet": { about: "greets", run: async (_args, { print }) => (print("Hello, yard."), 0) } },
    service:
      token === undefined || url === undefined
        ? undefined
        : {
            url,
            endpoints: [],
            async examine({ channels, signal }) {
              const { status } = await fetch(new URL("/token", url), { headers: { Authorization: token }, signal });
              const reached = channels.map(({ id, setting }) => ok(setting, `the yard has ${id}`));
              return [ok("Stub token", `the gate says ${status}`), ...reached];
            },
            open: async () => ({ adapter: createStubAdapter({ token, url, managers }) }),
          },
  }),
};

export const stubRecord: PlatformRecord = { ...settings, platform: stub };

function createStubAdapter({ token, url, managers }: StubOptions): SendingAdapter {
  let bot: Bot | undefined;
  let health: Adapter["health"] = { state: "starting" };
  const post = async (path: string, body: object, signal: AbortSignal): Promise<void> => {
    const headers = { Authorization: token, "Content-Type": "application/json" };
    await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body), signal });
  };
  const commands: Webhook = {
    path: COMMANDS_PATH,
    async handle(request) {
      if (request.header("authorization") !== token || bot === undefined) return { status: 401 };
      const { line, channel, person } = JSON.parse(Buffer.from(request.body).toString("utf8")) as Record<
        string,
        string
      >;
      const here = { platform: stub.id, workspace: "y1", channel: channel ?? "", files: stub.files };
      const caller = { id: person ?? "", name: person ?? "", mayManageChannel: true };
      const reply = await bot.runLine(line ?? "", { here, caller, signal: AbortSignal.timeout(5000) });
      await disposeReply(reply);
      return { status: 200, body: fullText(reply) };
    },
  };
  return {
    platform: stub.id,
    webhooks: [commands],
    get health() {
      return health;
    },
    async start(everybodys) {
      bot = withListedManagers(everybodys, managers);
      health = { state: "up" };
    },
    async stop() {
      health = { state: "down", why: "stopped" };
    },
    async send({ id, destination: { channel } }, reply: Reply, signal) {
      await post("/messages", { channel, text: fullText(reply) }, signal);
      return { platform: stub.id, channel, message: id };
    },
    update: (receipt, reply, signal) => post(`/messages/${receipt.message}`, { text: fullText(reply) }, signal),
  };
}
