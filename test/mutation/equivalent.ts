/** Mutants that behave like the code: `file: before → after`, and why. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  'src/alerts/judge/judge.ts: existing === undefined && judgement.state !== "bad" → false':
    "judging what is good, and was, changes nothing",
  "src/alerts/engine/plan-events.ts: happened[0]?.event → happened[0].event": "a group has one event at least",
  "src/alerts/engine/plan-events.ts: happened[0]?.routing → happened[0].routing": "a group has one event at least",
  "src/api/ledger/message-framing.ts: CHUNK_CHARACTERS / 4 → CHUNK_CHARACTERS * 4": "more memory holds the same",
  'src/api/ledger/message-framing.ts: this.#rest !== "" → true':
    "four characters by themselves give the same; it saves them",
  "src/api/ledger/message-framing.ts: envelope === this.#goodEnvelope → false": "it is good again; it saves parsing",
  "src/api/ledger/message-framing.ts: at < chunk.length → at <= chunk.length": "behind the last byte there is none",
  "src/api/verdict/believe.ts: blocks > 0n → blocks >= 0n": "equal heights are compared before",
  "src/api/verdict/believe.ts: ofA > ofB → ofA >= ofB": "equal times are compared before",
  "src/api/verdict/judge-network.ts: a > b → a >= b": "the order of equal heights shows nowhere",
  "src/api/verdict/judge-sources.ts: blocks > height → blocks >= height": "at equal heights both say 0",
  "src/api/verdict/judge-sources.ts: byMillis === 0 → false": "moments shifted by nothing are the same",
  "src/export/normalise/normaliser.ts: from === ledger?.asset → false": "the cell is written anew, with the same bytes",
  "src/export/normalise/normaliser.ts: (from === ledger?.from && this.#own.from) || (from === ledger?.to && this.#own.to) → false":
    "the cell is written anew, with the same bytes",
  "src/export/normalise/row-sorter.ts: this.#count === 0 → false": "a run without rows merges to nothing",
  "src/export/normalise/row-sorter.ts: end - start → end + start": "it asks for more room than a row needs",
  "src/export/normalise/row-sorter.ts: run.end - run.start → run.end + run.start":
    "it asks for more room than a row needs",
  "src/export/normalise/row-sorter.ts: kept >= atLeast → false": "it saves reads",
  "src/export/normalise/row-sorter.ts: kept >= atLeast → kept > atLeast": "it saves reads",
  "src/export/normalise/row-sorter.ts: atLeast > this.bytes.length → atLeast >= this.bytes.length":
    "it makes more memory than it needs",
  "src/export/normalise/row-sorter.ts: (run + 1) * readBytes → (run + 1) / readBytes":
    "a run then makes memory of its own",
  "src/export/normalise/row-sorter.ts: width < rows.length → width <= rows.length": "one round more changes nothing",
  "src/export/normalise/row-sorter.ts: start < rows.length → start <= rows.length":
    "a pair without rows merges nothing",
  "src/export/normalise/row-sorter.ts: at < end → at <= end": "the next rows take the place that is written in excess",
  "src/export/normalise/row-sorter.ts: byTime < 0 → byTime <= 0": "equal times are compared before",
  "src/export/csv-splitter.ts: comma < lineEnd → comma <= lineEnd": "no comma is where a line ends",
  "src/export/csv-splitter.ts: most - 1 → most + 1": "a piece of two bytes more is one",
  "src/export/csv-splitter.ts: lineFeed < from → lineFeed <= from": "a blank line begins the next piece as well",
  "src/export/node-memory.ts: age > before → age >= before": "equal ages are the same",
  "src/export/normalise/balances.ts: a < b → a <= b": "no two accounts have the same key",
  "src/export/normalise/type-names.ts: names.length < MAX_NAMES → true": "the bound is for memory alone",
  "src/export/verify/read-ledger-file.ts: error instanceof MalformedCsv → true": "it throws nothing else",
  "src/export/verify/read-ledger-file.ts: a.row < b.row → a.row <= b.row": "equal rows may change places",
};
