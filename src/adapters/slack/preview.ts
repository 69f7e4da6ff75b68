import type { KnownBlock } from "@slack/types";

import { forEverybody, previewFiles, type Reply } from "../../reply/reply.ts";
import { withoutUndefined } from "../../units/without-undefined.ts";
import type { Preview, PreviewPress } from "../adapter.ts";
import { foldPress, previewOf } from "../chat/button-plan.ts";
import type { Press } from "../chat/press.ts";
import { slackPlatform, PAGE } from "./platform.ts";
import { pressablesIn } from "./render/buttons.ts";
import { decodePress } from "./render/press.ts";
import { renderSlack } from "./render/render.ts";
import { isShownToAll } from "./respond/invocation.ts";

/** The console's view of Slack under this root command: the message itself, who sees it, and its files. */
export function createSlackPreview(command?: string): Preview {
  const root = command === undefined ? {} : { command };
  return { platform: slackPlatform.id, name: slackPlatform.name, page: PAGE, render };

  function render(reply: Reply, as: Parameters<Preview["render"]>[1]): unknown {
    const onlyAsker = as !== "alert" && !isShownToAll(as);
    const ask = (as === "alert" ? undefined : as.ask) ?? { command: "help", options: {} };
    const answer = { ...root, asker: "U0", ask, shareable: onlyAsker && as.personal !== true };
    const seen = as === "alert" || onlyAsker ? reply : forEverybody(reply);
    return previewOf(seen, (show) => {
      const context = as === "alert" ? root : { ...answer, show };
      const { text, blocks, files, filesLater, unstored } = renderSlack(seen, context);
      const presses = pressesOf(blocks, unstored);
      return { onlyAsker, message: { text, blocks }, filesLater, files: previewFiles(files), presses };
    });
  }
}

/** By the value of the button or option. */
function pressesOf(
  blocks: readonly KnownBlock[],
  unstored: ReadonlyMap<string, Press>,
): Readonly<Record<string, PreviewPress>> {
  return Object.fromEntries(
    pressablesIn(blocks).flatMap(({ value, confirm }): [string, PreviewPress][] => {
      const found = value === undefined ? undefined : decodePress(value);
      const stored = found?.kind === "stored" ? found : undefined;
      const press = stored === undefined ? found : unstored.get(stored.key);
      if (value === undefined || press === undefined) return [];
      if (press.kind === "form") return [[value, { invocation: press.ask, effect: "reply", form: true }]];
      if (press.kind === "share") return foldPress(stored?.show).map((does) => [value, does]);
      const invocation =
        press.kind === "choice" ? press.asks[stored?.at ?? -1] : press.kind === "ask" ? press.ask : undefined;
      if (invocation === undefined || !("effect" in press)) return [];
      const question = confirm === undefined ? {} : { confirm: confirm.text.text };
      const { invalidates } = press;
      const effect = press.effect === "reply" ? "reply" : "replace";
      return [[value, { invocation, effect, ...question, ...withoutUndefined({ invalidates }) }]];
    }),
  );
}
