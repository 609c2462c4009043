import type { Erasure } from '@waymark/contract';
import { Tag } from '../../ui/Panel.tsx';

/** The mark of an attestation whose content was erased, wherever it is listed. */
export function ErasedTag({ of }: { readonly of: Erasure | undefined }) {
  return of && <Tag title={`Erased by ${of.erased_by}: ${of.reason}`}>content erased</Tag>;
}
