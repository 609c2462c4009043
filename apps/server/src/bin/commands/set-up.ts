import type { Command } from 'commander';
import { makeSetUpToken } from '../../features/sign-in/set-up.service.ts';
import { print, withDb } from './with-db.ts';

export function setUpCommand(program: Command): void {
  program
    .command('set-up')
    .description('Print a link that makes the first user; it works once, within 24 hours, and replaces one before it')
    .action(() =>
      withDb(async (_, ctx, { publicUrl }) => {
        print(`${publicUrl}/set-up?token=${await makeSetUpToken(ctx)}`);
      }),
    );
}
