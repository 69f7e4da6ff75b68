import { atMost, runAsScript, type Measured } from "./support/figure.ts";
import { virtualLife } from "./support/virtual-life.ts";

// Some minutes of the whole way in virtual time, with one subscription and with 10,000: how many requests the data nodes
// are sent.

const MINUTES = 3;
const NODES = 3;
const MANY = 10_000;

async function measure(): Promise<readonly Measured[]> {
  const one = await requests(1);
  const many = await requests(MANY);
  const detail = `${one} in ${MINUTES} virtual minutes with one subscription, ${many} with ${MANY}`;
  // Observations are jittered, so that the last of them may come after the end.
  return [atMost("alerts: requests to data nodes, many to one", many / one, 1.02, "times as many", detail)];
}

async function requests(subscriptions: number): Promise<number> {
  await using life = await virtualLife({ nodes: NODES, subscriptions, kinds: ["network.stalled", "checkpoint.new"] });
  await life.pass(MINUTES * 60_000);
  return life.counts.requests;
}

await runAsScript(import.meta.url, measure);
