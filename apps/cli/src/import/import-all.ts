import { counted } from '../run/counted.ts';
import { carryLooseArtifact } from './carry-artifact.ts';
import { carryEnvironments } from './carry-environments.ts';
import { carryFlow } from './carry-flow.ts';
import { carryTrail } from './carry-trail.ts';
import { carryTypes } from './carry-types.ts';
import { attempt, type ImportRun } from './import-run.ts';
import { secondsOf } from './original.ts';
import type { SourceFlow } from './source-contracts.ts';

const PROGRESS_EVERY_MS = 5_000;

/** Carries everything, in the order in which one thing refers to another. */
export async function importAll(run: ImportRun, now: () => Date): Promise<void> {
  run.say(`Importing from ${run.source.org} at ${run.source.host}`);
  await carryTypes(run);
  for await (const flow of run.source.flows()) {
    if (!run.state.isDone(`flow ${flow.name}`)) await importFlow(run, flow, now);
  }
  run.say('Environments');
  await carryEnvironments(run);
}

async function importFlow(run: ImportRun, flow: SourceFlow, now: () => Date): Promise<void> {
  const { state, source } = run;
  if (!state.isDone(`created ${flow.name}`)) {
    const items = await attempt(run, 'flow', flow.name, () => carryFlow(run, flow));
    // The next run tries again; nothing can be reported into a flow that does not exist.
    if (items.some(({ outcome }) => outcome === 'failed')) return state.record(`flow ${flow.name}`, items);
    state.record(`created ${flow.name}`, items);
  }
  const trails = await trailNames(run, flow.name);
  run.say(`Flow ${flow.name}: ${counted(trails.length, 'trail')}`);
  let progressAt = now().getTime();
  for (const [at, name] of trails.entries()) {
    if (now().getTime() - progressAt >= PROGRESS_EVERY_MS) {
      run.say(`  ${at} of ${trails.length}`);
      progressAt = now().getTime();
    }
    if (!state.isDone(`trail ${name}`)) await carryTrail(run, flow, name);
  }
  for await (const { fingerprint, trail_name: trail } of source.artifacts(flow.name)) {
    if (!trail) await carryLooseArtifact(run, flow.name, fingerprint);
  }
  state.record(`flow ${flow.name}`);
}

/**
 * Oldest first, so that the newest trail of the source becomes the newest of the target. Only names are kept: those of
 * 100,000 trails take about 20 MB.
 */
async function trailNames({ source }: ImportRun, flow: string): Promise<string[]> {
  const trails: { name: string; at: number }[] = [];
  for await (const { name, created_at } of source.trails(flow)) trails.push({ name, at: secondsOf(created_at) ?? 0 });
  // A source lists the newest first: that decides between trails of the same time.
  return [
    ...new Set(
      trails
        .reverse()
        .toSorted((a, b) => a.at - b.at)
        .map(({ name }) => name),
    ),
  ];
}
