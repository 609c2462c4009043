#!/usr/bin/env node
import { Command } from 'commander';
import { Problem } from '../platform/errors.ts';
import { afterRestoreCommand } from './commands/after-restore.ts';
import { deadLetterCommands } from './commands/dead-letters.ts';
import { identityCommands } from './commands/identity.ts';
import { journalCommands } from './commands/journal.ts';
import { migrateCommand } from './commands/migrate.ts';
import { replayCommand } from './commands/replay.ts';
import { secretsCommands } from './commands/secrets.ts';
import { setUpCommand } from './commands/set-up.ts';
import { ssoCommands } from './commands/sso.ts';
import { storageCommands } from './commands/storage.ts';

const program = new Command('waymark-server')
  .description('Runs and administers a Waymark installation')
  .showHelpAfterError();

migrateCommand(program);
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
  .action(async () => void (await import('./api.ts')));
program
  .command('worker')
  .description('Run the relay, the processors and the scheduled tasks')
  .action(async () => void (await import('./worker.ts')));

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  const { message, fields } = error;
  const faults = Object.entries(fields ?? {}).map(([field, reason]) => `${field} ${reason}`);
  process.stderr.write(`${faults.join('; ') || message}\n`);
  process.exitCode = 1;
}
