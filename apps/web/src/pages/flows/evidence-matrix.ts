import type { Trail } from '@waymark/contract';
import type { SlotStatus } from '../../pictures/evidence-chain-reasons.ts';

export type CellState = 'passes' | 'overridden' | 'fails' | 'missing' | 'not required';

export interface MatrixColumn {
  readonly key: string;
  /** The template's name of the artifact; empty for the trail as a whole. */
  readonly artifact: string;
  /** Empty for the artifact itself. */
  readonly evidence: string;
}

export interface MatrixCell {
  readonly state: CellState;
  readonly attestationId: string | null;
  readonly fingerprint: string | null;
}

export interface Matrix {
  readonly columns: readonly MatrixColumn[];
  readonly rows: readonly { readonly trail: Trail; readonly cells: readonly MatrixCell[] }[];
}

const NOT_ASKED: MatrixCell = { state: 'not required', attestationId: null, fingerprint: null };

/** Trails against what their templates require. A trail that began under another template does not need the rest. */
export function matrixOf(trails: readonly Trail[]): Matrix {
  const columns = new Map<string, MatrixColumn>();
  const rows = trails.map((trail) => {
    const cells = new Map<string, MatrixCell>();
    const put = (artifact: string, evidence: string, cell: MatrixCell) => {
      const key = `${artifact}/${evidence}`;
      columns.set(key, { key, artifact, evidence });
      cells.set(key, cell);
    };
    for (const slot of required(trail.compliance_status.attestations_statuses))
      put('', slot.attestation_name, cellOf(slot));
    for (const [name, artifact] of Object.entries(trail.compliance_status.artifacts_statuses)) {
      if (artifact.unexpected) continue;
      const fingerprint = artifact.artifact_fingerprint;
      put(name, '', { state: fingerprint === null ? 'missing' : 'passes', attestationId: null, fingerprint });
      for (const slot of required(artifact.attestations_statuses)) put(name, slot.attestation_name, cellOf(slot));
    }
    return { trail, cells };
  });
  const ordered = grouped([...columns.values()]);
  return {
    columns: ordered,
    rows: rows.map(({ trail, cells }) => ({ trail, cells: ordered.map(({ key }) => cells.get(key) ?? NOT_ASKED) })),
  };
}

function required(slots: readonly SlotStatus[]): readonly SlotStatus[] {
  return slots.filter(({ unexpected }) => !unexpected);
}

function cellOf({ status, is_compliant, overridden_attestation_id, attestation_id }: SlotStatus): MatrixCell {
  const filled = is_compliant !== true ? 'fails' : overridden_attestation_id === null ? 'passes' : 'overridden';
  return { state: status === 'MISSING' ? 'missing' : filled, attestationId: attestation_id, fingerprint: null };
}

/** Columns of one artifact stay together, even when an older trail adds one of them later. */
function grouped(columns: readonly MatrixColumn[]): readonly MatrixColumn[] {
  const artifacts = [...new Set(columns.map(({ artifact }) => artifact))];
  return artifacts
    .sort((one, other) => Number(one !== '') - Number(other !== ''))
    .flatMap((artifact) => columns.filter((column) => column.artifact === artifact));
}

/** The number of columns below each heading. */
export function headingsOf(
  columns: readonly MatrixColumn[],
): readonly { readonly artifact: string; readonly span: number }[] {
  const names = [...new Set(columns.map(({ artifact }) => artifact))];
  return names.map((artifact) => ({
    artifact,
    span: columns.filter((column) => column.artifact === artifact).length,
  }));
}
