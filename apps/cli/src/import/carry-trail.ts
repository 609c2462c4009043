import { beginTrail, getTrail } from '@waymark/contract';
import { unlessMissing } from '../resources/unless-missing.ts';
import { carryArtifact } from './carry-artifact.ts';
import { carryAttestation } from './carry-attestation.ts';
import { attempt, type ImportRun } from './import-run.ts';
import type { SourceFlow, SourceTrail } from './source-contracts.ts';
import type { Item } from './tally.ts';
import { openTargetTrail, type TargetTrail } from './target-trail.ts';
import { trailContent, trailDifferences } from './trail-content.ts';
import { type TrailEntry, trailEntries } from './trail-entries.ts';

/** Begins the trail and carries what was reported into it, oldest first. */
export async function carryTrail(run: ImportRun, flow: SourceFlow, name: string): Promise<void> {
  const { state, source } = run;
  const key = `trail ${name}`;
  const trail = await source.trail(flow.name, name);
  if (!trail) {
    const reason = 'It was deleted at the source while the import ran';
    state.record(key, [{ kind: 'trail', name: `${flow.name}/${name}`, outcome: 'not_carried', reason }]);
    return;
  }
  const into = openTargetTrail(run, flow.name, name);
  if (state.isDone(`begun ${name}`)) into.compareContents();
  else {
    const begun = await attempt(run, 'trail', into.name, () => begin(run, flow, trail, into));
    // Without its trail, what is in it would be judged by a template that it was not reported under.
    if (begun.some(({ outcome }) => outcome === 'failed')) return state.record(key, begun);
    state.record(`begun ${name}`, begun);
  }
  for (const entry of await trailEntries(source, flow.name, trail)) await carryEntry(run, into, entry);
  state.record(key);
}

async function begin(run: ImportRun, flow: SourceFlow, trail: SourceTrail, into: TargetTrail): Promise<Item[]> {
  const { client, org, signal } = run.target;
  const params = { org, flow_name: flow.name };
  const existing = await unlessMissing(
    client.call(getTrail, { params: { ...params, trail_name: trail.name }, signal }),
  );
  const item = { kind: 'trail', name: into.name } as const;
  if (existing) {
    into.compareContents();
    const different = trailDifferences(trail, existing);
    if (different.length === 0) return [{ ...item, outcome: 'already_there' }];
    const reason = `The target has a trail of this name with another ${different.join(', ')}; the import did not change it`;
    return [{ ...item, outcome: 'not_carried', reason }];
  }
  if (!run.isDryRun) await client.call(beginTrail, { params, body: trailContent(run.source, trail), signal });
  return [{ ...item, outcome: 'carried' }];
}

async function carryEntry(run: ImportRun, into: TargetTrail, entry: TrailEntry): Promise<void> {
  if (entry.kind === 'artifact') return carryArtifact(run, into, entry.fingerprint);
  if (entry.kind === 'attestation') return carryAttestation(run, into, entry.id);
  const key = `attestation approval ${entry.of}`;
  if (run.state.isDone(key)) return;
  const reason = 'Approvals cannot be read in full: the public client has no command for them';
  const name = `${into.name} ${entry.of}`.trim();
  run.state.record(key, [{ kind: 'approval', name, outcome: 'not_carried', reason }]);
}
