import { listWaivers } from '@waymark/contract';
import { limitOption, listItems } from '../../resources/list-items.ts';
import { given } from '../../resources/options.ts';
import { shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists artifacts that count as compliant in an environment regardless of its policies, newest first.',
  examples: [
    { say: 'Waivers in prod', run: 'waymark waiver list --env prod' },
    { say: 'Include ended waivers', run: 'waymark waiver list --ended' },
  ],
  build: (command) =>
    command
      .option('--env <name>', 'only in this environment')
      .option('--ended', 'include waivers that were removed, replaced, or have expired')
      .addOption(limitOption()),
  async run(session, _, { env, ended, limit }) {
    const waivers = await listItems(
      session,
      session.client().items(listWaivers, {
        params: { org: session.need('org') },
        query: given({ environment_name: env, ended: ended ? ('true' as const) : undefined }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: waivers,
      rows: rowsOf({
        items: waivers,
        columns: [
          { title: 'environment', of: ({ environment_name }) => environment_name },
          { title: 'artifact', of: ({ artifact_name }) => artifact_name },
          { title: 'fingerprint', of: ({ fingerprint }) => fingerprint, format: (text) => shortDigest(text) },
          { title: 'since', of: ({ timestamp }) => showTime(timestamp, session) },
          { title: 'by', of: ({ user_name }) => user_name },
          {
            title: 'expires',
            of: ({ ended_at, expires_at, end_reason }) =>
              ended_at === null
                ? showTime(expires_at, session) || 'removed'
                : `${showTime(ended_at, session)} (${end_reason ?? 'ended'})`,
          },
          { title: 'reason', of: ({ description }) => description },
          { title: 'id', of: ({ id }) => id, wide: true },
        ],
        name: ({ fingerprint }) => fingerprint,
        none: 'No waivers found.',
      }),
    };
  },
});
