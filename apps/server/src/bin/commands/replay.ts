import type { Command } from 'commander';
import { type Difference, replayDecisions } from '../../features/runtime-verdicts/replay.reads.ts';
import { invalid } from '../../platform/errors.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

interface Options {
  org?: string;
  sample?: string;
  since?: string;
}

/** How much of each side of a difference is shown. */
const SHOWN = 500;

export function replayCommand(program: Command): void {
  program
    .command('replay')
    .description('Replay stored policy decisions from their stored inputs; exits with 1 if any result differs')
    .option('--org <name>', 'only decisions of this org')
    .option('--sample <count>', 'number of random decisions to replay (default: all)')
    .option('--since <time>', 'only decisions since this time, such as 2026-11-01 or 2026-11-01T12:00:00Z')
    .action((options: Options) =>
      withDb(async (db) => {
        const { sample, since } = options;
        const org = options.org === undefined ? undefined : await orgIdOf(db, options.org);
        const { replayed, differences, otherEngines } = await replayDecisions(db, {
          ...(org !== undefined && { org }),
          ...(sample !== undefined && { sample: countOf(sample) }),
          ...(since !== undefined && { since: timeOf(since) }),
          onDifference: printDifference,
        });
        const found = differences === 1 ? '1 difference' : `${differences} differences`;
        print(`${replayed} replayed, ${found}, ${otherEngines} of other engines skipped`);
        if (differences > 0) process.exitCode = 1;
      }),
    );
}

function printDifference({ org, policy, policyVersion, decision, what, stored, replayed }: Difference): void {
  print(`org '${org}', policy '${policy}' version ${policyVersion}, decision ${decision}: ${what}`);
  print(`  stored   ${stored.slice(0, SHOWN)}`);
  print(`  replayed ${replayed.slice(0, SHOWN)}`);
}

function countOf(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw invalid('--sample must be a whole number, at least 1');
  return Number(text);
}

function timeOf(text: string): Date {
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}/.test(text) || Number.isNaN(at.getTime())) {
    throw invalid('--since must be a time, such as 2026-11-01 or 2026-11-01T12:00:00Z');
  }
  return at;
}
