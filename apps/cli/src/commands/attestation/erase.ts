import { eraseAttestation } from '@waymark/contract';
import { confirmed } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import { oneLine } from '../../run/table.ts';

const ATTACHMENT = {
  none: '',
  pending: '. The attached file is removed within minutes, or an hour after its last upload',
  removed: '. The attached file is removed',
  shared: '. The attached file stays: another attestation has the same one',
};

export const command = defineCommand({
  description:
    'Permanently erases the content of an attestation and its attached file. The attestation stays in its place with its ' +
    'verdict and shows who erased it, when, and why. Requires the admin role. Refused under a legal hold and before the ' +
    'retention minimum of the org has passed.',
  examples: [
    {
      say: 'Personal data that was attached by mistake',
      run: 'waymark attestation erase 01a1e0ce-8657-7731-bb0d-93e1d875a1ef --reason "Request 2026-114 of a customer"',
    },
  ],
  settings: ['yes'],
  build: (command) =>
    command
      .argument('<id>', 'id of the attestation')
      .requiredOption('--reason <text>', 'reason, shown to all members and recorded in the journal'),
  async run(session, [id], { reason }) {
    await confirmed(session, `This permanently erases the content of attestation ${id} and its attached file`);
    const erased = await session.client().call(eraseAttestation, {
      params: { org: session.need('org'), attestation_id: id },
      body: { reason },
      signal: session.io.signal,
    });
    const place = `${erased.flow_name}/${erased.trail_name}`;
    return {
      data: erased,
      text: `Erased attestation ${oneLine(erased.attestation_name)} of ${place}${ATTACHMENT[erased.attachment]}`,
    };
  },
});
