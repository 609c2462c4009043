import { putContext } from '../../auth/contexts.ts';
import { given } from '../../resources/options.ts';
import { requireChange } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { readUserFile } from '../../run/config-files.ts';

export const command = defineCommand({
  description:
    'Creates the context if it does not exist. Omitted values stay unchanged. Keys are not part of a context.',
  examples: [
    { say: 'Create a context', run: 'waymark context set work --host https://waymark.example.com --org acme' },
    { say: 'Change the org of a context', run: 'waymark context set work --org acme-labs' },
  ],
  settings: ['flow'],
  build: (command) => command.argument('<name>', 'name of the context'),
  async run({ io, settings, sources }, [name]) {
    const { contexts } = readUserFile(io);
    // Only the flags of this line: values of variables or another context are not meant to be stored.
    const change = given({
      host: sources.host === '--host' ? settings.host : undefined,
      org: sources.org === '--org' ? settings.org : undefined,
      flow: sources.flow === '--flow' ? settings.flow : undefined,
    });
    requireChange(change, 'context set');
    const context = { ...(Object.hasOwn(contexts, name) ? contexts[name] : {}), ...change };
    if (context.host === undefined) throw usageError(`Context '${name}' has no host yet`, 'Add --host URL');
    putContext(io, name, context);
    return { data: { name, ...context }, text: `Context '${name}': ${Object.values(context).join(', ')}` };
  },
});
