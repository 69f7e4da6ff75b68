import { onTestFinished } from "vitest";

import { CursorCodec, type PagedList, pageOf } from "../../../src/simulator/gateway/pages.ts";
import { SeededRandom } from "../../../src/simulator/seeded-random.ts";
import { fakeNode, sendJson } from "../../api/serve-wire.ts";

interface ChainCheckpoint {
  readonly block: number;
  readonly hash: string;
}

/** A node with the test's checkpoints; its cursors hold the block only, and no other node knows them. */
export interface ChainNode {
  readonly url: string;
  readonly asked: string[];
  /** In chain order. */
  rows: ChainCheckpoint[];
  height: number;
  /** Of its last block, in Unix seconds. */
  seconds: number;
  dead: boolean;
  /** Receives no more blocks. */
  frozen: boolean;
  /** Receives blocks, but no checkpoints. */
  lacking: boolean;
  /** Whether it sends the block that an answer is as of. */
  headers: boolean;
}

export async function chainNode(name: string, start: Partial<ChainNode> = {}): Promise<ChainNode> {
  const codec = new CursorCodec(new SeededRandom(name), name);
  const served = await fakeNode((request, response) => {
    if (node.dead) {
      request.socket.destroy();
      return;
    }
    const list: PagedList<ChainCheckpoint> = {
      rows: node.rows,
      keyOf: (row) => String(row.block),
      compareKeys: (a, b) => Number(a) - Number(b),
      render: (row) => ({ atBlock: String(row.block), hash: row.hash, blockHash: `B${row.block}` }),
    };
    const query = new URL(request.url ?? "", "http://node").searchParams;
    const headers = {
      "X-Block-Height": String(node.height),
      "X-Block-Timestamp": `${Math.round(node.seconds * 1000)}000000`,
    };
    try {
      sendJson(response, { checkpoints: pageOf(list, query, codec) }, node.headers ? { headers } : {});
    } catch {
      const details = [{ "@type": "x", message: "not a cursor of mine" }];
      sendJson(response, { code: 3, message: "invalid", details }, { status: 400 });
    }
  });
  onTestFinished(async () => served[Symbol.asyncDispose]());
  const node: ChainNode = {
    url: served.url,
    asked: served.asked,
    rows: [],
    height: 1,
    seconds: 1_682_942_400,
    dead: false,
    frozen: false,
    lacking: false,
    headers: true,
    ...start,
  };
  return node;
}
