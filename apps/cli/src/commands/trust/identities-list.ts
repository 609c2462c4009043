import { listTrustedIdentities } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [{ say: 'All trusted Sigstore identities', run: 'waymark trust identities list' }],
  build: (command) => command,
  async run(session) {
    const identities = await session
      .client()
      .call(listTrustedIdentities, { params: { org: session.need('org') }, signal: session.io.signal });
    return {
      data: identities,
      rows: rowsOf({
        items: identities,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'issuer', of: ({ issuer }) => issuer },
          { title: 'subject', of: ({ subject }) => subject },
          { title: 'root', of: ({ trusted_root_source }) => trusted_root_source, wide: true },
          { title: 'flows', of: ({ flows }) => flows?.join(', ') ?? 'all' },
          { title: 'created', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'id', of: ({ id }) => id, wide: true },
        ],
        name: ({ name }) => name,
        none: "No trusted identities yet. Add one with 'waymark trust identities add NAME'.",
      }),
    };
  },
});
