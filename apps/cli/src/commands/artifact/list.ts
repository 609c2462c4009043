import { listArtifacts } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given } from '../../resources/options.ts';
import { formatState, shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists artifacts of one flow or of all flows, newest first.',
  examples: [
    { say: 'The newest artifacts of a flow', run: 'waymark artifact list --flow shop --limit 10' },
    { say: 'The artifacts of a repository', run: 'waymark artifact list --repo acme/shop' },
  ],
  settings: ['flow'],
  build: (command) =>
    command.option('--repo <name>', 'only artifacts of this repository; not with --flow').addOption(limitOption()),
  async run(session, _, { repo, limit }) {
    const org = session.need('org');
    const flow = repo === undefined ? session.settings.flow : undefined;
    const artifacts = await listItems(
      session,
      session.client().items(listArtifacts, {
        params: { org },
        query: given({ flow_name: flow, repo_name: repo, per_page: pageSize(limit, 100) }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: artifacts,
      rows: rowsOf({
        items: artifacts,
        columns: [
          { title: 'state', of: ({ state }) => state, format: formatState },
          { title: 'name', of: ({ filename }) => filename },
          {
            title: 'fingerprint',
            of: ({ fingerprint }) => fingerprint,
            format: (text) => shortDigest(text),
          },
          { title: 'flow', of: ({ flow_name }) => flow_name },
          { title: 'trail', of: ({ trail_name }) => trail_name },
          { title: 'commit', of: ({ git_commit }) => git_commit, format: (text) => shortDigest(text), wide: true },
          { title: 'reported', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'build', of: ({ build_url }) => build_url, wide: true },
        ],
        name: ({ fingerprint }) => fingerprint,
        none: "No artifacts found. Report one with 'waymark attest artifact'.",
      }),
      page: flow === undefined ? session.pageOf(org, 'flows') : session.pageOf(org, 'flows', flow),
    };
  },
});
