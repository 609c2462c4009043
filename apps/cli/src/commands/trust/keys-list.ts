import { listTrustedKeys } from '@waymark/contract';
import { shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  examples: [{ say: 'All trusted signing keys', run: 'waymark trust keys list' }],
  build: (command) => command,
  async run(session) {
    const keys = await session
      .client()
      .call(listTrustedKeys, { params: { org: session.need('org') }, signal: session.io.signal });
    return {
      data: keys,
      rows: rowsOf({
        items: keys,
        columns: [
          { title: 'name', of: ({ name }) => name },
          { title: 'algorithm', of: ({ algorithm }) => algorithm },
          { title: 'sha256', of: ({ sha256 }) => shortDigest(sha256) },
          { title: 'flows', of: ({ flows }) => flows?.join(', ') ?? 'all' },
          { title: 'created', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'created by', of: ({ created_by }) => created_by },
          { title: 'id', of: ({ id }) => id, wide: true },
        ],
        name: ({ name }) => name,
        none: "No trusted keys yet. Add one with 'waymark trust keys add NAME FILE'.",
      }),
    };
  },
});
