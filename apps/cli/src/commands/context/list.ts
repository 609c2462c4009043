import { storedKey } from '../../auth/credentials.ts';
import { defineCommand } from '../../run/command.ts';
import { readUserFile } from '../../run/config-files.ts';
import { rowsOf } from '../../run/outcome.ts';

export const command = defineCommand({
  examples: [{ say: 'All contexts', run: 'waymark context list' }],
  build: (command) => command,
  async run({ io, settings }) {
    const { contexts, current } = readUserFile(io);
    const used = settings.context ?? current;
    const items = Object.entries(contexts).map(([name, { host, org, flow }]) => ({
      name,
      host: host ?? null,
      org: org ?? null,
      flow: flow ?? null,
      is_current: name === used,
      has_key: host !== undefined && storedKey(io, host, name) !== undefined,
    }));
    return {
      data: items,
      rows: rowsOf({
        items,
        columns: [
          { title: '', of: ({ is_current }) => (is_current ? '*' : '') },
          { title: 'name', of: ({ name }) => name },
          { title: 'host', of: ({ host }) => host },
          { title: 'org', of: ({ org }) => org },
          { title: 'flow', of: ({ flow }) => flow },
          { title: 'key', of: ({ has_key }) => (has_key ? 'stored' : 'none') },
        ],
        name: ({ name }) => name,
        none: "No contexts yet. Create one with 'waymark auth login --host URL'.",
      }),
    };
  },
});
