import { requireContext, useContext } from '../../auth/contexts.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  examples: [{ say: 'Switch to another host or org', run: 'waymark context use work' }],
  build: (command) => command.argument('<name>', 'name of the context'),
  async run({ io, warn }, [name]) {
    useContext(io, name);
    const { host, org } = requireContext(io, name);
    for (const variable of ['WAYMARK_HOST', 'WAYMARK_ORG', 'WAYMARK_CONTEXT']) {
      if (io.env[variable] !== undefined) warn(`${variable} is set and takes precedence over the context`);
    }
    return {
      data: { name, host: host ?? null, org: org ?? null },
      text: `Switched to context '${name}': ${[host, org].filter(Boolean).join(', ')}`,
    };
  },
});
