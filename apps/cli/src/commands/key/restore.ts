import { restoreServiceAccountKey } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'For admins. A key is suspended when the person who created it leaves the org or gets a role with fewer ' +
    'permissions. Once restored, it works from the next request on, with you as its creator. A key that is not ' +
    'suspended stays unchanged.',
  examples: [
    { say: 'Find suspended keys', run: 'waymark key list --sa builder' },
    { say: 'Restore a key', run: 'waymark key restore 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d --sa builder' },
  ],
  build: (command) =>
    command
      .argument('<id>', "id of the key, as 'waymark key list' shows it")
      .requiredOption('--sa <name>', 'service account that owns the key'),
  async run(session, [key_id], { sa }) {
    const params = { org: session.need('org'), name: sa, key_id };
    const key = await session.client().call(restoreServiceAccountKey, { params, signal: session.io.signal });
    return { data: key, text: `Key '${key_id}' of service account '${sa}' is not suspended` };
  },
});
