import type { Command } from 'commander';
import { type Finding, runChecks } from '../checks/check.ts';
import { settingsChecks } from '../checks/settings-checks.ts';
import { print, withDb } from './with-db.ts';

export function configCommands(program: Command): void {
  const config = program.command('config').description('Check the settings of this installation');
  config
    .command('check')
    .description('Test the services and files that a server uses')
    .action(() =>
      withDb(async (db, _, config) => {
        const findings = await runChecks(settingsChecks(db, config));
        for (const finding of findings) print(lineOf(finding));
        if (findings.some(({ state }) => state === 'failed')) process.exitCode = 1;
      }),
    );
}

function lineOf(finding: Finding): string {
  const text = finding.state === 'failed' ? `${finding.fault.found}: ${finding.fault.fix}` : finding.text;
  return `${finding.state.padEnd(7)} ${finding.name.padEnd(15)} ${text}`;
}
