import type { Attestation } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { JsonView } from './JsonView.tsx';

export function DecisionReader({ of }: { readonly of: Attestation }) {
  return (
    <Panel title="Control decision">
      <p className="mb-3">
        {of.control !== null && (
          <>
            {of.reported_by} decided that control{' '}
            <Link href={paths.control(of.org, of.control)} className="underline">
              {of.control}
            </Link>{' '}
            {of.is_compliant ? 'is satisfied' : 'is not satisfied'}.
          </>
        )}
      </p>
      <JsonView value={of.attestation_data} what="data" />
    </Panel>
  );
}
