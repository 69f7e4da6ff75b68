/** What is under way on something, by that. */
const tails = new WeakMap<object, Promise<unknown>>();

/**
 * Work on the same thing one after the other, so that a button pressed twice finds the second time what the first has
 * done. Gives what the work gives; one that fails keeps nobody else from theirs.
 */
export async function runExclusive<T>(thing: object, work: () => Promise<T>): Promise<T> {
  const before = tails.get(thing) ?? Promise.resolve();
  const mine = before.then(work, work);
  tails.set(thing, mine);
  return mine;
}
