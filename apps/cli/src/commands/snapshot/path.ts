import { readPath } from '../../reporters/paths.ts';
import { collect, given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { sendReport } from './send-report.ts';

export const command = defineCommand({
  description: 'Reports one file or directory as the entire content of the environment.',
  examples: [
    { say: 'A directory without its logs', run: 'waymark snapshot path web-1 /opt/shop --name shop --exclude logs' },
  ],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of an environment of type server')
      .argument('<path>', 'file or directory')
      .option('--name <name>', 'name to report (default: the absolute path)')
      .option('--exclude <pattern>', 'pattern to exclude from a directory; can be repeated', collect),
  async run(session, [environment, path], { name, exclude }) {
    const report = await readPath(path, { cwd: session.io.cwd, ...given({ name, exclude }) });
    return sendReport(session, environment, report);
  },
});
