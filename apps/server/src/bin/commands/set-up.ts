import type { Command } from 'commander';
import { makeSetUpToken } from '../../features/sign-in/set-up.service.ts';
import { print, withDb } from './with-db.ts';

export function setUpCommand(program: Command): void {
  program
    .command('set-up')
    .description('Print a one-time link that creates the first user, valid for 24 hours; replaces any earlier link')
    .action(() =>
      withDb(async (_, ctx, { publicUrl }) => {
        print(`${publicUrl}/set-up?token=${await makeSetUpToken(ctx)}`);
      }),
    );
}
