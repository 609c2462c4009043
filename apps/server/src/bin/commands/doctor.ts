import type { Command } from 'commander';
import { addressChecks } from '../checks/address-checks.ts';
import { type Finding, runChecks } from '../checks/check.ts';
import { clockCheck } from '../checks/database-checks.ts';
import { ledgerRunningChecks } from '../checks/ledger-checks.ts';
import { runningChecks } from '../checks/running-checks.ts';
import { settingsChecks } from '../checks/settings-checks.ts';
import { print, withDb } from './with-db.ts';

/** A connection for each check, so that none waits for another, and an end for a database that hangs. */
const LIMITS = { poolSize: 8, statementTimeoutMs: 10_000 };

export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Diagnose this installation: list each fault, its symptom, and the fix; exits with 1 if there is any')
    .action(() =>
      withDb(async (db, _, config) => {
        const findings = await runChecks([
          ...settingsChecks(db, config),
          clockCheck(db),
          ...runningChecks(db, config),
          ...ledgerRunningChecks(db, config),
          ...addressChecks(config.publicUrl),
        ]);
        for (const finding of findings) print(linesOf(finding));
        const faults = findings.filter(({ state }) => state === 'failed').length;
        print(`\n${faults === 0 ? 'No faults' : faults === 1 ? '1 fault' : `${faults} faults`} found`);
        if (faults > 0) process.exitCode = 1;
      }, LIMITS),
    );
}

function linesOf(finding: Finding): string {
  const { state, name } = finding;
  if (state !== 'failed') return lineOf(state, name, finding.text);
  const { message, found, fix } = finding.fault;
  return [lineOf(state, name, message), lineOf('', 'found', found), lineOf('', 'fix', fix)].join('\n');
}

function lineOf(state: string, name: string, text: string): string {
  return `${state.padEnd(7)} ${name.padEnd(15)} ${text}`;
}
