import { replyToJson } from "../../src/reply/json.ts";
import { disposeReply } from "../../src/reply/reply.ts";
import { SeededRandom } from "../campaign/seeded-random.ts";
import { rawHead, rawNode } from "../support/raw-node.ts";
import { talk } from "../support/talk.ts";
import { type Fault, FAULTS } from "./faults.ts";
import { type FuzzOperation, OPERATIONS, wholeAnswers } from "./operations.ts";

// Every fault of a node × every operation × both dialects, through the real client and the real commands. Whatever a
// node says, a command ends in time, is no bug, and says nothing that only a programmer understands.

export interface FuzzCase {
  readonly fault: Fault;
  readonly operation: FuzzOperation;
  /** Of the places and cuts in it. */
  readonly seed: number;
}

/** All cases, in an order of their own for each seed. */
export function fuzzCases(seed: number): FuzzCase[] {
  const random = new SeededRandom(seed);
  const all = OPERATIONS.flatMap((operation) =>
    FAULTS.map((fault) => ({ fault, operation, seed: Math.floor(random.next() * 2 ** 31) })),
  );
  return random.shuffled(all);
}

/** Words of libraries and of JavaScript, which no reply may hold. No fault sends any of them. */
const JARGON =
  /\bundefined\b|\bNaN\b|\bInfinity\b|\[object |\b(?:UND_ERR|HPE|ERR)_\w+|\bE(?:CONN|NOT|HOST|NET|TIMEDOUT|PIPE|PROTO|ADDR)[A-Z]*\b|\b\w+(?:Error|Fault|Exception)\b|MalformedCsv|Unexpected (?:token|end)|Invalid input|\breceived\s+(?:undefined|null|nan|string|number|object|array)\b|\bat (?:\w+\.)?\w+ \(|node:|\bundici\b|\bzod\b/iu;

/** Short, so that a silent node does not hold the fuzz up. */
const LIMITS = { tryMillis: 400, callMillis: 700, idleMillis: 400, crawlMillis: 400, retryMillis: 1 };
/** A command may ask for names as well, each with a call's time. */
const MAX_MILLIS = 15_000;

export interface FuzzOutcome {
  readonly failure: "none" | "caller" | "network" | "bug";
  /** What is wrong with the reply; undefined where nothing is. */
  readonly wrong: string | undefined;
}

/** Asks one command of a node with one fault. */
export async function runCase({ fault, operation, seed }: FuzzCase): Promise<FuzzOutcome> {
  const random = new SeededRandom(seed);
  const whole = wholeAnswers(operation.dialect);
  await using node = await rawNode((head, socket) => {
    const path = /^GET ([^ ?]*)/u.exec(head)?.[1] ?? "";
    const body = whole.get(path);
    if (path === operation.path) fault.say(socket, operation.body, random);
    else if (body === undefined) socket.write(NO_ROUTE);
    else
      socket.write(Buffer.concat([Buffer.from(rawHead("HTTP/1.1 200 OK", [`Content-Length: ${body.length}`])), body]));
  });
  await using conversation = await talk({ networks: { mainnet: [node.url] }, limits: LIMITS });
  const began = performance.now();
  const screen = await conversation.ask(operation.line);
  const millis = performance.now() - began;
  const reply = conversation.lastReply;
  try {
    const { failure = "none" } = reply;
    if (failure === "bug") return { failure, wrong: "a bug" };
    const jargon = JARGON.exec(`${screen}\n${JSON.stringify(replyToJson(reply))}`)?.[0];
    if (jargon !== undefined) return { failure, wrong: `jargon: ${jargon}` };
    return { failure, wrong: millis > MAX_MILLIS ? `it took ${Math.round(millis)} ms` : undefined };
  } finally {
    await disposeReply(reply);
  }
}

const NO_ROUTE_BODY = '{"code":5,"message":"Not Found","details":[]}';
const NO_ROUTE = rawHead("HTTP/1.1 404 Not Found", [`Content-Length: ${NO_ROUTE_BODY.length}`]) + NO_ROUTE_BODY;

export function nameOf({ fault, operation, seed }: FuzzCase): string {
  return `${operation.line} (${operation.dialect}), ${fault.name}, seed ${seed}`;
}
