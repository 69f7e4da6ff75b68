import { monitorEventLoopDelay, type RecordableHistogram } from "node:perf_hooks";

import type * as prometheus from "prom-client";
import type { Counter, Registry } from "prom-client";

type Delays = Pick<RecordableHistogram, "count" | "min" | "max" | "mean" | "stddev" | "percentile" | "reset">;

/** The delays of the event loop as prom-client names them, in nanoseconds. */
const DELAYS: Readonly<Record<string, (delays: Delays) => number>> = {
  min: ({ min }) => delayOf(min),
  max: ({ max }) => delayOf(max),
  mean: ({ mean }) => delayOf(mean),
  stddev: ({ stddev }) => stddev,
  p50: (delays) => delayOf(delays.percentile(50)),
  p90: (delays) => delayOf(delays.percentile(90)),
  p99: (delays) => delayOf(delays.percentile(99)),
};
/** Often enough to see a blocked loop, rarely enough to be cheap. */
const RESOLUTION_MILLIS = 100;

/** Node measures from tick to tick, so a loop that is never late shows the whole time between two ticks. */
function delayOf(measured: number): number {
  return Math.max(0, measured - RESOLUTION_MILLIS * 1e6);
}

/**
 * prom-client's metrics of the process and of Node.js, with three corrections: CPU time counts from the start of the
 * process instead of the first scrape; lag excludes the time between two ticks; and the last event loop measurement
 * stays where two scrapes come so close that there is no newer one.
 */
export function processInstruments({ collectDefaultMetrics, Gauge }: typeof prometheus, registry: Registry): void {
  const before = process.cpuUsage();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: RESOLUTION_MILLIS });
  const counted = (name: string, micros: number): void => {
    (registry.getSingleMetric(name) as Counter | undefined)?.inc(micros / 1e6);
  };
  counted("process_cpu_user_seconds_total", before.user);
  counted("process_cpu_system_seconds_total", before.system);
  counted("process_cpu_seconds_total", before.user + before.system);

  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  delays.enable();
  const gauges = Object.entries(DELAYS).map(([figure, read]) => {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    const gauge = new Gauge({
      name,
      help: `The event loop's delays since the last read: ${figure}.`,
      registers: [registry],
      collect: () => show(),
    });
    // Nothing is measured yet: a gauge of 0 would say that there was no delay.
    gauge.remove();
    return { gauge, read };
  });
  // The first gauge that is collected sets all gauges; for the others of that scrape there is no newer measurement.
  function show(): void {
    if (delays.count === 0) return;
    for (const { gauge, read } of gauges) gauge.set(read(delays) / 1e9);
    delays.reset();
  }
}
