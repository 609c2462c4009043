import { getServiceAccount, listServiceAccountKeys } from '@waymark/contract';
import { factsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [{ say: 'One service account', run: 'waymark sa get builder' }],
  build: (command) => command.argument('<name>', 'name of the service account'),
  async run(session, [name]) {
    const call = { params: { org: session.need('org'), name }, signal: session.io.signal };
    const account = await session.client().call(getServiceAccount, call);
    const keys = await session.client().call(listServiceAccountKeys, call);
    return {
      data: account,
      text: (style) =>
        factsText(style.strong(account.name), [
          ['display name', account.display_name === account.name ? '' : account.display_name],
          ['role', account.privilege],
          ['description', account.description],
          ['created', showTime(account.created_at, session)],
          ['created by', account.made_by ?? ''],
          ['keys', keys.length === 0 ? 'none' : `${keys.length}; listed by 'waymark key list --sa ${name}'`],
        ]),
    };
  },
});
