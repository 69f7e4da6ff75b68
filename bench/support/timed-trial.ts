// The thread of a trial as the bot has it, which then writes down what CPU it took: to start, to compile and to judge.
import { workerData } from "node:worker_threads";

import "../../src/main/alerting/trial-thread.ts";

const { user, system } = process.threadCpuUsage();
(workerData as { readonly seconds: Float64Array }).seconds[0] = (user + system) / 1e6;
