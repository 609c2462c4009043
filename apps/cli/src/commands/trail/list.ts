import { listTrails } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given } from '../../resources/options.ts';
import { fingerprintPrefix } from '../../resources/references.ts';
import { formatState, shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists trails of one flow or of all flows, newest first.',
  examples: [
    { say: 'The newest trails of a flow', run: 'waymark trail list --flow shop --limit 10' },
    {
      say: 'Trails of a commit, in any flow',
      run: 'waymark trail list --commit 9f14efa1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7',
    },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .option('--commit <sha>', 'only trails that report this commit')
      .option('--fingerprint <digest>', 'only trails that report this artifact')
      .option('--flow-tag <key[=value]>', 'only trails of flows with this tag; repeat to require several', collect)
      .addOption(limitOption()),
  async run(session, _, { commit, fingerprint, flowTag, limit }) {
    const org = session.need('org');
    const { flow } = session.settings;
    const trails = await listItems(
      session,
      session.client().items(listTrails, {
        params: { org },
        query: given({
          flow,
          commit,
          fingerprint: fingerprint === undefined ? undefined : fingerprintPrefix(fingerprint),
          flow_tag: flowTag,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: trails,
      rows: rowsOf({
        items: trails,
        columns: [
          { title: 'state', of: ({ compliance_state }) => compliance_state, format: formatState },
          { title: 'flow', of: ({ flow_name }) => flow_name },
          { title: 'name', of: ({ name }) => name },
          { title: 'begun', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'by', of: ({ created_by }) => created_by, wide: true },
          { title: 'commit', of: ({ git_commit_info }) => shortDigest(git_commit_info?.sha1), wide: true },
          { title: 'branch', of: ({ git_commit_info }) => git_commit_info?.branch, wide: true },
          { title: 'description', of: ({ description, git_commit_info }) => description || git_commit_info?.message },
        ],
        name: ({ flow_name, name }) => `${flow_name}/${name}`,
        none: "No trails found. Begin one with 'waymark begin trail NAME --flow FLOW'.",
      }),
      ...(flow !== undefined && { page: session.pageOf(org, 'flows', flow) }),
    };
  },
});
