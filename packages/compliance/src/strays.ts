import type { Slot } from './fill-slots.ts';
import { shortFingerprint } from './in-words.ts';
import type { FilledSubject } from './line-up.ts';
import type { Report } from './report.ts';

/** A report under the name of a slot, but for another target. */
export interface Stray {
  readonly report: Report;
  /** In words, such as "on the trail". */
  readonly where: string;
  readonly ofEarlierBuild: boolean;
}

/** By the name of the attestation. */
export type StraysByName = ReadonlyMap<string, Stray>;

export interface Strays {
  readonly onTrail: StraysByName;
  readonly onArtifacts: StraysByName;
  /** By the name of the artifact. */
  readonly onEarlierBuilds: ReadonlyMap<string, StraysByName>;
}

/** At the other level only extras: a report that fills a slot is where it belongs. */
export function findStrays(slotsOfTrail: readonly Slot[], subjects: readonly FilledSubject[]): Strays {
  const onTrail = new Map<string, Stray>();
  const onArtifacts = new Map<string, Stray>();
  const onEarlierBuilds = new Map<string, Map<string, Stray>>();
  for (const report of slotsOfTrail.flatMap(extraOf)) keep(onTrail, report, 'on the trail', false);
  for (const { name, artifact, slots, unexpected, superseded } of subjects) {
    if (!superseded) {
      for (const report of slots.flatMap(extraOf)) keep(onArtifacts, report, `on artifact '${name}'`, false);
    } else if (!unexpected && artifact !== null) {
      const where = `for an earlier build of '${name}' (fingerprint ${shortFingerprint(artifact.fingerprint)})`;
      const ofThatName = onEarlierBuilds.get(name) ?? new Map<string, Stray>();
      for (const { report } of slots) keep(ofThatName, report, where, true);
      onEarlierBuilds.set(name, ofThatName);
    }
  }
  return { onTrail, onArtifacts, onEarlierBuilds };
}

function extraOf({ required, report }: Slot): Report[] {
  return required === null ? [report] : [];
}

/** The newest of each name. */
function keep(strays: Map<string, Stray>, report: Report | null, where: string, ofEarlierBuild: boolean): void {
  if (report === null) return;
  const { name, receipt } = report.attestation;
  const newest = strays.get(name)?.report.attestation.receipt;
  if (newest === undefined || receipt > newest) strays.set(name, { report, where, ofEarlierBuild });
}
