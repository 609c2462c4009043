import { listWorkloadIdentities, removeWorkloadIdentity } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { requireSomebody } from '../../run/confirm.ts';
import { findTrusted } from './find-trusted.ts';

export const command = defineCommand({
  description: 'The keys that were made for such jobs end with it. What they recorded stays.',
  examples: [{ say: 'Without being asked', run: 'waymark trust remove acme-web-main --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'its name, or its id'),
  async run(session, [asked]) {
    requireSomebody(session, `This takes away the trust in jobs called '${asked}'`);
    const org = session.need('org');
    const all = await session.client().call(listWorkloadIdentities, { params: { org }, signal: session.io.signal });
    const { id, name } = findTrusted(all, asked, 'trust in jobs called', 'trust list');
    await confirmed(session, `This takes away the trust in jobs called '${name}'`);
    const message = await session
      .client()
      .call(removeWorkloadIdentity, { params: { org, identity_id: id }, ...writing(session) });
    return outcomeOf(session, { id, name }, message);
  },
});
