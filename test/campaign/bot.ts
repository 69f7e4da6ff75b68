import { start } from "../../src/main/start.ts";

// The whole bot, as `npm start` runs it, except that its clock is so many milliseconds ahead, and that with a step and a number as arguments it kills itself, as a power
// cut would, when it passes that step for the nth time.

const [ahead, step, times] = process.argv.slice(2);
let left = Number(times ?? 1);
const { now } = Date;
Date.now = () => now() + Number(ahead);

process.exit(
  await start([], {
    onStep(passed) {
      if (passed !== step) return;
      left -= 1;
      if (left === 0) process.kill(process.pid, "SIGKILL");
    },
  }),
);
