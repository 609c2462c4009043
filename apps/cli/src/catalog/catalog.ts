import { audit } from './audit.ts';
import type { CatalogEntry, CatalogGroup } from './catalog-entry.ts';
import { completion } from './completion.ts';
import { identity } from './identity.ts';
import { ledger } from './ledger.ts';
import { notify } from './notify.ts';
import { pipeline } from './pipeline.ts';
import { resources } from './resources.ts';
import { snapshots } from './snapshots.ts';
import { tooling } from './tooling.ts';
import { understand } from './understand.ts';

export const catalog: readonly CatalogGroup[] = [
  pipeline,
  snapshots,
  understand,
  resources,
  audit,
  ledger,
  notify,
  identity,
  { ...tooling, entries: [...tooling.entries, completion.shown(() => catalog)] },
];

export const allEntries: readonly CatalogEntry[] = [
  ...catalog.flatMap(({ entries }) => entries),
  completion.hidden(() => catalog),
];
