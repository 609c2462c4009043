import { readServer } from '../../reporters/paths.ts';
import { collect, given } from '../../resources/options.ts';
import { defineCommand } from '../../run/command.ts';
import { sendReport } from './send-report.ts';

export const command = defineCommand({
  description:
    'Reports files and directories by their absolute paths. A pattern that matches nothing is an error, because its ' +
    'artifacts would otherwise count as exited.',
  examples: [{ say: 'A directory and some files', run: "waymark snapshot server web-1 /opt/shop '/opt/tools/*.jar'" }],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of an environment of type server')
      .argument('<path...>', 'files, directories, or patterns')
      .option('--exclude <pattern>', 'pattern to exclude from directories; can be repeated', collect),
  async run(session, [environment, paths], { exclude }) {
    const report = await readServer(paths, { cwd: session.io.cwd, ...given({ exclude }) });
    return sendReport(session, environment, report);
  },
});
