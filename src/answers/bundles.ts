import type { AsOf } from "../api/api-client.ts";
import type { AssetLimitsBundle, ListAssetBundle } from "../api/model/bundle.ts";
import { type Ask, type Attachment, memoryAttachment, type Reply } from "../reply/reply.ts";
import { type Block, details, facts, field, type Field, fields, paragraph } from "../reply/block.ts";
import { code, id, strong, text } from "../reply/text.ts";
import { answer, extraFields, watchAction } from "./answer.ts";

/** An Ethereum signature is 65 bytes. */
const SIGNATURE_HEX = 130;

/** The number of concatenated signatures; undefined where the text is no whole number of them. */
function countSignatures(signatures: string): number | undefined {
  const hex = signatures.replace(/^0x/iu, "");
  return /^[0-9a-f]+$/iu.test(hex) && hex.length % SIGNATURE_HEX === 0 ? hex.length / SIGNATURE_HEX : undefined;
}

/** What differs between the answers about bundles. */
interface BundleAnswer {
  readonly value: AssetLimitsBundle | ListAssetBundle;
  readonly title: string;
  /** Shown before and after those that every bundle has. */
  readonly before: readonly Field[];
  readonly after?: readonly Field[];
  /** The bundle's own members that are shown. */
  readonly known?: Readonly<Record<string, unknown>>;
  /** What is watched until it is signed. */
  readonly subject: string;
  readonly ask: Ask;
}

/** The signatures of a bundle, its fields, whatever else the node says of it, and a button to wait for signatures. */
export function bundleAnswer(
  context: Parameters<typeof answer>[0],
  asOf: AsOf,
  { value, title, before, after = [], known = {}, subject, ask }: BundleAnswer,
): Reply {
  const { networkAssetId, assetSource, nonce, signatures } = value;
  const shared = [
    copyableIdField("Asset id", networkAssetId),
    copyableField("Token contract", assetSource),
    copyableField("Nonce", nonce),
  ];
  const below: Block[] = [fields([...shared, ...after])];
  const unknown = extraFields(value, { assetSource: 0, nonce: 0, signatures: 0, networkAssetId: 0, ...known });
  if (unknown.length > 0) below.push(fields(unknown, text`Further fields of the node`));
  return answer(context, asOf, {
    title: text`${title} ${signedWords(signatures)}`,
    tone: signatures === undefined ? "warning" : "good",
    blocks: [...facts(before), ...signatureBlocks(signatures), ...details(below)],
    attachments: signatures === undefined ? [] : [bundleFile(value)],
    actions:
      signatures === undefined ? [watchAction(context, "Tell me once it is signed", "bundle.signed", subject)] : [],
    ask,
  });
}

/** `has 13 signatures`, or that it is not signed yet: for titles. */
function signedWords(signatures: string | undefined): string {
  if (signatures === undefined) return "is not signed yet";
  const count = countSignatures(signatures);
  return count === undefined ? "is signed" : `has ${count} ${count === 1 ? "signature" : "signatures"}`;
}

export function copyableField(name: string, value: string | bigint | undefined): Field {
  return field(name, value === undefined ? undefined : code(value), { wide: true });
}

export function copyableIdField(name: string, value: string | undefined): Field {
  return field(name, value === undefined ? undefined : id(value), { wide: true });
}

/** The whole signatures in one line to copy; or what their absence means. */
function signatureBlocks(signatures: string | undefined): Block[] {
  return signatures === undefined
    ? [paragraph("The validators have not signed it, so the bridge does not take it. Ask again in some minutes.")]
    : details([paragraph(strong("Signatures")), { kind: "code", text: signatures }]);
}

/** What the bridge takes, under the names of the interface; integers as text, since they are wider than JSON's numbers. */
function bundleFile(value: AssetLimitsBundle | ListAssetBundle): Attachment {
  const { networkAssetId, assetSource, nonce, signatures } = value;
  const limits = "threshold" in value ? { lifetimeLimit: value.lifetimeLimit, threshold: value.threshold } : {};
  const content = { networkAssetId, assetSource, ...limits, nonce, signatures };
  const json = JSON.stringify(content, (_, part: unknown) => (typeof part === "bigint" ? part.toString() : part), 2);
  return memoryAttachment("bundle.json", "application/json", `${json}\n`);
}
