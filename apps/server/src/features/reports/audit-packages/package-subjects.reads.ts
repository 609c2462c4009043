import type { Ctx } from '../../../platform/ctx.ts';
import type { TrailView } from '../../trails/trail.reads.ts';
import { listEvidenceIds, listJudgingTypeIds, type PackageSubject } from './ledger-subjects.reads.ts';

const OF_FLOW = ['flow.created', 'flow.auto_created', 'flow.renamed', 'flow.tagged'];

interface Scoped {
  readonly trail: Pick<TrailView['trail'], 'id' | 'revision'>;
  readonly flow: { readonly id: string; readonly revision: number };
  /** Only this attestation, and no verdict on the trail. */
  readonly attestationId?: string;
}

/** Returns what has journal entries of all that a package about a trail shows, or that its verdicts follow from. */
export async function listSubjects(ctx: Ctx, { trail, flow, attestationId }: Scoped): Promise<PackageSubject[]> {
  const all = await listEvidenceIds(ctx, trail.id);
  // Its artifacts give an attestation the name of what it is about.
  const evidence = attestationId === undefined ? all : { ...all, attestations: [attestationId], approvals: [] };
  const types = await listJudgingTypeIds(ctx, trail.id);
  return [
    { id: ctx.org, types: ['org.created'], path: 'manifest.json' },
    { id: flow.id, types: OF_FLOW, untilSeq: flow.revision, path: 'records/trail.json' },
    { id: trail.id, untilSeq: trail.revision, path: 'records/trail.json' },
    ...types.map((id) => ({ id, types: ['attestation_type.versioned'], path: 'records/types' })),
    ...evidence.artifacts.map((id) => ({ id, path: `records/artifacts/${id}.json` })),
    ...evidence.attestations.map((id) => ({ id, path: `records/attestations/${id}.json` })),
    ...evidence.approvals.map(({ id, number }) => ({ id, path: `records/approvals/${number}.json` })),
  ];
}
