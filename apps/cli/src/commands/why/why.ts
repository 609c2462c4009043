import {
  assertArtifact,
  type Explanation,
  explainArtifact,
  explainEnvironment,
  explainSnapshot,
  explainTrail,
  getEnvironment,
  searchSha,
} from '@waymark/contract';
import { type Explained, endingOf, fixesIn, passes } from '../../explain/explanation.ts';
import { explanationMarkdown } from '../../explain/explanation-markdown.ts';
import { explanationText } from '../../explain/explanation-text.ts';
import { SNAPSHOT_HELP, type Subject, subjectOf, unknownArtifact } from '../../explain/subject.ts';
import { flowOf } from '../../resources/references.ts';
import { shortDigest, spanText } from '../../resources/show.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: `Shows the requirements, the evidence found, the reason for the verdict, and the fix. Explains without failing: exits with 0 unless --exit-code is given. A word without a slash is an environment, unless it consists of hexadecimal digits of an artifact; ./NAME is always a path. ${SNAPSHOT_HELP}`,
  examples: [
    { say: 'An environment as it is now', run: 'waymark why prod' },
    { say: 'An artifact, evaluated against the policies of an environment', run: 'waymark why 8f05d73 --env prod' },
    { say: 'An earlier verdict, as Markdown for a ticket', run: "waymark why 'prod@{2.days.ago}' -o markdown" },
  ],
  settings: ['flow', 'trail'],
  build: (command) =>
    command
      .argument(
        '[what]',
        'ENV or one of its snapshots, FLOW/TRAIL, a fingerprint or its first 5 digits, a path, or oci://IMAGE (default: the trail of the build)',
      )
      .option('--env <name>', 'evaluate the artifact against the policies of this environment')
      .option('--all', 'also show passing requirements')
      .option('--exit-code', "exit like 'assert': 3 if non-compliant, 8 if there is no verdict"),
  async run(session, [what], { env, all, exitCode }) {
    const subject = await subjectOf(session, what);
    if (env !== undefined && subject.kind !== 'artifact') {
      throw usageError('--env works only with artifacts', "Leave it out, or run 'waymark why ARTIFACT --env ENV'");
    }
    const answer = await answerTo(session, subject, { env, isAll: all === true });
    const view = { session, showsAll: all === true };
    return {
      data: answer.document,
      text: (style) => explanationText(answer, { ...view, style }),
      markdown: explanationMarkdown(answer, view),
      page: answer.page,
      ...(exitCode && { ending: endingOf(answer.root.status) }),
    };
  },
});

interface Answer extends Explained {
  /** As in the API. */
  readonly document: unknown;
  readonly page: string;
}

interface Asked {
  readonly env: string | undefined;
  readonly isAll: boolean;
}

function answerTo(session: Session, subject: Subject, asked: Asked): Promise<Answer> {
  switch (subject.kind) {
    case 'trail':
      return whyTrail(session, subject);
    case 'environment':
      return whyEnvironment(session, subject, asked);
    case 'artifact':
      return whyArtifact(session, subject.fingerprint, asked);
  }
}

async function whyTrail(session: Session, subject: Subject & { kind: 'trail' }): Promise<Answer> {
  const org = session.need('org');
  const { flow_name, trail_name } = subject;
  const params = { org, flow_name, trail_name };
  const root = await session.client().call(explainTrail, { params, signal: session.io.signal });
  return {
    document: root,
    root,
    title: `${flow_name}/${trail_name}`,
    remarks: [],
    fixes: fixesIn(root),
    page: session.pageOf(org, 'flows', flow_name, 'trails', trail_name),
  };
}

async function whyEnvironment(
  session: Session,
  { env_name, snapshot }: Subject & { kind: 'environment' },
  { isAll }: Asked,
): Promise<Answer> {
  const params = { org: session.need('org'), env_name };
  const query = isAll ? { all: 'true' as const } : {};
  const { signal } = session.io;
  const client = session.client();
  const document =
    snapshot === undefined
      ? await client.call(explainEnvironment, { params, query, signal })
      : await client.call(explainSnapshot, { params: { ...params, snapshot_expression: snapshot }, query, signal });
  const { stale, stale_since } = snapshot === undefined ? await client.call(getEnvironment, { params, signal }) : NOW;
  const { environment, snapshot_index, left_out, first_broke_at, first_broke_in } = document;
  const remarks = [
    first_broke_at !== null && `since ${sinceText(session, first_broke_at)}${inSnapshot(first_broke_in)}`,
    snapshot_index !== null && snapshot !== undefined && `as decided in snapshot ${snapshot_index}`,
    left_out > 0 && `${left_out} more running artifacts are not shown${isAll ? '' : '; show more with --all'}`,
    stale &&
      `Stale: the report has been overdue since ${sinceText(session, stale_since)}, so what runs there may have changed`,
  ];
  return {
    ...withActions(document),
    document,
    title: snapshot === undefined ? environment : `${environment}#${snapshot_index ?? 0}`,
    remarks: remarks.filter((remark) => typeof remark === 'string'),
    page: session.pageOf(params.org, 'environments', environment),
  };
}

const NOW = { stale: false, stale_since: null };

async function whyArtifact(session: Session, digits: string, { env }: Asked): Promise<Answer> {
  const org = session.need('org');
  const { signal } = session.io;
  const flow = await reportingFlow(session, digits, env !== undefined);
  if (flow === undefined) return whyUnreported(session, digits, env);
  const document = await session.client().call(explainArtifact, {
    params: { org, flow_name: flow, fingerprint: digits },
    query: env === undefined ? {} : { environment_name: env },
    signal,
  });
  const { root, fixes } = withActions(document);
  return {
    root: env === undefined ? root : { ...root, children: root.children.map(trailApart) },
    fixes,
    document,
    title: `${shortDigest(digits)} of flow ${flow}${env === undefined ? '' : ` in ${env}`}`,
    remarks: [],
    page: session.pageOf(org, 'artifacts', digits),
  };
}

/** The last branch is about the trail and not about the environment. */
function trailApart(child: Explanation): Explanation {
  return child.id.startsWith('trail/') ? { ...child, kind: 'trail-branch' } : child;
}

/** Policies count the evidence of all flows, so any flow that reports it is enough. */
async function reportingFlow(session: Session, sha: string, isAny: boolean): Promise<string | undefined> {
  if (!isAny || session.settings.flow !== undefined) return flowOf(session, sha);
  const params = { org: session.need('org'), sha };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  return found?.artifacts.find(({ fingerprint, flow }) => fingerprint.startsWith(sha) && flow !== '')?.flow;
}

/** It may run there all the same. */
async function whyUnreported(session: Session, fingerprint: string, env: string | undefined): Promise<Answer> {
  if (env === undefined || fingerprint.length < 64) throw unknownArtifact(fingerprint);
  const org = session.need('org');
  const document = await session.client().call(assertArtifact, {
    params: { org, fingerprint },
    query: { environment_name: env },
    signal: session.io.signal,
  });
  const root: Explanation = {
    id: 'artifact',
    kind: 'artifact',
    status: document.compliance.toUpperCase(),
    needs: `What the policies of environment '${env}' require.`,
    found: [],
    because: document.because,
    fix: null,
    since: null,
    children: [],
  };
  return {
    document,
    root,
    title: `${shortDigest(fingerprint)} in ${env}`,
    remarks: ['No flow reported it'],
    fixes: endingOf(root.status) === 'done' ? [] : ['Report it to the flow that builds it.'],
    page: session.pageOf(org, 'artifacts', fingerprint),
  };
}

interface WithActions extends Explanation {
  readonly actions: readonly {
    readonly fix: string;
    readonly artifacts: readonly { readonly name: string }[];
    readonly artifact_count: number;
  }[];
}

const HELPED_NAMED = 3;

function withActions(root: WithActions) {
  const isMany = root.kind === 'environment';
  const fixes = root.actions.map(({ fix, artifacts, artifact_count }) => {
    if (!isMany) return fix;
    const named = artifacts.slice(0, HELPED_NAMED).map(({ name }) => name);
    const left = artifact_count - named.length;
    return `${fix} (${named.join(', ')}${left > 0 ? ` and ${left} more` : ''})`;
  });
  return { root, fixes: fixes.length > 0 ? fixes : otherFixes(root) };
}

/** Where nothing judges, requirements of the trail would not help. */
function otherFixes(root: Explanation): string[] {
  if (passes(root)) return [];
  return root.status === 'UNKNOWN' ? [root.fix ?? ''].filter(Boolean) : fixesIn(root);
}

function sinceText(session: Session, seconds: number | null): string {
  if (seconds === null) return 'some time';
  const age = spanText(Math.max(0, session.io.now().getTime() / 1000 - seconds));
  return `${showTime(seconds, session)} (${age})`;
}

function inSnapshot(index: number | null): string {
  return index === null ? '' : `, snapshot ${index}`;
}
