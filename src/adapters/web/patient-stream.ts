import type { Milliseconds } from "../../units/duration.ts";

/**
 * A stream of text that is made only as fast as it is read, and that is given up for a reader that takes nothing for
 * `patienceMillis`: `cut` is then to break the connection. `ended` is called once, whatever ends it.
 */
export function streamWithReadTimeout(
  source: AsyncGenerator<string, void>,
  patienceMillis: Milliseconds,
  { ended, cut }: { readonly ended: () => void; readonly cut: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  let over = false;
  const end = (): void => {
    clearTimeout(timer);
    if (over) return;
    over = true;
    ended();
    // One that waits for news ends by its signal; the generator itself is told here.
    source.return().catch(() => undefined);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await source.next();
          if (over) return;
          if (done === true) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(value));
          timer = setTimeout(() => {
            end();
            cut();
          }, patienceMillis);
        } catch (thrown) {
          end();
          throw thrown;
        }
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}
