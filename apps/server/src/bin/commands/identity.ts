import { type Role, roles } from '@waymark/contract';
import { type Command, Option } from 'commander';
import { findHolder } from '../../features/api-keys/api-key.reads.ts';
import { createKey, revokeKey } from '../../features/api-keys/api-key.service.ts';
import { setMembership } from '../../features/memberships/membership.service.ts';
import { createUser } from '../../features/memberships/sign-up.service.ts';
import { ensureServiceAccount } from '../../features/service-accounts/service-account.service.ts';
import { makeLink } from '../../features/sign-in/sign-in.service.ts';
import { endSessionsOf } from '../../features/users/sessions/session.service.ts';
import { setEmail } from '../../features/users/set-email.service.ts';
import { findUserByLogin } from '../../features/users/user.reads.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalid } from '../../platform/errors.ts';
import { orgIdOf, print, unknown, withDb } from './with-db.ts';

interface UserOptions {
  displayName?: string;
  email?: string;
  org?: string;
  role: Role;
}

interface KeyOptions {
  user?: string;
  serviceAccount?: string;
  org?: string;
  role: Role;
  description: string;
  expiresInDays?: string;
}

export function identityCommands(program: Command): void {
  const user = program.command('user').description('Manage users');
  user
    .command('create <login>')
    .description('Create a user with a personal org, and add them to another org with --org')
    .option('--display-name <text>', 'name to show instead of the login')
    .option('--email <address>', 'email address that the user signs in with')
    .option('--org <name>', 'org to join')
    .addOption(new Option('--role <role>', 'role in that org').choices(roles).default('member'))
    .action((login: string, options: UserOptions) =>
      withDb(async (db, ctx) => {
        const joined = options.org === undefined ? undefined : await orgIdOf(db, options.org);
        const created = await createUser(ctx, {
          login,
          displayName: options.displayName ?? null,
          email: options.email ?? null,
        });
        if (joined !== undefined) await setMembership({ ...ctx, org: joined }, created, options.role, 'script');
        print(`User '${login}' created`);
      }),
    );

  user
    .command('set-email <login> <address>')
    .description('Set or replace the email address that a user signs in with')
    .action((login: string, address: string) =>
      withDb(async (db, ctx) => {
        const found = await findUserByLogin(db, login);
        if (!found) throw unknown('user', login);
        const outcome = await setEmail(ctx, found, address);
        print(`User '${login}' ${outcome === 'set' ? 'now' : 'already'} has the address '${address}'`);
      }),
    );

  user
    .command('sign-in-link <login>')
    .description('Print a one-time sign-in link for a user, valid for 10 minutes; for installations without email')
    .action((login: string) =>
      withDb(async (db, ctx, { publicUrl }) => {
        const found = await findUserByLogin(db, login);
        if (!found) throw unknown('user', login);
        print(`${publicUrl}/sign-in/link?token=${await makeLink(ctx, found)}`);
      }),
    );

  user
    .command('sign-out <login>')
    .description('End all sessions of a user; their API keys stay valid')
    .action((login: string) =>
      withDb(async (db, ctx) => {
        const found = await findUserByLogin(db, login);
        if (!found) throw unknown('user', login);
        const count = await endSessionsOf(ctx, found);
        print(`User '${login}' is signed out: ${count} ${count === 1 ? 'session' : 'sessions'} ended`);
      }),
    );

  const key = program.command('key').description('Manage API keys');
  key
    .command('create')
    .description('Create a key and print it; it is shown only once')
    .option('--user <login>', 'owner, for a personal key')
    .option('--service-account <name>', 'owner, created in the org if it does not exist')
    .option('--org <name>', 'org of the service account')
    .addOption(new Option('--role <role>', 'role of a new service account').choices(roles).default('reader'))
    .option('--description <text>', 'what the key is for', 'made by waymark-server')
    .option('--expires-in-days <days>', 'days until the key expires (default: never)')
    .action((options: KeyOptions) =>
      withDb(async (db, ctx, config) => {
        const { owner, org } = await ownerOf(db, ctx, options);
        const { text } = await createKey(
          { ...ctx, org },
          {
            owner,
            description: options.description,
            expiresAt: expiry(ctx.now(), options.expiresInDays),
            regionLetter: config.region.charAt(0),
          },
        );
        print(text);
      }),
    );
  key
    .command('revoke <id>')
    .description('Revoke a key; its next request is refused')
    .action((id: string) =>
      withDb(async (db, ctx) => {
        const found = await findHolder(db, id);
        if (!found) throw unknown('API key', id);
        await revokeKey({ ...ctx, org: found.org }, found.holder, id);
        print(`API key '${id}' of '${found.holder.name}' is revoked`);
      }),
    );
}

async function ownerOf(db: Db, ctx: Parameters<typeof ensureServiceAccount>[0], options: KeyOptions) {
  if (options.serviceAccount !== undefined) {
    if (options.org === undefined) throw invalid('--service-account needs --org');
    const org = await orgIdOf(db, options.org);
    const name = options.serviceAccount;
    const account = await ensureServiceAccount({ ...ctx, org }, { name, privilege: options.role });
    return { owner: { kind: 'service_account' as const, id: account.id, name }, org };
  }
  if (options.user === undefined) throw invalid('The owner of the key is missing: add --user or --service-account');
  const login = options.user;
  const user = await findUserByLogin(db, login);
  if (!user) throw unknown('user', login);
  return { owner: { kind: 'user' as const, id: user.id, name: login }, org: user.personalOrg };
}

function expiry(now: Date, days: string | undefined): Date | null {
  if (days === undefined) return null;
  if (!/^[1-9][0-9]{0,4}$/.test(days)) throw invalid('--expires-in-days must be a whole number of days, at least 1');
  return new Date(now.getTime() + Number(days) * 86_400_000);
}
