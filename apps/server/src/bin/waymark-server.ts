#!/usr/bin/env node
import { Command } from 'commander';
import { loadConfig } from '../config/env.ts';
import { isUnavailable } from '../platform/db/failure.ts';
import { Problem } from '../platform/errors.ts';
import { configCommands } from './commands/config.ts';
import { deadLetterCommands } from './commands/dead-letters.ts';
import { doctorCommand } from './commands/doctor.ts';
import { eventCommands } from './commands/events.ts';
import { healthCommand } from './commands/health.ts';
import { identityCommands } from './commands/identity.ts';
import { journalCommands } from './commands/journal.ts';
import { ledgerCommands } from './commands/ledger.ts';
import { migrateCommand } from './commands/migrate.ts';
import { orgCommands } from './commands/org.ts';
import { replayCommand } from './commands/replay.ts';
import { secretsCommands } from './commands/secrets.ts';
import { setUpCommand } from './commands/set-up.ts';
import { ssoCommands } from './commands/sso.ts';
import { storageCommands } from './commands/storage.ts';
import { witnessCommand } from './commands/witness.ts';
import { runUntilStopped } from './running.ts';

const program = new Command('waymark-server')
  .description('Runs and administers a Waymark installation')
  .showHelpAfterError();

migrateCommand(program);
configCommands(program);
healthCommand(program);
doctorCommand(program);
setUpCommand(program);
orgCommands(program);
identityCommands(program);
journalCommands(program);
deadLetterCommands(program);
eventCommands(program);
ledgerCommands(program);
replayCommand(program);
secretsCommands(program);
ssoCommands(program);
storageCommands(program);
program
  .command('api')
  .description('Serve the API')
  .action(async () => {
    const { startApi } = await import('./api.ts');
    await runUntilStopped(loadConfig, async (surroundings) => [await startApi(surroundings)]);
  });
program
  .command('worker')
  .description('Run the sequencer, the processors, and the scheduled tasks')
  .action(async () => {
    const { startWorker } = await import('./worker.ts');
    await runUntilStopped(loadConfig, async (surroundings) => [startWorker(surroundings)]);
  });
program
  .command('all')
  .description('Run the API and a worker in one process, for small installations')
  .action(async () => {
    const { startTogether } = await import('./together.ts');
    await runUntilStopped(loadConfig, startTogether);
  });
witnessCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  const reason = reasonOf(error);
  if (reason === undefined) throw error;
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

/** For what an operator can act on. Anything else is a bug. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Problem) {
    const faults = Object.entries(error.fields ?? {}).map(([field, reason]) => `${field} ${reason}`);
    return faults.join('; ') || error.message;
  }
  if (!isUnavailable(error)) return undefined;
  const { message } = error instanceof AggregateError ? (error.errors[0] as Error) : (error as Error);
  return `PostgreSQL cannot be reached: ${message}`;
}
