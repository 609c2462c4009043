import { listDepartures } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'For admins. Lists people whom the identity provider removed from the org or gave a role with fewer permissions, ' +
    "and whose keys and workload identities will be suspended or were suspended in the last 7 days. 'waymark key " +
    "restore' restores a key.",
  examples: [{ say: 'Recent departures', run: 'waymark member departures' }],
  build: (command) => command,
  async run(session) {
    const departures = await session
      .client()
      .call(listDepartures, { params: { org: session.need('org') }, signal: session.io.signal });
    return {
      data: departures,
      rows: rowsOf({
        items: departures,
        columns: [
          { title: 'login', of: ({ login }) => login },
          { title: 'role', of: ({ role }) => role ?? 'none' },
          { title: 'keys', of: ({ keys }) => String(keys) },
          { title: 'workload identities', of: ({ workload_identities }) => String(workload_identities) },
          { title: 'service accounts', of: ({ service_accounts }) => service_accounts.join(', ') },
          { title: 'suspends', of: ({ suspends_at }) => showTime(suspends_at, session) },
          { title: 'suspended', of: ({ suspended_at }) => showTime(suspended_at, session) },
          { title: 'departed', of: ({ departed_at }) => showTime(departed_at, session), wide: true },
        ],
        name: ({ login }) => login,
        none: 'No SCIM departures with suspended keys.',
      }),
    };
  },
});
