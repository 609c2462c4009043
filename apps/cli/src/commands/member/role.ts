import { atLeast, changeMember, listMembers, type Role } from '@waymark/contract';
import { whoAmI } from '../../auth/who-am-i.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { roleArgument } from './role-option.ts';

export const command = defineCommand({
  description:
    'Takes effect with the next request. The last admin keeps the role. Asks for confirmation before reducing the ' +
    'permissions of an admin or your own.',
  examples: [
    { say: 'Make a member an admin', run: 'waymark member role ada admin' },
    { say: 'Make an admin a reader, without a prompt', run: 'waymark member role ada reader --yes' },
  ],
  settings: ['yes'],
  build: (command) => command.argument('<login>', 'login of the member').addArgument(roleArgument()),
  async run(session, [login, role]) {
    if (!session.settings.yes && !atLeast(role, 'admin')) await confirmLess(session, login, role);
    const member = await session.client().call(changeMember, {
      params: { org: session.need('org'), login },
      body: { role },
      signal: session.io.signal,
    });
    for (const { name, service_account } of member.suspended) {
      session.say(`Suspended, because it grants more permissions: '${name}' of service account '${service_account}'`);
    }
    return { data: member, text: `${member.login} now has the role ${member.role}` };
  },
});

/** Users who demote themselves or an admin may need another admin to undo it. */
async function confirmLess(session: Session, login: string, role: Role): Promise<void> {
  const before = await roleOf(session, login);
  if (before === undefined || atLeast(role, before)) return;
  const { source } = await session.signIn();
  const isSelf = (await whoAmI(session, session.client(), source)).login === login;
  if (!isSelf && before !== 'admin') return;
  await confirm(session, `This makes ${isSelf ? 'you' : `'${login}'`} ${role} instead of ${before}`);
}

async function roleOf(session: Session, asked: string): Promise<Role | undefined> {
  const members = session.client().items(listMembers, {
    params: { org: session.need('org') },
    query: { per_page: 100 },
    signal: session.io.signal,
  });
  for await (const { login, role } of members) if (login === asked) return role;
  return undefined;
}
