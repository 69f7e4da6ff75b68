import { tableFiles, verifiedReply } from "../src/answers/exports/verified.ts";
import { suggestDelivered } from "../src/answers/exports/exports.ts";
import type { ChatPlatform } from "../src/alerts/destination.ts";
import { command } from "../src/bot/command.ts";
import { exportAsker } from "../src/bot/export-asker.ts";
import { UserError } from "../src/errors.ts";

export const ledgerVerify = command({
  name: "ledger verify",
  alsoCalled: ["check file", "verify file"],
  asked: [
    "verify|check|validate|prove|genuine|real|trust|legit|authentic|same|original|tampered|hash|right file|export|csv|ledger|download",
    "verify|check|validate|prove file|csv|download i|we|got|downloaded",
    "verify",
    "file|csv ok|okay|good|fine|right|intact|complete",
    "sha256|hash",
  ],
  summary: "Whether a file is the one that an export delivered",
  verb: "Verify",
  title: "Verify an export",
  examples: ["ledger verify ./ledger.csv", `ledger verify sha256:${"5d50".repeat(16)}`],
  personal: true,
  anyNetwork: true,
  options: {
    file: {
      kind: "file",
      description: "The file: attached, dropped on the console, or its path in the terminal",
      otherwise: "ledger verify",
    },
    sha256: {
      kind: "text",
      label: "Hash of the file",
      description: "Or its SHA-256: 64 digits, as sha256sum prints it",
      hint: "One of your exports, or 64 digits",
      example: "5d501265f253…",
      suggest: suggestDelivered,
    },
  },
  run: async (context) => {
    const { file, sha256 } = context.options;
    const asker = exportAsker(context);
    const chat = context.platforms.chat(context.here.platform);
    if (file !== undefined) {
      const given = { name: file.name, bytes: await file.open(context.signal) };
      return verifiedReply(file.name, await context.exports.verify(asker, given, tableFiles));
    }
    if (sha256 === undefined) {
      throw new UserError("Which file is to be verified?", {
        asks: true,
        option: "sha256",
        remedy: fileRemedy(chat),
        suggestion: "ledger verify sha256:<sha256>",
      });
    }
    const typed = sha256.trim().toLowerCase();
    const begins = /^[0-9a-f]{8,63}$/u.test(typed) ? await suggestDelivered(typed, context) : [];
    const hash = begins[0]?.value ?? typed;
    if (!/^[0-9a-f]{64}$/u.test(hash)) {
      throw new UserError("A SHA-256 has 64 hexadecimal digits.", {
        option: "sha256",
        remedy: "Choose an export of yours, or see how to give a file:",
        suggestion: "ledger verify",
      });
    }
    return verifiedReply({ chat }, await context.exports.verify(asker, hash, tableFiles));
  },
});

/** How a file, or its hash, is given where somebody asks. */
function fileRemedy(chat: ChatPlatform | undefined): string {
  if (chat === undefined) return "Give the file, or its SHA-256. Type:";
  return chat.returnsFiles === true
    ? "Press Check the file under the answer of an export, or attach the file to the command, as its option file. For its hash alone, type:"
    : `On ${chat.name} this bot takes no files. Choose an export of yours for the SHA-256 of its file. For any other, type:`;
}
