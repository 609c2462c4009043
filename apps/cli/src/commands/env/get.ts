import { type Environment, getEnvironment } from '@waymark/contract';
import { factsText, spanText, stateText, tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';

export const command = defineCommand({
  description: 'Also finds the environment by a name it had before it was renamed.',
  examples: [
    { say: 'One environment', run: 'waymark env get prod' },
    { say: 'Its verdict in one word', run: 'waymark env get prod --jq .compliance' },
  ],
  build: (command) => command.argument('<name>', 'name of the environment'),
  async run(session, [name]) {
    const org = session.need('org');
    const found = await session
      .client()
      .call(getEnvironment, { params: { org, env_name: name }, signal: session.io.signal });
    return {
      data: found,
      text: (style) =>
        factsText(titleOf(found, style), [
          ['description', found.description],
          ['policies', found.policies.join(', ') || policiesMissing(found)],
          ['members', found.included_environments.join(', ')],
          ['snapshot', found.latest_snapshot_index || null],
          ['changed', showTime(found.last_changed_at, session)],
          ['reported', reportedText(found, session)],
          ['expected every', spanText(found.expected_report_interval_s)],
          ['tags', tagsText(found.tags)],
          ['created', `${showTime(found.created_at, session)} by ${found.created_by}`],
        ]),
      page: session.pageOf(org, 'environments', found.name),
    };
  },
});

function titleOf({ compliance, stale, name, type }: Environment, style: Style): string {
  return `${stateText(compliance, style)}${stale ? ' (stale)' : ''}  ${style.strong(name)} (${type})`;
}

function policiesMissing({ type, name }: Environment): string {
  if (type === 'logical') return '';
  return `none, so there is no verdict; attach one with 'waymark env policies attach ${name} POLICY'`;
}

function reportedText({ last_reported_at, stale_since, type }: Environment, session: Session): string {
  if (type === 'logical') return '';
  if (last_reported_at === null) return "never; send the first report with 'waymark snapshot'";
  const overdue = stale_since === null ? '' : ` (stale: overdue since ${showTime(stale_since, session)})`;
  return `${showTime(last_reported_at, session)}${overdue}`;
}
