import { removeContext } from '../../auth/contexts.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Also removes the key stored for this context, but not a key stored for the whole host. The key stays valid at ' +
    'the service.',
  examples: [{ say: 'Remove a context', run: 'waymark context remove work' }],
  build: (command) => command.argument('<name>', 'name of the context'),
  async run({ io }, [name]) {
    removeContext(io, name);
    return { data: { name }, text: `Context '${name}' removed` };
  },
});
