import type { Attestation } from '@waymark/contract';
import { Panel } from '../../ui/Panel.tsx';
import { isBlank, JsonView } from './JsonView.tsx';

/** The reporter's own claim: it has nothing that the service could evaluate. */
export function GenericReader({ of }: { readonly of: Attestation }) {
  return (
    <Panel title="What was reported">
      <p className="mb-2">
        {of.reported_by} says that it is {of.is_compliant ? 'compliant' : 'not compliant'}.
      </p>
      {!isBlank(of.attestation_data) && <JsonView value={of.attestation_data} what="data" />}
    </Panel>
  );
}
