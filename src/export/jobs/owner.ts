import type { ExportOwner } from "../../store/store.ts";

export function ownerOf({ platform, workspace, person }: ExportOwner): ExportOwner {
  return { platform, person, ...(workspace === undefined ? {} : { workspace }) };
}

export function isOwn(asker: ExportOwner, job: { platform: string; workspace: string; person: string }): boolean {
  const { platform, workspace = job.workspace, person } = asker;
  return platform === job.platform && workspace === job.workspace && person === job.person;
}
