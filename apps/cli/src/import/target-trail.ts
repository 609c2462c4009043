import { listTrailAttestations } from '@waymark/contract';
import { unlessMissing } from '../resources/unless-missing.ts';
import type { ImportRun } from './import-run.ts';
import type { SourceAttestation } from './source-contracts.ts';

/** The trail of the target that evidence is carried into, and what is known to be there. */
export interface TargetTrail {
  readonly flow: string;
  readonly trail: string;
  /** Both, for people. */
  readonly name: string;
  /** It was there before, so what it holds has to be compared. */
  compareContents(): void;
  readonly hasContents: boolean;
  /** The attestations that were there under this name, oldest first. Each call returns the same list. */
  attestations(name: string): Promise<SourceAttestation[]>;
  /** Those that are there now. */
  attestationsNow(name: string): Promise<SourceAttestation[]>;
}

export function openTargetTrail({ target }: ImportRun, flow: string, trail: string): TargetTrail {
  const { client, org, signal } = target;
  const known = new Map<string, Promise<SourceAttestation[]>>();
  const read = async (name: string) => {
    const params = { org, flow_name: flow, trail_name: trail, attestation_name: name };
    const found: SourceAttestation[] = [];
    const listed = async () => {
      for await (const one of client.items(listTrailAttestations, { params, signal })) found.push(one);
    };
    await unlessMissing(listed());
    return found.reverse();
  };
  let hasContents = false;
  return {
    flow,
    trail,
    name: `${flow}/${trail}`,
    compareContents: () => {
      hasContents = true;
    },
    get hasContents() {
      return hasContents;
    },
    attestations: (name) => {
      const reading = known.get(name) ?? read(name);
      known.set(name, reading);
      return reading;
    },
    attestationsNow: read,
  };
}
