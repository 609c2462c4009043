import type { Attestation } from '@waymark/contract';
import { counted } from '../../lib/counted.ts';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { vexOf } from './evidence.ts';
import { InMemoryPages } from './InMemoryPages.tsx';
import { PlainTable } from './PlainTable.tsx';

export function VexReader({ of }: { readonly of: Attestation }) {
  const vex = vexOf(of);
  if (!vex) return null;
  const { format, author, statement_count: count, other_statements: others, statements } = vex;
  const by = author === '' ? '' : `by ${author}`;
  return (
    <Panel title={counted(count, 'VEX statement')} note={[format, by].filter(Boolean).join(' ')}>
      {others > 0 && (
        <p className="mb-2 text-[13px] text-quiet">
          {counted(others, 'other statement')} in the document {others === 1 ? 'is' : 'are'} about other artifacts.
        </p>
      )}
      {statements.length < count && (
        <p className="mb-2 text-[13px] text-quiet">
          The first {statements.length} of {count}; the attached file has all of them.
        </p>
      )}
      {statements.length > 0 && (
        <InMemoryPages rows={statements} perPage={25} what="statements">
          {(rows) => (
            <PlainTable
              caption="VEX statements"
              head={['Vulnerability', 'Status', 'Components', 'Made']}
              rows={rows.map(({ names, status, components, justification, at }) => [
                <code key="what">{names.join(', ')}</code>,
                <div key="status">
                  <Tag>{status.replaceAll('_', ' ')}</Tag>
                  {justification && <div className="text-quiet">{justification.replaceAll('_', ' ')}</div>}
                </div>,
                components ? <code key="where">{components.join(', ')}</code> : 'The whole artifact',
                at ? <Time key="at" at={at} /> : '–',
              ])}
            />
          )}
        </InMemoryPages>
      )}
    </Panel>
  );
}
