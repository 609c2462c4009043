import { listActions } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { stateOf, targetText, watchedOf } from './notification-text.ts';
import { triggerText } from './triggers.ts';

export const command = defineCommand({
  examples: [{ say: 'All notifications', run: 'waymark notify list' }],
  build: (command) => command,
  async run(session) {
    const org = session.need('org');
    const notifications = await session.client().call(listActions, { params: { org }, signal: session.io.signal });
    return {
      data: notifications,
      rows: rowsOf({
        items: notifications,
        columns: [
          { title: 'number', of: ({ number }) => number },
          { title: 'name', of: ({ name }) => name },
          { title: 'watches', of: (one) => `${one.type} ${watchedOf(one).join(', ')}` },
          { title: 'events', of: ({ triggers }) => triggers.map(triggerText).join(', ') },
          { title: 'targets', of: ({ targets }) => targets.map(targetText).join('; ') },
          {
            title: 'state',
            of: stateOf,
            format: (text, _, style) => (text === 'ok' ? style.good(`✓ ${text}`) : style.bad(`✕ ${text}`)),
          },
        ],
        name: ({ name }) => name,
        none: "No notifications yet. Create one with 'waymark notify create NAME'.",
      }),
    };
  },
});
