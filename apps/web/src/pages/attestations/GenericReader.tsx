import type { Attestation } from '@waymark/contract';
import { Panel } from '../../ui/Panel.tsx';
import { isBlank, JsonView } from './JsonView.tsx';

/** The reporter's own claim: it has nothing that the service could evaluate. */
export function GenericReader({ of }: { readonly of: Attestation }) {
  return (
    <Panel title="Result">
      <p className="mb-2">
        Reported as {of.is_compliant ? 'compliant' : 'non-compliant'} by {of.reported_by}.
      </p>
      {!isBlank(of.attestation_data) && <JsonView value={of.attestation_data} what="data" />}
    </Panel>
  );
}
