import type { Adapter } from "../../adapters/adapter.ts";
import type { Readiness } from "../../adapters/web/index.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { messageOf, StorageError } from "../../errors.ts";
import { inTime, type Milliseconds } from "../../units/time.ts";
import { channelsOutOfReach, deliveryProblem, type HealthDependencies, lateWatcher, refusedMessage } from "./health.ts";

export interface ReadinessDependencies
  extends Omit<HealthDependencies, "now">, Partial<Pick<HealthDependencies, "now">> {
  readonly clients: readonly Pick<ApiClient, "network" | "getNetworkTime">[];
  readonly adapters: readonly Pick<Adapter, "platform" | "health">[];
}

type PartStatus = { readonly ok: boolean; readonly why?: string };

const CHECK_TIMEOUT_MILLIS: Milliseconds = 3000;

/** Whether each part is ready: store, networks, platforms, watching and delivery. Never rejects. */
export async function checkReadiness(dependencies: ReadinessDependencies): Promise<Readiness> {
  const asked: Promise<readonly [string, PartStatus]>[] = [
    checked("store", () => dependencies.store.ping()),
    ...dependencies.clients.map((client) =>
      checked(client.network, () => client.getNetworkTime({ signal: AbortSignal.timeout(CHECK_TIMEOUT_MILLIS) })),
    ),
  ];
  const platforms = dependencies.adapters.map(({ platform, health }): [string, PartStatus] => [
    platform,
    { ok: health.state === "up", ...(health.state === "up" ? {} : { why: health.why ?? health.state }) },
  ]);
  const alerts = alertParts(dependencies);
  const all = Object.fromEntries([...(await Promise.all(asked)), ...platforms, ...(await alerts)]);
  return { ok: Object.values(all).every((part) => part.ok), parts: all };
}

async function alertParts(dependencies: ReadinessDependencies): Promise<readonly (readonly [string, PartStatus])[]> {
  const { alerting, platforms, startedAt, now: clock = Date.now } = dependencies;
  const part = (why: string | undefined): PartStatus => (why === undefined ? { ok: true } : { ok: false, why });
  try {
    const health = await answered(alerting.health());
    const { observations, suspensions, refused, damaged } = health;
    const now = clock();
    const delivered = { senders: alerting.service.platforms(), nameOf: platforms.nameOf };
    const problem = deliveryProblem(health, delivered, now);
    // A refused message or a lost channel is named, but a process that delivers all others is ready.
    const noted = problem ?? channelsOutOfReach(suspensions, delivered) ?? refusedMessage(refused, delivered, now);
    return [
      ["watching", part(damaged.length > 0 ? damaged.join("; ") : lateWatcher(observations, startedAt, now))],
      ["delivery", { ...part(problem), ...(noted === undefined ? {} : { why: noted }) }],
    ];
  } catch (thrown) {
    return ["watching", "delivery"].map((name) => [name, part(messageOf(thrown))]);
  }
}

function answered<T>(answer: Promise<T>): Promise<T> {
  return inTime(answer, { millis: CHECK_TIMEOUT_MILLIS }, () => {
    throw new Error("no answer in time");
  });
}

async function checked(name: string, check: () => Promise<unknown>): Promise<readonly [string, PartStatus]> {
  try {
    await answered(check());
    return [name, { ok: true }];
  } catch (thrown) {
    // A node's own words belong in replies; the log holds all other details.
    return [name, { ok: false, why: thrown instanceof StorageError ? thrown.title : messageOf(thrown) }];
  }
}
