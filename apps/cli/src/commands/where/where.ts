import { type Artifact, getArtifact, listEnvironments } from '@waymark/contract';
import { snapshotTime } from '../../explain/snapshot-time.ts';
import { shortDigest } from '../../resources/show.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';
import { type FoundArtifact, findArtifacts } from './find-artifacts.ts';

export const command = defineCommand({
  description:
    'Shows where it runs and since when, where it ran and until when, and where it never ran. For a ticket or the ' +
    'URL of a pull request, searches the newest Jira and pull request attestations and the newest trails.',
  examples: [
    { say: 'A commit', run: 'waymark where 9f14efa' },
    { say: 'A ticket', run: 'waymark where SHOP-812' },
    { say: 'An image', run: 'waymark where oci://ghcr.io/acme/web:1.9.1' },
  ],
  build: (command) =>
    command.argument(
      '<what>',
      'a commit or fingerprint or its first 5 digits, a path, oci://IMAGE, a ticket, or the URL of a pull request',
    ),
  async run(session, [what]) {
    if (what.trim() === '') throw usageError('WHAT is empty', 'Use a commit, an artifact, or a ticket');
    const org = session.need('org');
    const found = await findArtifacts(session, what);
    if (found.length === 0) {
      throw new CliError('notFound', `No recorded artifact comes from '${what}'`, {
        fix: "Check that the artifact was reported, or try 'waymark search'",
      });
    }
    const places = await placesOf(session, found);
    const never = places.filter(({ state }) => state === 'never');
    return {
      data: places,
      rows: rowsOf({
        items: places,
        columns: [
          {
            title: 'state',
            of: ({ state }) => WORDS[state],
            format: (text, { state }, style) => SIGNS[state](style, text),
          },
          { title: 'environment', of: ({ environment_name }) => environment_name },
          { title: 'since', of: ({ since }) => showTime(since, session) },
          { title: 'snapshot', of: ({ snapshot_index }) => (snapshot_index === null ? '' : `#${snapshot_index}`) },
          { title: 'artifact', of: ({ artifact_name }) => artifact_name },
          { title: 'fingerprint', of: ({ fingerprint }) => shortDigest(fingerprint) },
          { title: 'commit', of: ({ git_commit }) => shortDigest(git_commit) },
          { title: 'flow', of: ({ flow_name }) => flow_name, wide: true },
        ],
        name: ({ environment_name }) => environment_name,
        none: `The artifact is recorded, but there are no environments yet. Create one with 'waymark env create'.`,
      }),
      ...(never.length > 0 && {
        text: `Check whether it can run there: 'waymark why ${shortDigest(found[0]?.fingerprint)} --env ${never[0]?.environment_name}'`,
      }),
      page: session.pageOf(org, 'artifacts', found[0]?.fingerprint ?? ''),
    };
  },
});

type State = 'running' | 'exited' | 'never';

const WORDS: Readonly<Record<State, string>> = { running: 'running', exited: 'exited', never: 'not yet' };

const SIGNS: Readonly<Record<State, (style: Style, text: string) => string>> = {
  running: (style, text) => style.good(`✓ ${text}`),
  exited: (style, text) => style.faint(`✕ ${text}`),
  never: (style, text) => style.faint(`┄ ${text}`),
};

interface Place {
  readonly state: State;
  readonly environment_name: string;
  /** When it started there, or left. */
  readonly since: number | null;
  readonly snapshot_index: number | null;
  readonly artifact_name: string | null;
  readonly fingerprint: string | null;
  readonly git_commit: string | null;
  readonly flow_name: string | null;
}

async function placesOf(session: Session, found: readonly FoundArtifact[]): Promise<Place[]> {
  const artifacts: Artifact[] = [];
  for (const { flow, fingerprint } of found) artifacts.push(await artifactOf(session, flow, fingerprint));
  const running = await placed(session, artifacts, 'running');
  const names = new Set(running.map(({ environment_name }) => environment_name));
  const exited = (await placed(session, artifacts, 'exited')).filter(
    ({ environment_name }) => !names.has(environment_name),
  );
  for (const { environment_name } of exited) names.add(environment_name);
  return [...running, ...exited, ...(await neverIn(session, names))];
}

function artifactOf(session: Session, flow_name: string, fingerprint: string): Promise<Artifact> {
  const params = { org: session.need('org'), flow_name, fingerprint };
  return session.client().call(getArtifact, { params, signal: session.io.signal });
}

async function placed(session: Session, artifacts: readonly Artifact[], state: 'running' | 'exited'): Promise<Place[]> {
  const places = new Map<string, Place>();
  for (const artifact of artifacts) {
    const { filename, fingerprint, git_commit, flow_name } = artifact;
    for (const { environment_name, snapshot_index } of artifact[state]) {
      const key = `${environment_name} ${fingerprint}`;
      // The same artifact of two flows runs once.
      if (places.has(key)) continue;
      places.set(key, {
        state,
        environment_name,
        since: await snapshotTime(session, environment_name, snapshot_index),
        snapshot_index,
        artifact_name: filename,
        fingerprint,
        git_commit,
        flow_name,
      });
    }
  }
  return [...places.values()];
}

/** A logical environment runs what its members run. */
async function neverIn(session: Session, known: ReadonlySet<string>): Promise<Place[]> {
  const places: Place[] = [];
  const environments = session
    .client()
    .items(listEnvironments, { params: { org: session.need('org') }, signal: session.io.signal });
  for await (const { name, type } of environments) {
    if (known.has(name) || type === 'logical') continue;
    places.push({ ...NOWHERE, environment_name: name });
  }
  return places;
}

const NOWHERE = {
  state: 'never',
  since: null,
  snapshot_index: null,
  artifact_name: null,
  fingerprint: null,
  git_commit: null,
  flow_name: null,
} as const;
