import { complianceNow, type Environment, getEnvironment, getSnapshot, type Snapshot } from '@waymark/contract';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { awaitVerdict, readWait } from './await-verdict.ts';
import { readSnapshotReference } from './snapshot-reference.ts';
import { attachFix, outcomeOf, type Problem, type Verdict } from './verdict.ts';

export const command = defineCommand({
  description:
    'Exits with 0 if everything that runs is compliant, 3 if something is not, and 8 if the verdict is unknown: no ' +
    'policy is attached, nothing was reported, or the last report is overdue. A non-compliant verdict stays until a ' +
    'new report changes it.',
  examples: [
    { say: 'What runs now', run: 'waymark assert snapshot prod' },
    { say: 'What ran two days ago', run: "waymark assert snapshot 'prod@{2.days.ago}'" },
  ],
  build: (command) =>
    command
      .argument('<environment>', 'ENV, ENV#7, ENV~1, or ENV@{2.days.ago}')
      .option('--wait <duration>', 'maximum time to wait for a compliant verdict, for example 5m', readWait),
  async run(session, [reference], { wait }) {
    const { environment, expression } = readSnapshotReference(reference);
    return outcomeOf(session, await awaitVerdict(session, wait, () => judge(session, environment, expression)));
  },
});

async function judge(session: Session, name: string, expression: string | undefined): Promise<Verdict> {
  const environment = await session.client().call(getEnvironment, {
    params: { org: session.need('org'), env_name: name },
    signal: session.io.signal,
  });
  if (environment.type === 'logical' && expression === undefined) return judgeMembers(session, environment);
  const isNever = environment.latest_snapshot_index === 0 && environment.type !== 'logical';
  if (isNever) return unknown(environment, 'No report yet', "Send the first report with 'waymark snapshot'");
  const snapshot = await session.client().call(getSnapshot, {
    params: { org: session.need('org'), env_name: name, snapshot_expression: expression ?? '-1' },
    signal: session.io.signal,
  });
  return verdictOf(environment, snapshot);
}

function verdictOf(environment: Environment, snapshot: Snapshot): Verdict {
  const { index, html_url: page } = snapshot;
  // The past is known for good; the present only as long as it is reported.
  const isStale = snapshot.is_latest && environment.stale;
  const compliance = complianceNow(snapshot.compliance, isStale);
  const subject = { about: `${environment.name}#${index}`, page, data: snapshot };
  if (compliance === 'non-compliant') {
    const failing = snapshot.artifacts.filter((artifact) => artifact.annotation.now > 0 && isFailing(artifact));
    return {
      ...subject,
      ending: 'nonCompliant',
      state: isStale ? 'NON-COMPLIANT (stale)' : 'NON-COMPLIANT',
      summary: `${failing.length} of ${snapshot.artifacts.filter(({ annotation }) => annotation.now > 0).length} artifacts fail${failing.length === 1 ? 's' : ''}`,
      problems: [
        ...(isStale ? [staleProblem(environment, 'what runs now may have changed')] : []),
        ...failing.flatMap(problemsOf),
      ],
    };
  }
  if (isStale) {
    const problems = [staleProblem(environment, 'what runs now is unknown')];
    return { ...subject, ending: 'unknown', state: 'UNKNOWN', summary: 'The environment is stale', problems };
  }
  if (compliance === 'unknown') {
    return {
      ...subject,
      ending: 'unknown',
      state: 'UNKNOWN',
      summary: UNJUDGED,
      problems: [{ why: UNJUDGED, fix: unjudgedFix(environment, snapshot) }],
    };
  }
  return { ...subject, ending: 'done', state: 'COMPLIANT', problems: [] };
}

const UNJUDGED = 'No attached policy judges it';

/** Policies attached now say nothing about earlier snapshots. */
function unjudgedFix({ name }: Environment, { is_latest }: Snapshot): string {
  if (is_latest) return attachFix(name);
  return `Back-test a policy on it: waymark policy test POLICY --env ${name}`;
}

type Artifact = Snapshot['artifacts'][number];

const isFailing = ({ compliance }: Artifact) => compliance === 'non-compliant';

function problemsOf({ name, reasons_for_incompliance: reasons }: Artifact): Problem[] {
  return reasons.map(({ message, fix }) => ({ why: `${name}: ${message}`, fix }));
}

function staleProblem({ last_reported_at: since }: Environment, meaning: string): Problem {
  const at = since === null ? '' : ` since ${new Date(since * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { why: `Nothing has been reported${at}, so ${meaning}`, fix: 'Check its reporter' };
}

function unknown(environment: Environment, summary: string, fix: string): Verdict {
  const { name, html_url: page } = environment;
  return {
    ending: 'unknown',
    state: 'UNKNOWN',
    about: name,
    summary,
    problems: [{ why: summary, fix }],
    page,
    data: environment,
  };
}

const RANKS = ['nonCompliant', 'unknown', 'done'] as const;

/** The worst of its members decides. */
async function judgeMembers(session: Session, environment: Environment): Promise<Verdict> {
  const { included_environments: names, name, html_url: page } = environment;
  if (names.length === 0)
    return unknown(environment, 'The environment has no members', "Add members with 'waymark env join'");
  const verdicts: Verdict[] = [];
  for (const member of names) verdicts.push(await judge(session, member, undefined));
  const ending = RANKS.find((rank) => verdicts.some((verdict) => verdict.ending === rank)) ?? 'unknown';
  const bad = verdicts.filter((verdict) => verdict.ending !== 'done');
  return {
    ending,
    state: { done: 'COMPLIANT', nonCompliant: 'NON-COMPLIANT', unknown: 'UNKNOWN' }[ending],
    about: name,
    ...(bad.length > 0 && { summary: bad.map(({ state, about }) => `${about} is ${state}`).join(', ') }),
    problems: bad.flatMap(({ problems }) => problems),
    page,
    data: verdicts.map(({ data }) => data),
  };
}
