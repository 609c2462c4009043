import { readPaths } from '../../reporters/paths.ts';
import { defineCommand } from '../../run/command.ts';
import { sendReport } from './send-report.ts';

export const command = defineCommand({
  description:
    'Reports files and directories under given names. The YAML file has version: 1, and artifacts, which maps each ' +
    'name to a path and patterns to exclude. If a path does not exist, the command fails and reports nothing.',
  examples: [{ say: 'The paths in paths.yml', run: 'waymark snapshot paths web-1 -f paths.yml' }],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of an environment of type server')
      .requiredOption('-f, --file <file>', 'file with the paths (YAML)'),
  async run(session, [environment], { file }) {
    return sendReport(session, environment, await readPaths(file, session.io));
  },
});
