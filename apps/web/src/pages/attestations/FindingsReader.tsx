import type { Attestation } from '@waymark/contract';
import { counted } from '../../lib/counted.ts';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { Panel, Tag } from '../../ui/Panel.tsx';
import { findingsOf, LEVELS, type Level } from './evidence.ts';
import { InMemoryPages } from './InMemoryPages.tsx';
import { PlainTable } from './PlainTable.tsx';
import { ShareBar } from './ShareBar.tsx';

const TONES: Readonly<Record<Level, string>> = {
  error: 'bg-bad-fill',
  warning: 'bg-unsure-fill',
  note: 'bg-field',
};

const SET_BY: Readonly<Record<string, string>> = {
  default: 'the default',
  org: 'set by the org',
  template: 'set by the flow template',
  request: 'set by the reporter',
};

export function FindingsReader({ of }: { readonly of: Attestation }) {
  const org = useOrg();
  const found = findingsOf(of);
  if (!found) return null;
  const { counts, total, findings, tool, threshold } = found;
  const hasLocations = findings.some(({ location }) => location !== null);
  return (
    <Panel title={total === 0 ? 'No findings' : counted(total, 'finding')} note={tool && `by ${tool}`}>
      <ShareBar
        label={`${LEVELS.map((level) => counted(counts[level], level)).join(', ')}.`}
        shares={LEVELS.map((level) => ({ name: level, count: counts[level], tone: TONES[level] }))}
      />
      {threshold && (
        <p className="mb-2 text-[13px] text-quiet">
          Fails at level {threshold.fails_at} or worse ({SET_BY[threshold.set_by] ?? threshold.set_by}).
        </p>
      )}
      {total > 0 && (
        <p className="mb-2 text-[13px] no-print">
          <Link className="underline" href={paths.findings(org, { attestation: of.attestation_id })}>
            Components, fixed versions, and VEX
          </Link>
        </p>
      )}
      {findings.length < total && (
        <p className="mb-2 text-[13px] text-quiet">
          {findings.length === 0
            ? 'The attached file lists the findings.'
            : `The first ${findings.length} of ${total}; the attached file has all of them.`}
        </p>
      )}
      {findings.length > 0 && (
        <InMemoryPages rows={findings} perPage={25} what="findings">
          {(rows) => (
            <PlainTable
              caption="Findings"
              head={['Level', 'Finding', ...(hasLocations ? ['Location'] : [])]}
              rows={rows.map(({ level, id, message, location }) => [
                <Tag key="level">{level}</Tag>,
                <div key="what">
                  <code>{id}</code>
                  <div className="text-quiet">{message}</div>
                </div>,
                ...(hasLocations ? [location === null ? '–' : <code key="where">{location}</code>] : []),
              ])}
            />
          )}
        </InMemoryPages>
      )}
    </Panel>
  );
}
