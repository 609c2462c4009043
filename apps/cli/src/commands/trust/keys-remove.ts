import { listTrustedKeys, removeTrustedKey } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { requireSomebody } from '../../run/confirm.ts';
import { findTrusted } from './find-trusted.ts';

export const command = defineCommand({
  description:
    'Policies no longer count what it signed, and environments are re-evaluated. Recorded attestations stay.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark trust keys remove release-2025 --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name or id of the key'),
  async run(session, [asked]) {
    requireSomebody(session, `This removes the trust in the key '${asked}'`);
    const org = session.need('org');
    const all = await session.client().call(listTrustedKeys, { params: { org }, signal: session.io.signal });
    const { id, name } = findTrusted(all, asked, 'trusted key', 'trust keys list');
    await confirmed(session, `This removes the trust in the key '${name}'`);
    const message = await session.client().call(removeTrustedKey, { params: { org, key_id: id }, ...writing(session) });
    return outcomeOf(session, { id, name }, message);
  },
});
