import type { Command } from 'commander';
import { processors } from '../../app/worker.ts';
import { type Copied, copyOrg } from '../../features/org-copies/org-copy.service.ts';
import { findOrgByName } from '../../features/orgs/org.reads.ts';
import { createOrg } from '../../features/orgs/org.service.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { type Db, openDb } from '../../platform/db/db.ts';
import { print, unknown, withDb } from './with-db.ts';

export function orgCommands(program: Command): void {
  const org = program.command('org').description('Manage orgs');
  org
    .command('create <name>')
    .description('Create a shared org')
    .action((name: string) =>
      withDb(async (_, ctx) => {
        await createOrg(ctx, { name, kind: 'shared' });
        print(`Org '${name}' created`);
      }),
    );
  org
    .command('copy <name>')
    .description('Copy a shared org with its history into the database of another installation of the same version')
    .requiredOption('--to <url>', 'PostgreSQL URL of the other database, with the role that owns its tables')
    .option('--dry-run', 'check everything and show what would be copied, but write nothing')
    .action((name: string, { to, dryRun: isDryRun = false }: { to: string; dryRun?: boolean }) =>
      withDb((source, ctx) =>
        withTarget(to, ctx, async (target) => {
          const found = await findOrgByName(source, name);
          if (!found) throw unknown('org', name);
          const names = processors(NOBODY).map((processor) => processor.name);
          const copied = await copyOrg(ctx, { org: found, source, target, processors: names, isDryRun });
          printCopied(name, copied, isDryRun);
          print(`Evidence files are not copied. They are in the folder '${found.id}' of the evidence store`);
        }),
      ),
    );
}

const NOBODY = { reevaluations: () => undefined, deliveries: () => undefined };

/** One connection for the copy, and one for the ranges of the journal. */
async function withTarget<T>(url: string, { log }: Ctx, work: (target: Db) => Promise<T>): Promise<T> {
  const target = openDb({ url, poolSize: 2, statementTimeoutMs: 0 }, log);
  try {
    return await work(target);
  } finally {
    await target.destroy();
  }
}

function printCopied(name: string, { entries, people, rows }: Copied, isDryRun: boolean): void {
  for (const { table, count } of rows) if (count > 0) print(`${table}: ${count}`);
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const amounts = `${entries} journal entries, ${total} rows, ${people.added} new and ${people.known} known users`;
  print(`Org '${name}' ${isDryRun ? 'would be copied' : 'copied'}: ${amounts}`);
}
