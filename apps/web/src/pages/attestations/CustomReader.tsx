import { type Attestation, getAttestationType } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { Facts, Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { customOf } from './evidence.ts';
import { JsonView } from './JsonView.tsx';
import { PlainTable } from './PlainTable.tsx';

export function CustomReader({ of }: { readonly of: Attestation }) {
  const name = of.attestation_type.replace(/^custom:/, '');
  const { data: type } = useRead(getAttestationType, {
    params: { org: of.org, name },
    query: of.type_version === null ? {} : { version: of.type_version },
  });
  const judged = customOf(of);
  const rules = judged?.rules ?? [];
  return (
    <Panel
      title={`Type ${name}${of.type_version === null ? '' : `, version ${of.type_version}`}`}
      note={type?.description}
    >
      {judged && judged.summary.length > 0 && (
        <Facts rows={judged.summary.map(({ name: row, value }) => [row, shown(value)] as const)} />
      )}
      <h3 className="mt-3 mb-1 font-semibold">Rules</h3>
      {rules.length === 0 ? (
        <p className="text-quiet">The type has no rules: data that matches its schema is compliant.</p>
      ) : (
        <PlainTable
          caption="Rules of the type"
          head={['Rule', 'Result', 'Reason']}
          rows={rules.map(({ rule, passed, because }) => [
            <code key="rule">{rule}</code>,
            <StateBadge
              key="holds"
              state={passed ? 'compliant' : 'non-compliant'}
              word={passed ? 'Passes' : 'Fails'}
            />,
            because || '–',
          ])}
        />
      )}
      <h3 className="mt-3 mb-1 font-semibold">Data</h3>
      <JsonView value={of.attestation_data} what="data" />
    </Panel>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
