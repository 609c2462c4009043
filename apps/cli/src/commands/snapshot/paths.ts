import { readPaths } from '../../reporters/paths.ts';
import { defineCommand } from '../../run/command.ts';
import { sendReport } from './send-report.ts';

export const command = defineCommand({
  description:
    'Reports files and directories under names. The file is YAML: version: 1, and artifacts, from a name to its path and ' +
    'what to exclude of it. A path that is not there is an error, and nothing is reported.',
  examples: [{ say: 'As paths.yml says', run: 'waymark snapshot paths web-1 -f paths.yml' }],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of the environment, of type server')
      .requiredOption('-f, --file <file>', 'which paths, by name'),
  async run(session, [environment], { file }) {
    return sendReport(session, environment, await readPaths(file, session.io));
  },
});
