import {
  type Artifact,
  type Attestation,
  getArtifact,
  getTrail,
  listAttestations,
  type Trail,
} from '@waymark/contract';
import { snapshotTime } from '../../explain/snapshot-time.ts';
import { artifactOf } from '../../explain/subject.ts';
import { flowOf } from '../../resources/references.ts';
import { shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';
import { chainOf, type Link, type Runs, type Slot, slotsOf } from './chain.ts';

/** The number of attestations shown in detail. */
const ATTESTATIONS_READ = 50;
const RUNS_SHOWN = 50;

export const command = defineCommand({
  description:
    'Shows what is recorded about each step: ticket, commit, review, build, tests and scans, artifact, and where it ' +
    'runs. ┄ marks a required or usual step that is missing.',
  examples: [
    { say: 'By the digits of a fingerprint', run: 'waymark trace 8f05d73' },
    { say: 'A local file', run: 'waymark trace ./dist/app.tgz' },
    { say: 'For a ticket', run: 'waymark trace oci://ghcr.io/acme/web:1.9.1 -o markdown' },
  ],
  settings: ['flow'],
  build: (command) => command.argument('<artifact>', 'a fingerprint or its first 5 digits, a path, or oci://IMAGE'),
  async run(session, [what]) {
    const org = session.need('org');
    const digits = await artifactOf(session, what);
    const flow = await flowOf(session, digits);
    const artifact = await readArtifact(session, flow, digits);
    const trail = await readTrail(session, artifact);
    const slots = slotsOf(artifact, trail);
    const links = chainOf(
      artifact,
      trail,
      slots,
      await readAttestations(session, slots),
      await readRuns(session, artifact.running.slice(0, RUNS_SHOWN)),
    );
    const { flow_name, trail_name, fingerprint, state } = artifact;
    return {
      data: links,
      text: `${oneLine(`${flow_name}/${trail_name}`)} is ${state.toLowerCase()} for it; 'waymark why ${shortDigest(fingerprint)}' shows why`,
      rows: rowsOf({
        items: links,
        columns: [
          {
            title: '',
            of: ({ state }) => SIGNS[state],
            format: (sign, { state }, style) => STYLES[state](style)(sign),
          },
          { title: 'step', of: ({ step }) => step },
          { title: 'time', of: ({ at }) => showTime(at, session) },
          { title: 'details', of: ({ what }) => what },
        ],
        name: ({ step }) => step,
        none: '',
      }),
      page: session.pageOf(org, 'artifacts', fingerprint),
    };
  },
});

const SIGNS: Readonly<Record<Link['state'], string>> = { recorded: '✓', passed: '✓', failed: '✕', missing: '┄' };

const STYLES: Readonly<Record<Link['state'], (style: Style) => (text: string) => string>> = {
  recorded: (style) => style.good,
  passed: (style) => style.good,
  failed: (style) => style.bad,
  missing: (style) => style.doubtful,
};

function readArtifact(session: Session, flow_name: string, fingerprint: string): Promise<Artifact> {
  const params = { org: session.need('org'), flow_name, fingerprint };
  return session.client().call(getArtifact, { params, signal: session.io.signal });
}

function readTrail(session: Session, { flow_name, trail_name }: Artifact): Promise<Trail> {
  const params = { org: session.need('org'), flow_name, trail_name };
  return session.client().call(getTrail, { params, signal: session.io.signal });
}

async function readAttestations(session: Session, slots: readonly Slot[]): Promise<Map<string, Attestation>> {
  const ids = slots.flatMap(({ attestation_id }) => attestation_id ?? []).slice(0, ATTESTATIONS_READ);
  const found = new Map<string, Attestation>();
  for (const attestation_id of ids) {
    const { data } = await session.client().call(listAttestations, {
      params: { org: session.need('org') },
      query: { attestation_id },
      signal: session.io.signal,
    });
    for (const attestation of data) found.set(attestation_id, attestation);
  }
  return found;
}

async function readRuns(session: Session, running: Artifact['running']): Promise<Runs[]> {
  const runs: Runs[] = [];
  for (const { environment_name, snapshot_index } of running) {
    const since = await snapshotTime(session, environment_name, snapshot_index);
    runs.push({ environment_name, snapshot_index, since });
  }
  return runs;
}
