import { markSimulated } from "../../../src/bot/simulated.ts";
import { commandAction, invalidatingAction, memoryAttachment, reply, type Reply } from "../../../src/reply/reply.ts";
import { code, id, text, time } from "../../../src/reply/text.ts";
import { nanoseconds } from "../../../src/units/time.ts";
import { gallery } from "../../support/gallery.ts";
import { ask as action, hex } from "../../support/gallery/parts.ts";
import { nastyStrings } from "../../support/nasty-strings.ts";
import type { Asked } from "./harness.ts";

async function countBytes(asked: Asked): Promise<Reply> {
  const file = asked.openFile?.("given");
  const chunks = await Array.fromAsync(await file!.open(asked.signal));
  return reply({ title: `${file!.name} has ${Buffer.concat(chunks).length} bytes` });
}

let stopExport = (): void => undefined;

/** A bot for the page: pages to turn, a thing to destroy, something slow, a file, wide tables, and the whole gallery. */
export function answer(asked: Asked): Reply | Promise<Reply> {
  const line = "line" in asked ? asked.line : `${asked.command} ${JSON.stringify(asked.options)}`;
  const shown = gallery.find((entry) => entry.name === line);
  if (shown !== undefined) return shown.reply;
  switch (line) {
    case "market list":
      return page(1);
    case 'market list {"page":2}':
      return page(2);
    case "silence":
      return reply({
        title: "Silence?",
        actions: [
          {
            label: "Silence",
            invocation: { command: "alerts silence", options: {} },
            effect: "reply",
            confirm: "Silence all alerts?",
          },
        ],
      });
    case "offer":
      return reply({ title: "Silence all?", asks: true, actions: [commandAction("Silence 2 h", "alerts silence")] });
    case "price":
      return reply({
        title: "A price",
        actions: [
          {
            label: "Tell me",
            invocation: { command: "alerts add", options: { to: "me", high: "70000" } },
            effect: "reply",
            form: true,
          },
        ],
      });
    case "noise": {
      const form = { effect: "reply", form: true } as const;
      const options = { behind: "2m" };
      const left = { id: "gm9fd", leave: "node.lagging" };
      return reply({
        title: "1 subscription",
        blocks: [{ kind: "list", items: [text`${code("gm9fd")}: node.lagging told 31 times this week`] }],
        actions: [
          { label: "Change…", invocation: { command: "alerts edit", options: { id: "gm9fd", ...options } }, ...form },
          {
            label: "Try…",
            invocation: { command: "alerts try", options: { kinds: "node.lagging", ...options } },
            ...form,
          },
          invalidatingAction("Leave it", "alerts edit", left, { command: "alerts list", options: {} }),
        ],
      });
    }
    case "exported":
      return reply({ title: "A ledger", actions: [{ ...commandAction("Check it", "ledger verify"), form: true }] });
    case "silences":
      return reply({
        title: "Two silences",
        actions: [invalidatingAction("End", "alerts unsilence", {}, { command: "alerts silences", options: {} })],
      });
    case "alerts silences {}":
      return reply({ title: "One silence", actions: [invalidatingAction("End it", "alerts unsilence", {})] });
    case "alerts unsilence {}":
      return reply({ title: "Ended" });
    case "file":
      return reply({ title: "One file", attachments: [memoryAttachment("ledger.csv", "text/csv", "a,b\n1,2\n")] });
    case "id":
      return reply({ title: text`Party ${id(hex("party"))}` });
    case "simulated":
      return markSimulated(reply({ title: "Made up" }));
    case "nasty":
      return reply({ title: "Nasty", blocks: [{ kind: "list", items: nastyStrings.map((nasty) => text`${nasty}`) }] });
    case "wordy":
      return reply({
        title: "Wide",
        blocks: [
          {
            kind: "table",
            name: "wide",
            columns: ["What", "Where", "Why", "When", "Who", "More"].map((title) => ({ title })),
            rows: [
              [
                "mainnet",
                ...Array.from(
                  { length: 5 },
                  () =>
                    "words of a line as the log of alerts has them, about who was told and by which way, and what came of it",
                ),
              ].map((cell) => text`${cell}`),
            ],
          },
        ],
      });
    case "timed":
      return reply({
        title: "Silences",
        blocks: [
          {
            kind: "table",
            name: "silences",
            columns: ["When", "Now"].map((title) => ({ title })),
            rows: [
              [
                text`every Saturday from 22:00 for 2 h by the clock of Europe/Berlin, first at ${time(MOMENT)}, the last time before ${time(MOMENT)}`,
                text`waits`,
              ],
            ],
          },
        ],
      });
    case 'ledger verify {"file":"given"}':
      return countBytes(asked);
    case "ledger verify other.csv":
      return reply({
        title: "No file",
        tone: "warning",
        blocks: [{ kind: "code", text: `ledger verify sha256:${"5d50".repeat(16)}` }],
        failure: "caller",
      });
    case "export":
      return new Promise((resolve) => {
        stopExport = () => resolve(reply({ title: "Cancelled by its code" }));
        asked.progress?.(
          reply({
            title: "12 rows so far",
            actions: [action("Cancel", "ledger cancel", { code: "7k2m9xqd" }, "reply")],
          }),
        );
      });
    case 'ledger cancel {"code":"7k2m9xqd"}':
      stopExport();
      return reply({ title: "Cancelled" });
    case "slow":
      return new Promise((resolve) => {
        asked.progress?.(reply({ title: "1 row so far" }));
        asked.signal.addEventListener("abort", () => resolve(reply({ title: "stopped" })));
      });
    default:
      return reply({ title: text`You asked ${code(line)}`, tone: "good" });
  }
}

const MOMENT = nanoseconds(1_795_284_000_000_000_000n);

const page = (number: number): Reply =>
  reply({
    title: `Markets, page ${number}`,
    actions: [
      action("Next page", "market list", { page: number + 1 }, "replace"),
      action("About", "about", {}, "reply"),
    ],
  });
