import { listWorkloadIdentities } from '@waymark/contract';
import { scopeText } from '../../resources/scope-options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';
import { claimsText } from './add-workload.ts';

export const command = defineCommand({
  examples: [{ say: 'All workload identities', run: 'waymark trust list' }],
  build: (command) => command,
  async run(session) {
    const identities = await session
      .client()
      .call(listWorkloadIdentities, { params: { org: session.need('org') }, signal: session.io.signal });
    return {
      data: identities,
      rows: rowsOf({
        items: identities,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'acts as', of: ({ service_account, active }) => `${service_account}${active ? '' : ' (deleted)'}` },
          { title: 'scope', of: ({ scope }) => scopeText(scope) },
          { title: 'suspended', of: ({ suspended_at }) => showTime(suspended_at, session) },
          { title: 'issuer', of: ({ issuer }) => issuer },
          { title: 'claims', of: ({ claims }) => claimsText(claims) },
          { title: 'created', of: ({ created_at }) => showTime(created_at, session), wide: true },
          { title: 'created by', of: ({ created_by }) => created_by, wide: true },
          { title: 'id', of: ({ id }) => id, wide: true },
        ],
        name: ({ name }) => name,
        none: "No trusted CI jobs yet. Add some with 'waymark trust add github OWNER/REPO'.",
      }),
    };
  },
});
