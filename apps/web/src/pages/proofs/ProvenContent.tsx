import type { LedgerProof } from '@waymark/transparency';
import { JsonView } from '../attestations/JsonView.tsx';

/** What was recorded, as the proof itself has it: nothing else of the server was read for it. */
export function ProvenContent({ of: { entry } }: { readonly of: LedgerProof }) {
  const { leaf, actorName, payload } = entry;
  const value = { ...leaf, actor_name: actorName, payload: payload === null ? null : (JSON.parse(payload) as unknown) };
  return (
    <details>
      <summary className="mb-2 cursor-pointer text-quiet hover:text-ink">Proven entry</summary>
      <JsonView value={value} what="proven entry" />
    </details>
  );
}
