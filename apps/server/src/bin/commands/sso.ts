import type { Command } from 'commander';
import { release } from '../../features/sso/sso.service.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

export function ssoCommands(program: Command): void {
  const sso = program.command('sso').description('Manage single sign-on of orgs');
  sso
    .command('release')
    .description('Stop enforcing single sign-on for an org, for example if its identity provider is down')
    .requiredOption('--org <name>', 'org that enforces single sign-on')
    .action(({ org }: { org: string }) =>
      withDb(async (db, ctx) => {
        const wasEnforced = await release({ ...ctx, org: await orgIdOf(db, org) });
        print(
          wasEnforced
            ? `Org '${org}' no longer enforces single sign-on`
            : `Org '${org}' did not enforce single sign-on`,
        );
      }),
    );
}
