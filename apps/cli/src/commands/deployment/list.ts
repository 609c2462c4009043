import { listDeployments, listEnvironmentDeployments } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given, timesOf } from '../../resources/options.ts';
import { namedFlow } from '../../resources/references.ts';
import { shortDigest, spanText } from '../../resources/show.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description:
    'Lists deployments, newest first, of all flows or of the one given with --flow. Every start of an artifact in an ' +
    'environment is a deployment, including rollbacks.',
  examples: [
    { say: 'To prod in the last week', run: 'waymark deployment list --env prod --since 7d' },
    { say: 'Of a flow, in any environment', run: 'waymark deployment list --flow shop --limit 10' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .option('--env <name>', 'only deployments to this environment')
      .option('--since <time>', 'only deployments since this time: 7d, 2026-11-01')
      .option('--until <time>', 'only deployments until this time')
      .addOption(limitOption()),
  async run(session, _, { env, limit, ...span }) {
    const flow = namedFlow(session);
    if (env !== undefined && flow !== undefined) {
      throw usageError('--env and --flow cannot be combined', 'Leave out one of them');
    }
    const org = session.need('org');
    const query = given({ ...timesOf(session, span), per_page: pageSize(limit, 100) });
    const { signal } = session.io;
    const found =
      env === undefined
        ? session
            .client()
            .items(listDeployments, { params: { org }, query: { ...query, ...given({ flow_name: flow }) }, signal })
        : session.client().items(listEnvironmentDeployments, { params: { org, env_name: env }, query, signal });
    const deployments = await listItems(session, found, limit);
    return {
      data: deployments,
      rows: rowsOf({
        items: deployments,
        columns: [
          { title: 'started', of: ({ started_at }) => showTime(started_at, session) },
          { title: 'environment', of: ({ environment, number }) => `${environment}#${number}` },
          { title: 'artifact', of: ({ artifact_name }) => artifact_name },
          { title: 'fingerprint', of: ({ fingerprint }) => fingerprint, format: (text) => shortDigest(text) },
          { title: 'flow', of: ({ flow_name }) => flow_name || 'no provenance' },
          { title: 'commit', of: ({ git_commit }) => shortDigest(git_commit) },
          { title: 'lead time', of: ({ lead_time_seconds }) => spanText(lead_time_seconds) },
          { title: 'running', of: ({ running }) => (running ? 'yes' : 'no') },
          { title: 'replaced', of: ({ replaced }) => shortDigest(replaced?.fingerprint), wide: true },
        ],
        name: ({ fingerprint }) => fingerprint,
        none: "No deployments found. Report what runs with 'waymark snapshot'.",
      }),
      page: session.pageOf(org, 'deployments'),
    };
  },
});
