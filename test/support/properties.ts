import * as fc from "fast-check";

import { runs } from "./runs.ts";

// A property that fails looks for a smaller example, which takes minutes where examples are large, and no time-out of a
// test can end it: the smallest example found within a minute serves as well.
fc.configureGlobal({ ...runs(100), interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true });
