import { removeContext } from '../../auth/contexts.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'With the key that is stored for it alone. The key stays good at the service.',
  examples: [{ say: 'Forget a context', run: 'waymark context remove work' }],
  build: (command) => command.argument('<name>', 'name of the context'),
  async run({ io }, [name]) {
    removeContext(io, name);
    return { data: { name }, text: `Context '${name}' is gone` };
  },
});
