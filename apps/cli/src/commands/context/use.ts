import { requireContext, useContext } from '../../auth/contexts.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  examples: [{ say: 'Work with another host or org from now on', run: 'waymark context use work' }],
  build: (command) => command.argument('<name>', 'name of the context'),
  async run({ io, warn }, [name]) {
    useContext(io, name);
    const { host, org } = requireContext(io, name);
    for (const variable of ['WAYMARK_HOST', 'WAYMARK_ORG', 'WAYMARK_CONTEXT']) {
      if (io.env[variable] !== undefined) warn(`${variable} is set, and goes before the context`);
    }
    return {
      data: { name, host: host ?? null, org: org ?? null },
      text: `Context '${name}' is used from now on: ${[host, org].filter(Boolean).join(', ')}`,
    };
  },
});
