import { getFlow } from '@waymark/contract';
import { factsText, tagsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Also finds the flow by a name it had before it was renamed.',
  examples: [{ say: 'One flow', run: 'waymark flow get shop' }],
  build: (command) => command.argument('<name>', 'name of the flow'),
  async run(session, [name]) {
    const org = session.need('org');
    const flow = await session.client().call(getFlow, { params: { org, flow_name: name }, signal: session.io.signal });
    return {
      data: flow,
      text: (style) =>
        factsText(style.strong(flow.name), [
          ['description', flow.description],
          ['visibility', flow.visibility],
          ['template', templateText(flow.template, flow.name)],
          ['repository', flow.repo_url],
          ['tags', tagsText(flow.tags)],
          ['last activity', showTime(flow.latest_activity_at, session)],
          ['last deployment', showTime(flow.last_deployment_at, session)],
          ['created', `${showTime(flow.created_at, session)} by ${flow.created_by}`],
        ]),
      page: session.pageOf(org, 'flows', flow.name),
    };
  },
});

function templateText(template: string | readonly string[], name: string): string {
  if (template.length === 0) return 'none: nothing is required';
  return `shown by 'waymark flow template ${name}'`;
}
