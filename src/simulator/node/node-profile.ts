import { z } from "zod";

import { CORE_RELEASE } from "../chain/blocks.ts";

const ShortText = z.string().max(200);

/** The API behaviour of one node. Every field can be set per node, also while it runs. */
const NodeProfile = z.strictObject({
  /** `contract`: paths under /network and networkAssetId; `v0.71`: paths under /vega and vegaAssetId. */
  dialect: z.enum(["contract", "v0.71"]),
  /** The version that `/api/v2/info` gives. */
  version: ShortText,
  commitHash: ShortText,
  /** The ledger's columns: 12 up to v0.71.5, 13 from v0.71.6. */
  columns: z.literal([12, 13]),
  /** The ledger as raw CSV, or as JSON messages, one a line or with nothing between them. */
  framing: z.enum(["raw", "messages", "messages-concatenated"]),
  /** Whether a 13-column export also contains incoming rows outside what was asked, as real ones do. */
  strayRows: z.boolean(),
  /** Whether the ledger has a column that no release knows, with text beyond ASCII. */
  extraColumn: z.boolean(),
  /** The size of every ledger export of this node in bytes, whatever was asked; 0 = as the party's history has it. */
  ledgerBytes: z.int().nonnegative(),
  /** Whether the endpoints that name markets, assets and nodes answer. */
  names: z.boolean(),
  /** Whether `/parties/stake` answers here too, not only at the core's own base URL. */
  stake: z.boolean(),
  /** Error replies say `application/json, application/grpc`, as some nodes do. */
  doubledContentType: z.boolean(),
});
export type NodeProfile = Readonly<z.infer<typeof NodeProfile>>;

const NEWER = { version: CORE_RELEASE, commitHash: "0d6ad7f1e7d2f0f1b5c8a1b5c7e9f0a3d4c2b1a0", columns: 13 } as const;
const SHARED = { strayRows: false, extraColumn: false, ledgerBytes: 0, names: true, stake: true } as const;

/** Nodes 1 and 2 speak the contract, node 3 the older dialect; nodes 4, 5 and 6 are like 1, 2 and 3, and so on. */
export function defaultProfile(number: number): NodeProfile {
  switch (number % 3) {
    case 1:
      return { ...SHARED, ...NEWER, dialect: "contract", framing: "raw", doubledContentType: false };
    case 2:
      return { ...SHARED, ...NEWER, dialect: "contract", framing: "messages", doubledContentType: true };
    default:
      return {
        ...SHARED,
        version: "v0.71.4",
        commitHash: "61d1f77ece53d4b8e4ac43d8a5e8ed0a4b7bd1e6",
        columns: 12,
        dialect: "v0.71",
        framing: "raw",
        doubledContentType: true,
      };
  }
}

/** The first field that is unknown or invalid; undefined if all are valid. */
export function faultyField(changes: Record<string, unknown>): string | undefined {
  const [wrong] = NodeProfile.partial().safeParse(changes).error?.issues ?? [];
  return wrong?.code === "unrecognized_keys" ? wrong.keys[0] : wrong?.path[0]?.toString();
}
