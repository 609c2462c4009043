#!/usr/bin/env node
import { Command } from 'commander';
import { Problem } from '../platform/errors.ts';
import { afterRestoreCommand } from './commands/after-restore.ts';
import { configCommands } from './commands/config.ts';
import { deadLetterCommands } from './commands/dead-letters.ts';
import { identityCommands } from './commands/identity.ts';
import { journalCommands } from './commands/journal.ts';
import { migrateCommand } from './commands/migrate.ts';
import { replayCommand } from './commands/replay.ts';
import { secretsCommands } from './commands/secrets.ts';
import { setUpCommand } from './commands/set-up.ts';
import { ssoCommands } from './commands/sso.ts';
import { storageCommands } from './commands/storage.ts';
import { runUntilStopped } from './running.ts';

const program = new Command('waymark-server')
  .description('Runs and administers a Waymark installation')
  .showHelpAfterError();

migrateCommand(program);
configCommands(program);
afterRestoreCommand(program);
setUpCommand(program);
identityCommands(program);
journalCommands(program);
deadLetterCommands(program);
replayCommand(program);
secretsCommands(program);
ssoCommands(program);
storageCommands(program);
program
  .command('api')
  .description('Serve the API')
  .action(async () => {
    const { startApi } = await import('./api.ts');
    await runUntilStopped(async (surroundings) => [await startApi(surroundings)]);
  });
program
  .command('worker')
  .description('Run the relay, the processors and the scheduled tasks')
  .action(async () => {
    const { startWorker } = await import('./worker.ts');
    await runUntilStopped(async (surroundings) => [startWorker(surroundings)]);
  });
program
  .command('all')
  .description('Serve the API and do the work of a worker in one process, for small installations')
  .action(async () => {
    const { startTogether } = await import('./together.ts');
    await runUntilStopped(startTogether);
  });

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  const { message, fields } = error;
  const faults = Object.entries(fields ?? {}).map(([field, reason]) => `${field} ${reason}`);
  process.stderr.write(`${faults.join('; ') || message}\n`);
  process.exitCode = 1;
}
