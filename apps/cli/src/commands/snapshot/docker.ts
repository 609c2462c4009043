import { readDocker } from '../../reporters/docker.ts';
import { dockerEndpoint } from '../../reporters/docker-host.ts';
import { defineCommand } from '../../run/command.ts';
import { oneLine } from '../../run/table.ts';
import { sendReport } from './send-report.ts';

export const command = defineCommand({
  description:
    'Reports the running containers by the registry digest of their image. An image that was never pushed or pulled ' +
    'has no such digest: the report names its image id, which has no provenance.',
  examples: [
    { say: 'Report this machine', run: 'waymark snapshot docker build-host' },
    { say: 'Report another machine', run: 'waymark snapshot docker build-host --docker-host tcp://10.0.0.7:2375' },
  ],
  settings: ['dryRun', 'onUnavailable', 'strict'],
  build: (command) =>
    command
      .argument('<env>', 'name of an environment of type docker')
      .option('--docker-host <address>', 'unix:// or tcp:// (default: $DOCKER_HOST, or the socket of this machine)'),
  async run(session, [environment], { dockerHost }) {
    const { env, home, signal } = session.io;
    const endpoint = await dockerEndpoint(
      { ...env, ...(dockerHost !== undefined && { DOCKER_HOST: dockerHost }) },
      home,
    );
    const report = await readDocker(endpoint, { signal, onNote: (note) => session.warn(oneLine(note)) });
    return sendReport(session, environment, report);
  },
});
