// With `--import`: at its end a process says what it took: the CPU time in milliseconds, and the most memory in MB.

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  console.log(JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1000 }));
});
