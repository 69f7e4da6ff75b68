import { expect, onTestFinished, test } from "vitest";

import { alertsAdd } from "../../../../commands/alerts-add.ts";
import { alertsEdit } from "../../../../commands/alerts-edit.ts";
import { marketList } from "../../../../commands/market-list.ts";
import { reply } from "../../../../src/reply/reply.ts";
import { fakeBot, startConsole } from "../harness.ts";

const PRICE = { command: "alerts add", options: { kinds: "market.price", subjects: "BTC/USDT", to: "me", high: "7" } };

async function openConsole() {
  const asked: unknown[] = [];
  const bot = fakeBot(() => reply({ title: "unused" }), {
    commands: [alertsAdd, alertsEdit, marketList],
    present: async ({ command }) =>
      command === "alerts edit" ? { kinds: "market.price", subjects: "BTC/USDT", high: "70000", severity: "info" } : {},
    submit: async ({ command, options, zone }) => {
      asked.push([command, options, await zone?.()]);
      if (options["high"] === "lots") return { ok: false, faults: [{ option: "high", sentence: "No number." }] };
      const faults = options["high"] === "8" ? [{ sentence: "Too many." }] : [];
      const later = async () => reply({ title: "Amended" });
      const answer = reply({ title: "Subscribed", later });
      return { ok: true, visibility: "channel", run: async () => ({ reply: answer, faults }) };
    },
  });
  const console = await startConsole(bot);
  onTestFinished(() => console.adapter.stop());
  return { console, asked };
}

test("a button's form has what it ends with, and what its command needs most; what it is about is settled", async () => {
  const { console } = await openConsole();
  const form = (body: unknown): Promise<unknown> => console.post("/api/form", body).then((one) => one.json());
  expect(await form(PRICE)).toMatchObject({
    title: "Subscribe to alerts",
    verb: "Subscribe",
    about: [
      { label: "Alerts", value: "A mark price beyond or within thresholds" },
      { label: "Markets or nodes", value: "BTC/USDT" },
    ],
    fields: [
      { name: "high", label: "Above", value: "7" },
      { name: "low", label: "Below", value: "" },
    ],
  });
  expect(await form({ command: "alerts edit", options: { id: "7k2mq", behind: "2m" } })).toMatchObject({
    about: [{}, {}, { label: "Subscription", value: "7k2mq" }],
    fields: [{ name: "behind", label: "Time behind", value: "2m", before: "" }],
  });
  const whole = (await form({ command: "alerts edit", options: { id: "7k2mq" } })) as { fields: object[] };
  expect(whole.fields[0]).toMatchObject({ name: "high", value: "70000", before: "70000", none: "off" });
  expect(whole.fields.find((one) => "choices" in one)).toMatchObject({ value: "", choices: expect.anything() });
  expect(await form({ command: "market list", options: {} })).toBeNull();
  expect(await form({ command: "no such", options: {} })).toBeNull();
  expect(await console.post("/api/form", { text: "market list" })).toMatchObject({ status: 400 });
});

test("a form that was sent comes back with its faults, or is answered", async () => {
  const { console, asked } = await openConsole();
  const sent = (high: string) => ({
    ...PRICE,
    options: { ...PRICE.options, high },
    zone: "Europe/Zurich",
    form: true,
  });
  const send = (high: string): Promise<unknown> =>
    console.post("/api/invocations", sent(high), { accept: "application/x-ndjson" }).then(({ body }) =>
      body
        .trim()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
    );
  expect(await send("lots")).toEqual([{ faults: [{ option: "high", sentence: "No number." }] }]);
  expect(await send("8")).toEqual([{ faults: [{ sentence: "Too many." }] }]);
  expect(await send("9")).toMatchObject([{ reply: { headline: "Subscribed" } }, { reply: { headline: "Amended" } }]);
  const whole = (high: string): Promise<unknown> =>
    console.post("/api/invocations", sent(high)).then((one) => one.json());
  expect(await whole("lots")).toEqual({ faults: [{ option: "high", sentence: "No number." }] });
  expect(await whole("9")).toMatchObject({ headline: "Subscribed" });
  expect(asked.at(-1)).toEqual(["alerts add", { ...PRICE.options, high: "9" }, "Europe/Zurich"]);
});
