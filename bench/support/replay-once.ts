import { replay } from "../../src/main/cli/replay.ts";

// One replay in a process of its own, and what it took: the CPU time in milliseconds, and the most memory in MB.

const code = await replay(process.argv.slice(2));
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ code, cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1000 }));
