import type { ReplyOf } from '@waymark/client';
import { assertArtifact, explainArtifact } from '@waymark/contract';
import { identifyArtifact, REFERENCE_FORMS } from '../../evidence/artifact-reference.ts';
import { collect } from '../../evidence/attest-flags.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { awaitVerdict, readWait } from './await-verdict.ts';
import { judgeOffline, type OfflineFlags, readMaxAge } from './offline.ts';
import { attachFix, type Explained, outcomeOf, type Problem, problemsIn, type Verdict } from './verdict.ts';

const SHORT = 12;

export const command = defineCommand({
  description:
    'With --env, the policies of that environment decide; with --policy, the named policies. Otherwise the flow ' +
    'decides, or every flow that reports the artifact. Exits with 0 if the artifact is compliant, 3 if it is not, ' +
    'and 8 if there is no verdict.',
  examples: [
    { say: 'Before a deployment', run: 'waymark assert artifact oci://ghcr.io/acme/web:1.9.1 --env prod' },
    { say: 'Wait for evidence of other jobs', run: 'waymark assert artifact dist/app.tgz --flow shop --wait 5m' },
    {
      say: 'While the service is away, from a signed verdict',
      run: 'waymark assert artifact dist/app.tgz --env prod --offline app.vsa.json --keys waymark.pem --max-age 1h',
    },
    { say: 'Against named policies', run: 'waymark assert artifact sha256:DIGEST --policy tested --policy reviewed' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<reference>', REFERENCE_FORMS)
      .option('--env <name>', 'environment to deploy the artifact to')
      .option('--policy <name>', 'name of a policy; can be repeated', collect, [] as string[])
      .option('--exclude <pattern>', 'pattern to exclude from a directory; can be repeated', collect, [] as string[])
      .option('--wait <duration>', 'maximum time to wait for a compliant verdict, for example 5m', readWait)
      .option('--offline <file>', 'decide from a verdict that the service signed earlier, without the service')
      .option('--keys <file>', 'with --offline: the public keys that sign verdicts, in PEM')
      .option('--max-age <duration>', 'with --offline: how old the verdict can be (default: 1h)', readMaxAge),
  async run(session, [reference], { env, policy, exclude, wait, offline, keys, maxAge }) {
    if (env !== undefined && policy.length > 0) {
      throw usageError(
        '--env and --policy cannot be combined',
        'Leave out one of them: an environment has its own policies',
      );
    }
    const flags = offlineFlags({ env, policy, wait, offline, keys, maxAge });
    const { fingerprint } = await identifyArtifact(session, reference, { exclude });
    if (flags) return outcomeOf(session, judgeOffline(session, fingerprint, flags));
    const query = queryOf(session, env, policy);
    return outcomeOf(session, await awaitVerdict(session, wait, () => judge(session, fingerprint, query)));
  },
});

interface Flags {
  readonly env: string | undefined;
  readonly policy: readonly string[];
  readonly wait: number | undefined;
  readonly offline: string | undefined;
  readonly keys: string | undefined;
  readonly maxAge: number | undefined;
}

const HOUR_MS = 3_600_000;

function offlineFlags({ env, policy, wait, offline, keys, maxAge }: Flags): OfflineFlags | undefined {
  if (offline === undefined) {
    if (keys !== undefined || maxAge !== undefined) throw usageError('--keys and --max-age are only for --offline');
    return undefined;
  }
  if (policy.length > 0 || wait !== undefined)
    throw usageError(
      '--offline cannot be combined with --policy or --wait',
      'A signed verdict is about an environment',
    );
  if (env === undefined) throw usageError('--offline requires --env', 'A signed verdict is about an environment');
  if (keys === undefined)
    throw usageError(
      '--offline requires --keys',
      "Save them once, and compare them: 'waymark vsa keys --to waymark.pem'",
    );
  return { offline, keys, env, maxAgeMs: maxAge ?? HOUR_MS };
}

type Assertion = ReplyOf<typeof assertArtifact>;
type Query = { flow_name?: string; environment_name?: string; policy_name?: string[] };

/** A flow from a variable must not narrow the question about an environment. */
function queryOf({ settings, sources }: Session, env: string | undefined, policies: readonly string[]): Query {
  const isFlowMeant = (env === undefined && policies.length === 0) || sources.flow === '--flow';
  return {
    ...(env !== undefined && { environment_name: env }),
    ...(policies.length > 0 && { policy_name: [...policies] }),
    ...(isFlowMeant && settings.flow !== undefined && { flow_name: settings.flow }),
  };
}

async function judge(session: Session, fingerprint: string, query: Query): Promise<Verdict> {
  const params = { org: session.need('org'), fingerprint };
  const assertion = await session.client().call(assertArtifact, { params, query, signal: session.io.signal });
  const { compliance, because, html_url: page } = assertion;
  const about = aboutOf(assertion, query);
  const subject = { about, page, data: assertion };
  if (compliance === 'compliant' || compliance === 'waived') {
    return { ...subject, ending: 'done', state: compliance.toUpperCase(), summary: because, problems: [] };
  }
  if (compliance === 'unknown') {
    return { ...subject, ending: 'unknown', state: 'UNKNOWN', summary: because, problems: unjudged(assertion) };
  }
  const problems = await problemsOf(session, assertion);
  return { ...subject, ending: 'nonCompliant', state: 'NON-COMPLIANT', summary: countOf(assertion), problems };
}

function unjudged({ because, environment }: Assertion): Problem[] {
  return environment === null ? [] : [{ why: because, fix: attachFix(environment) }];
}

function aboutOf({ fingerprint, scope, environment, flows }: Assertion, { policy_name = [] }: Query): string {
  const artifact = `sha256:${fingerprint.slice(0, SHORT)}`;
  if (scope === 'environment') return `${artifact} for ${environment}`;
  if (scope === 'policy') return `${artifact} by ${policy_name.join(', ')}`;
  return `${artifact} in ${flows.map(({ flow, trail }) => `${flow}/${trail}`).join(', ') || 'no flow'}`;
}

function countOf({ policy_evaluations: policies }: Assertion): string | undefined {
  const failing = policies.filter(({ status }) => status === 'NON-COMPLIANT');
  if (failing.length === 0) return undefined;
  const names = failing.map(({ policy_name, policy_version }) => `${policy_name} v${policy_version}`).join(', ');
  return `${failing.length} of ${policies.length} policies fail${failing.length === 1 ? 's' : ''}: ${names}`;
}

async function problemsOf(session: Session, assertion: Assertion): Promise<Problem[]> {
  const { scope, flows, because } = assertion;
  if (scope === 'flow') return flows.flatMap(({ explanation }) => problemsIn(explanation as Explained));
  const explained = scope === 'environment' ? await explain(session, assertion) : undefined;
  const problems = explained ? problemsIn(explained, ({ kind }) => kind === 'policy') : [];
  return problems.length > 0 ? problems : [{ why: because }];
}

/** Where no flow knows the artifact, there is only the reason. */
async function explain(
  session: Session,
  { fingerprint, environment, flows }: Assertion,
): Promise<Explained | undefined> {
  const [first] = flows;
  if (!first || environment === null) return undefined;
  return (await session.client().call(explainArtifact, {
    params: { org: session.need('org'), flow_name: first.flow, fingerprint },
    query: { environment_name: environment },
    signal: session.io.signal,
  })) as Explained;
}
