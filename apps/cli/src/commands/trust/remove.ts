import { listWorkloadIdentities, removeWorkloadIdentity } from '@waymark/contract';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { requireSomebody } from '../../run/confirm.ts';
import { findTrusted } from './find-trusted.ts';

export const command = defineCommand({
  description: 'Keys issued to these jobs stop working. Waymark keeps what they recorded.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark trust remove acme-web-main --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name or id of the workload identity'),
  async run(session, [asked]) {
    requireSomebody(session, `This removes the workload identity '${asked}'`);
    const org = session.need('org');
    const all = await session.client().call(listWorkloadIdentities, { params: { org }, signal: session.io.signal });
    const { id, name } = findTrusted(all, asked, 'workload identity', 'trust list');
    await confirmed(session, `This removes the workload identity '${name}'`);
    const message = await session
      .client()
      .call(removeWorkloadIdentity, { params: { org, identity_id: id }, ...writing(session) });
    return outcomeOf(session, { id, name }, message);
  },
});
