import { type Block, field, type Field, paragraph } from "../reply/block.ts";
import { code, id, strong, text, type Text } from "../reply/text.ts";

/** An Ethereum signature is 65 bytes. */
const SIGNATURE_HEX = 130;

/** The number of concatenated signatures; undefined where the text is no whole number of them. */
function countSignatures(signatures: string): number | undefined {
  const hex = signatures.replace(/^0x/iu, "");
  return /^[0-9a-f]+$/iu.test(hex) && hex.length % SIGNATURE_HEX === 0 ? hex.length / SIGNATURE_HEX : undefined;
}

/** `13 signatures`, or that it is not signed yet: for titles. */
export function signedWords(signatures: string | undefined): string {
  if (signatures === undefined) return "not signed yet";
  const count = countSignatures(signatures);
  return count === undefined ? "signed" : `${count} ${count === 1 ? "signature" : "signatures"}`;
}

export function copyableField(name: string, value: string | bigint | undefined): Field {
  return field(name, value === undefined ? undefined : code(value), { wide: true });
}

export function copyableIdField(name: string, value: string | undefined): Field {
  return field(name, value === undefined ? undefined : id(value), { wide: true });
}

/** The whole signatures in a block to copy; or what their absence means. */
export function signatureBlocks(signatures: string | undefined): Block[] {
  if (signatures === undefined) {
    return [
      paragraph(
        text`${strong("Not signed yet.")} The validators have not signed this bundle, so the bridge does not take it; ask again in some minutes.`,
      ),
    ];
  }
  return [paragraph(signaturesTitle(signatures)), { kind: "code", text: signatures }];
}

function signaturesTitle(signatures: string): Text {
  const count = countSignatures(signatures);
  return count === undefined ? text`${strong("Signatures")}` : text`${strong("Signatures")} (${count})`;
}
