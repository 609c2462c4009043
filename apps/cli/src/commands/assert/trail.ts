import { explainTrail, getTrail } from '@waymark/contract';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { awaitVerdict, readWait } from './await-verdict.ts';
import { type Explained, outcomeOf, problemsIn, type Verdict } from './verdict.ts';

export const command = defineCommand({
  description:
    'Exits with 0 if the trail is compliant, and with 3 if it is not, or if evidence that the template requires is ' +
    'missing.',
  examples: [
    { say: 'In CI: the trail of the job', run: 'waymark assert trail' },
    { say: 'By name', run: 'waymark assert trail shop/release-1 --wait 5m' },
  ],
  settings: ['flow', 'trail'],
  build: (command) =>
    command
      .argument('[trail]', 'FLOW/TRAIL, or the name of a trail of the flow')
      .option('--wait <duration>', 'maximum time to wait for a compliant verdict, for example 5m', readWait),
  async run(session, [reference], { wait }) {
    const { flow, trail } = trailOf(session, reference);
    return outcomeOf(session, await awaitVerdict(session, wait, () => judge(session, flow, trail)));
  },
});

function trailOf(session: Session, reference: string | undefined): { flow: string; trail: string } {
  if (reference === undefined) return { flow: session.need('flow'), trail: session.need('trail') };
  const [first = '', second, third] = reference.split('/');
  if (third !== undefined || first === '' || second === '')
    throw usageError(`'${reference}' is not a trail`, 'Use FLOW/TRAIL');
  return second === undefined ? { flow: session.need('flow'), trail: first } : { flow: first, trail: second };
}

async function judge(session: Session, flow: string, trail: string): Promise<Verdict> {
  const input = { params: { org: session.need('org'), flow_name: flow, trail_name: trail }, signal: session.io.signal };
  const found = await session.client().call(getTrail, input);
  const { status } = found.compliance_status;
  const subject = { about: `${flow}/${trail}`, state: status, page: found.html_url, data: found };
  if (status === 'COMPLIANT') return { ...subject, ending: 'done', problems: [] };
  const explained = (await session.client().call(explainTrail, input)) as Explained;
  const summary = status === 'INCOMPLETE' ? 'required evidence is missing' : undefined;
  return { ...subject, ending: 'nonCompliant', summary, problems: problemsIn(explained) };
}
