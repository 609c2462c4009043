import { Option } from '@commander-js/extra-typings';
import { type ReportType, reportShapes } from '../../reporters/report.ts';
import { readReportFile } from '../../reporters/report-file.ts';
import { given } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { sendReport } from './send-report.ts';

const TYPES = Object.keys(reportShapes) as ReportType[];

export const command = defineCommand({
  description:
    'Sends a report from another tool, as JSON in the shape of the API: type and artifacts. docs/reporters.md has jq ' +
    'filters that convert the output of the ECS, Lambda, and S3 command lines.',
  examples: [
    { say: 'A file that contains its type', run: 'waymark snapshot file prod report.json' },
    { say: 'From a pipe', run: 'jq -f ecs.jq tasks.json | waymark snapshot file prod - --type ECS' },
  ],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of the environment')
      .argument('<file>', 'file with the report, or - for standard input')
      .addOption(
        new Option('--type <type>', 'type of the environment (default: the type in the report)')
          .choices(TYPES)
          .argParser(readType),
      ),
  async run(session, [environment, file], { type }) {
    const { cwd, stdin } = session.io;
    const report = await readReportFile(file, { cwd, stdin: stdin.bytes, ...given({ type }) });
    return sendReport(session, environment, report);
  },
});

function readType(text: string): ReportType {
  const found = TYPES.find((type) => type.toLowerCase() === text.toLowerCase());
  if (found) return found;
  throw usageError(`--type must be one of ${TYPES.join(', ')}, not '${text}'`);
}
