import { listWebhookKeys } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';

export const command = defineCommand({
  description: 'Anyone can verify messages of the org with these keys, without a secret.',
  examples: [{ say: 'Public keys of the org', run: 'waymark webhook keys' }],
  build: (command) => command,
  async run(session) {
    const { keys } = await session
      .client()
      .call(listWebhookKeys, { params: { org: session.need('org') }, signal: session.io.signal });
    return {
      data: keys,
      rows: rowsOf({
        items: keys,
        columns: [
          { title: 'key', of: ({ waymark_key }) => waymark_key },
          { title: 'id', of: ({ kid }) => kid },
        ],
        name: ({ waymark_key }) => waymark_key,
        none: 'No keys yet. The org gets one with its first webhook.',
      }),
    };
  },
});
