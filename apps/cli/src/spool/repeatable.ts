import type { Contract } from '@waymark/contract';
import type { Spooled } from './spooled.ts';

/** Whether an operation can be repeated without a second effect. Only such operations may be spooled. */
export function isRepeatable(contract: Contract): boolean {
  return contract.method === 'PUT' || takesEvidenceId(contract);
}

export function takesEvidenceId({ headers }: Contract): boolean {
  return headers !== undefined && 'waymark-evidence-id' in headers.shape;
}

export function evidenceHeaders({ id, claimedAt }: Pick<Spooled, 'id' | 'claimedAt'>) {
  return { 'waymark-evidence-id': id, 'waymark-claimed-at': (Date.parse(claimedAt) / 1000).toFixed(3) };
}
