import type { Command } from 'commander';
import {
  listLargest,
  type OrgStorage,
  readStorage,
} from '../../features/org-settings/storage-quotas/storage-quota.reads.ts';
import { changeStorageQuota, recount } from '../../features/org-settings/storage-quotas/storage-quota.service.ts';
import { invalid } from '../../platform/errors.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

const LISTED = 50;

export function storageCommands(program: Command): void {
  const storage = program.command('storage').description('Manage the storage and quotas of orgs');
  storage
    .command('list')
    .description(`List the ${LISTED} orgs that store the most evidence, with their creators`)
    .action(() =>
      withDb(async (db, _, config) => {
        for (const org of await listLargest(db, config.storageQuota, LISTED)) print(lineOf(org));
      }),
    );
  storage
    .command('quota')
    .description('Set the storage quota of an org')
    .requiredOption('--org <name>', 'name of the org')
    .requiredOption(
      '--bytes <amount>',
      "such as 500MiB, 20GiB, or 1TiB, or 'default' for the quota of the installation",
    )
    .requiredOption('--rows <count>', "such as 5000000, or 'default' for the quota of the installation")
    .action(({ org, ...sent }: { org: string; bytes: string; rows: string }) =>
      withDb(async (db, ctx, config) => {
        const quota = { bytes: bytesOf(sent.bytes), rows: rowsOf(sent.rows) };
        const inOrg = { ...ctx, org: await orgIdOf(db, org) };
        await changeStorageQuota(inOrg, quota);
        print(`Org '${org}': ${amounts(await readStorage(db, inOrg.org, config.storageQuota))}`);
      }),
    );
  storage
    .command('recount')
    .description('Recount the evidence of an org after manual removals')
    .requiredOption('--org <name>', 'name of the org')
    .action(({ org }: { org: string }) =>
      withDb(async (db, ctx, config) => {
        const inOrg = { ...ctx, org: await orgIdOf(db, org) };
        await recount(inOrg);
        print(`Org '${org}': ${amounts(await readStorage(db, inOrg.org, config.storageQuota))}`);
      }),
    );
}

function lineOf({ name, created_by, ...storage }: OrgStorage): string {
  return `${name}: ${amounts(storage)}${created_by === null ? '' : `, created by ${created_by}`}`;
}

type Amounts = Pick<OrgStorage, 'bytes' | 'rows' | 'quota_bytes' | 'quota_rows'>;

function amounts({ bytes, rows, quota_bytes, quota_rows }: Amounts): string {
  const of = (quota: number | null) => (quota === null ? '' : ` of ${quota}`);
  return `${bytes}${of(quota_bytes)} bytes, ${rows}${of(quota_rows)} rows`;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

function bytesOf(text: string): number | null {
  if (text === 'default') return null;
  const [, digits, unit = ''] = /^(\d{1,15})(KiB|MiB|GiB|TiB)?$/.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit] ?? 1);
  if (!Number.isSafeInteger(bytes)) {
    throw invalid("--bytes must be a number of bytes, a size such as 500MiB, 20GiB, or 1TiB, or 'default'");
  }
  return bytes;
}

function rowsOf(text: string): number | null {
  if (text === 'default') return null;
  if (!/^\d{1,15}$/.test(text)) throw invalid("--rows must be a whole number, or 'default'");
  return Number(text);
}
