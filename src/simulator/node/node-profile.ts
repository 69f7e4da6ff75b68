/** The API behaviour of one node. Every field can be set per node, also while it runs. */
export interface NodeProfile {
  /** `contract`: paths under /network and networkAssetId; `v0.71`: paths under /vega and vegaAssetId. */
  readonly dialect: "contract" | "v0.71";
  /** The version that `/api/v2/info` gives. */
  readonly version: string;
  readonly commitHash: string;
  /** The ledger's columns: 12 up to v0.71.5, 13 from v0.71.6. */
  readonly columns: 12 | 13;
  /** The ledger as raw CSV, or as JSON messages, one a line or with nothing between them. */
  readonly framing: "raw" | "messages" | "messages-concatenated";
  /** Whether a 13-column export also contains incoming rows outside what was asked, as real ones do. */
  readonly strayRows: boolean;
  /** Whether the ledger has a column that no release knows, with text beyond ASCII. */
  readonly extraColumn: boolean;
  /** The size of every ledger export of this node in bytes, whatever was asked; 0 = as the party's history has it. */
  readonly ledgerBytes: number;
  /** Whether the endpoints that name markets, assets and nodes answer. */
  readonly names: boolean;
  /** Whether `/parties/stake` answers here too, not only at the core's own base URL. */
  readonly stake: boolean;
  /** Error replies say `application/json, application/grpc`, as some nodes do. */
  readonly doubledContentType: boolean;
}

/** The release of the newer nodes and of the network. */
export const CORE_RELEASE = "v0.71.6";
const NEWER = { version: CORE_RELEASE, commitHash: "0d6ad7f1e7d2f0f1b5c8a1b5c7e9f0a3d4c2b1a0", columns: 13 } as const;
const SHARED = { strayRows: false, extraColumn: false, ledgerBytes: 0, names: true, stake: true } as const;

/** Node 1 and 2 speak the contract, node 3 the older dialect; what comes after is again like them. */
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

const CHECKS: { [K in keyof NodeProfile]: (value: unknown) => boolean } = {
  dialect: (value) => value === "contract" || value === "v0.71",
  version: isText,
  commitHash: isText,
  columns: (value) => value === 12 || value === 13,
  framing: (value) => value === "raw" || value === "messages" || value === "messages-concatenated",
  strayRows: isFlag,
  extraColumn: isFlag,
  ledgerBytes: (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
  names: isFlag,
  stake: isFlag,
  doubledContentType: isFlag,
};

/** The first field that is unknown or invalid; undefined if all are valid. */
export function faultyField(changes: Record<string, unknown>): string | undefined {
  return Object.entries(changes).find(([name, value]) => {
    const check = Object.hasOwn(CHECKS, name) ? CHECKS[name as keyof NodeProfile] : undefined;
    return check === undefined || !check(value);
  })?.[0];
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.length <= 200;
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}
