import { readFile } from 'node:fs/promises';
import { FormatError, parseSignedCheckpoint } from '@waymark/transparency';
import type { Command } from 'commander';
import { checkOrg, checkOrgSince } from '../../features/ledger-checks/check-org.ts';
import { checkRegion } from '../../features/ledger-checks/check-region.ts';
import { listCheckedOrgs } from '../../features/ledger-checks/ledger-check.service.ts';
import { findOrgById } from '../../features/orgs/org.reads.ts';
import { type BlobConfig, openBlobs } from '../../platform/blobs/open-blobs.ts';
import { openObjects } from '../../platform/blobs/open-objects.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalid } from '../../platform/errors.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

interface Options {
  readonly org?: string;
  readonly since?: string;
  readonly restart?: boolean;
  readonly checkpoint?: readonly string[];
}

/** What a script can tell from a failure of the command itself. */
const DIFFERS = 3;
const PROGRESS_MS = 1_000;

export function ledgerCheckCommand(ledger: Command): void {
  ledger
    .command('check')
    .description(
      'Compare the ledger with all records, files, trees, and checkpoints; exits with 3 if anything differs. ' +
        'A check that was interrupted is continued',
    )
    .option('--org <name>', 'only the ledger of this org')
    .option('--since <time>', 'only what was recorded since this time, such as 2026-11-01; without the trees')
    .option('--restart', 'begin again if a check is under way')
    .option('--checkpoint <file...>', 'checkpoints that were stored elsewhere, which the region log must contain')
    .action((options: Options) => withDb((db, _, { blobs }) => check(db, blobs, options)));
}

async function check(db: Db, config: BlobConfig, { since, restart = false, ...options }: Options): Promise<void> {
  const [blobs, objects] = [openBlobs(config), openObjects(config)];
  const stored = await readCheckpoints(options.checkpoint ?? []);
  const from = since === undefined ? undefined : timeOf(since);
  const orgs = options.org === undefined ? await listCheckedOrgs(db) : [await orgIdOf(db, options.org)];
  const onDifference = (_: unknown, line: string) => print(line);
  let [entries, problems] = [0, 0];
  for (const org of orgs) {
    const orgName = (await findOrgById(db, org))?.name ?? org;
    const parts = { db, blobs, orgName, onDifference, onProgress: showProgress(orgName) };
    const checked = from ? await checkOrgSince(parts, org, from) : await checkOrg(parts, org, { restart });
    entries += checked.entries;
    problems += checked.problems;
  }
  if (!from) problems += (await checkRegion({ db, objects, stored, onDifference })).problems;
  const found = problems === 1 ? '1 difference' : `${problems} differences`;
  print(`${entries} entries of ${orgs.length === 1 ? '1 org' : `${orgs.length} orgs`} checked, ${found}`);
  if (problems > 0) process.exitCode = DIFFERS;
}

/** On standard error, so that the output has nothing but differences. */
function showProgress(orgName: string): (entries: number) => void {
  let shownAt = performance.now();
  return (entries) => {
    if (performance.now() < shownAt + PROGRESS_MS) return;
    shownAt = performance.now();
    process.stderr.write(`org '${orgName}': ${entries} entries\n`);
  };
}

async function readCheckpoints(files: readonly string[]): Promise<string[]> {
  return Promise.all(
    files.map(async (file) => {
      const note = await readFile(file, 'utf8');
      try {
        parseSignedCheckpoint(note);
        return note;
      } catch (error) {
        throw error instanceof FormatError ? invalid(`${file}: ${error.message}`) : error;
      }
    }),
  );
}

function timeOf(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at.getTime()))
    throw invalid('--since must be a time, such as 2026-11-01 or 2026-11-01T12:00:00Z');
  return at;
}
