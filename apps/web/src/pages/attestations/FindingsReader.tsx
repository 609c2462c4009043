import type { Attestation } from '@waymark/contract';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { findingsOf, LEVELS, type Level } from './evidence.ts';
import { InMemoryPages } from './InMemoryPages.tsx';
import { PlainTable } from './PlainTable.tsx';
import { ShareBar } from './ShareBar.tsx';
import { counted } from './summary.ts';

const LOOKS: Readonly<Record<Level, string>> = {
  critical: 'bg-bad',
  high: 'bg-bad-fill',
  medium: 'bg-unsure-fill',
  low: 'bg-field',
};

export function FindingsReader({ of }: { readonly of: Attestation }) {
  const found = findingsOf(of);
  if (!found) return null;
  const { counts, total, findings, tool } = found;
  return (
    <Panel title={total === 0 ? 'No findings' : counted(total, 'finding')} note={tool && `by ${tool}`}>
      <ShareBar
        label={`${LEVELS.map((level) => `${counts[level]} ${level}`).join(', ')}.`}
        shares={LEVELS.map((level) => ({ name: level, count: counts[level], look: LOOKS[level] }))}
      />
      {findings.length < total && (
        <p className="mb-2 text-[13px] text-quiet">
          {findings.length === 0
            ? 'What was found is not told one by one; look into the attached file.'
            : `The first ${findings.length} of ${total}; all are in the attached file.`}
        </p>
      )}
      {findings.length > 0 && (
        <InMemoryPages rows={findings} perPage={25} what="findings">
          {(rows) => (
            <PlainTable
              caption="Findings"
              head={['Level', 'What', 'Where']}
              rows={rows.map(({ level, id, message, location }) => [
                <Tag key="level">{level}</Tag>,
                <div key="what">
                  <code>{id}</code>
                  <div className="text-quiet">{message}</div>
                </div>,
                location === null ? '–' : <code key="where">{location}</code>,
              ])}
            />
          )}
        </InMemoryPages>
      )}
    </Panel>
  );
}
