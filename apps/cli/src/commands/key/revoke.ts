import { revokeServiceAccountKey, revokeUserKey } from '@waymark/contract';
import { outcomeOf } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { confirm } from '../../run/confirm.ts';
import { ownerText, saOption } from './key-options.ts';

export const command = defineCommand({
  description: 'Waymark rejects the key from the next request on. You cannot undo this.',
  examples: [
    { say: 'One of your own keys', run: 'waymark key revoke 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d --yes' },
    {
      say: 'A key of a service account',
      run: 'waymark key revoke 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d --sa builder --yes',
    },
  ],
  settings: ['yes'],
  build: (command) => command.argument('<id>', "id of the key, as 'waymark key list' shows it").addOption(saOption()),
  async run(session, [key_id], { sa }) {
    await confirm(session, `This revokes the key '${key_id}'${ownerText(sa)}`);
    const { signal } = session.io;
    const message =
      sa === undefined
        ? await session.client().call(revokeUserKey, { params: { key_id }, signal })
        : await session
            .client()
            .call(revokeServiceAccountKey, { params: { org: session.need('org'), name: sa, key_id }, signal });
    return outcomeOf(session, { id: key_id }, message);
  },
});
