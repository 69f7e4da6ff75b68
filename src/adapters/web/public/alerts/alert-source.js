// @ts-check
// The alerts as they come from the server.
/** @import { AlertJson } from "../../alerts/alert-json.ts" */

/** After a refusal the browser does not reconnect by itself. */
const AGAIN_MILLIS = 10_000;

/**
 * Listens until the page is closed: the browser reconnects by itself, with the id of its last alert.
 *
 * @param {{ alert: (alert: AlertJson) => void, state: (live: boolean) => void, gap: () => void }} to
 */
export function listen(to) {
  const source = new EventSource("/api/alerts");
  source.addEventListener("open", () => to.state(true));
  source.addEventListener("message", ({ data }) => to.alert(JSON.parse(data)));
  source.addEventListener("gap", () => to.gap());
  source.addEventListener("error", () => {
    to.state(false);
    if (source.readyState === EventSource.CLOSED) setTimeout(() => listen(to), AGAIN_MILLIS);
  });
}
