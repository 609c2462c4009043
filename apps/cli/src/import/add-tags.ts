import { patchTags } from '@waymark/contract';
import type { ImportRun } from './import-run.ts';

type Tags = Readonly<Record<string, string>>;

/** Sets the tags whose keys are missing, and returns whether there were any. Other values stay: they are newer. */
export async function addTags(
  { target, isDryRun }: ImportRun,
  type: 'flow' | 'env',
  name: string,
  { wanted, existing }: { wanted: Tags | null | undefined; existing: Tags | undefined },
): Promise<boolean> {
  const missing = Object.entries(wanted ?? {}).filter(([key]) => !Object.hasOwn(existing ?? {}, key));
  if (missing.length === 0) return false;
  const { client, org, signal } = target;
  if (!isDryRun) {
    const body = { set_tags: Object.fromEntries(missing) };
    await client.call(patchTags, { params: { org, type, id: name }, body, signal });
  }
  return true;
}
