import type { AlertService } from "../../src/alerts/service/service.ts";
import type { Caller } from "../../src/bot/invocation.ts";
import type { HomeContext } from "../../src/main/platforms/home-subscriptions.ts";
import { PLATFORMS } from "./platforms.ts";

/** Somebody on Slack who looks at the home tab, and who may manage the channels where they are unless it says otherwise. */
export function homeContext(
  alerts: AlertService,
  { id = "U1", workspace = "T1", ...caller }: Partial<Caller> & { readonly workspace?: string } = {},
): HomeContext {
  return {
    alerts,
    platforms: PLATFORMS,
    here: { platform: "slack", workspace, files: { maxBytes: 1e7, maxCount: 10 } },
    caller: { id, name: id, mayManageChannel: true, ...caller },
    managed: () => Promise.resolve(new Set()),
  };
}
