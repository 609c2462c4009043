import { type ApiKey, listServiceAccountKeys, listUserKeys } from '@waymark/contract';
import { limitOption, listItems } from '../../resources/list-items.ts';
import { scopeText } from '../../resources/scope-options.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { endText, saOption } from './key-options.ts';

export const command = defineCommand({
  description:
    'Includes expired and suspended keys, but not revoked ones. A key is suspended when the person who created it ' +
    'leaves the org or gets a role with fewer permissions. The text of a key is never shown again.',
  examples: [
    { say: 'Your own keys', run: 'waymark key list' },
    { say: 'Keys of a service account', run: 'waymark key list --sa builder' },
  ],
  build: (command) => command.addOption(saOption()).addOption(limitOption()),
  async run(session, _, { sa, limit }) {
    const keys = await listItems(session, keysOf(session, sa), limit);
    return {
      data: keys,
      rows: rowsOf({
        items: keys,
        columns: [
          { title: 'id', of: ({ id }) => id },
          { title: 'description', of: ({ description }) => description },
          { title: 'scope', of: ({ scope }) => scopeText(scope) },
          { title: 'expires', of: ({ expires_at }) => endText(session, expires_at) },
          { title: 'replaced by', of: ({ replaced_by }) => replaced_by ?? '' },
          { title: 'suspended', of: ({ suspended_at, suspends_at }) => showTime(suspended_at ?? suspends_at, session) },
          ...(sa === undefined ? [] : [{ title: 'created by', of: ({ made_by }: ApiKey) => made_by ?? '' }]),
          { title: 'last used', of: ({ last_used_at }) => showTime(last_used_at, session) || 'never' },
          { title: 'created', of: ({ created_at }) => showTime(created_at, session), wide: true },
        ],
        name: ({ id }) => id,
        none:
          sa === undefined
            ? 'No keys yet. Create one on the page /account.'
            : `No keys yet. Create one with 'waymark key create DESCRIPTION --sa ${sa}'.`,
      }),
    };
  },
});

function keysOf(session: Session, sa: string | undefined): AsyncIterable<ApiKey> {
  const { signal } = session.io;
  if (sa === undefined) return session.client().items(listUserKeys, { signal });
  return session.client().items(listServiceAccountKeys, { params: { org: session.need('org'), name: sa }, signal });
}
