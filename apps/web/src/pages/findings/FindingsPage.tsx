import { type FoundFindings, searchFindings } from '@waymark/contract';
import { z } from 'zod';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { Select } from '../../ui/Fields.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CursorPager } from '../../ui/Pager.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { FindingsForm } from './FindingsForm.tsx';
import { FindingsTable } from './FindingsTable.tsx';

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'unknown'] as const;
const ALL = 'all';
const PER_PAGE = 50;

const Search = z.object({
  id: z.string().optional(),
  component: z.string().optional(),
  attestation: z.string().optional(),
  severity: z.enum(SEVERITIES).optional(),
  after: z.string().optional(),
});

/** The findings of scans and SBOMs: of a vulnerability, in a component, or of one attestation. */
export function FindingsPage() {
  const org = useOrg();
  const [{ id, component, attestation, severity, after }, change] = useSearchState(Search);
  const wanted = id ?? component ?? '';
  const query = attestation ? { attestation_id: attestation } : component === undefined ? { id } : { component };
  const isAsked = attestation !== undefined || wanted !== '';
  const answer = useRead(
    searchFindings,
    { params: { org }, query: { ...query, severity, after, per_page: PER_PAGE } },
    { enabled: isAsked },
  );
  return (
    <>
      <PageHead title="Findings" note="What scanners found, by vulnerability, component, or attestation." />
      <FindingsForm
        key={wanted}
        wanted={wanted}
        onAsk={(asked) =>
          change({ id: undefined, component: undefined, attestation: undefined, ...asked, after: undefined })
        }
      />
      {isAsked ? (
        <Loaded of={answer}>
          {(page) => (
            <Panel
              flush
              title={titleOf(attestation === undefined, page, wanted)}
              actions={
                <Select
                  label="Severity"
                  hideLabel
                  value={severity ?? ALL}
                  onChange={(value) => change({ severity: SEVERITIES.find((one) => one === value), after: undefined })}
                  choices={[
                    { id: ALL, label: 'All severities' },
                    ...SEVERITIES.map((one) => ({ id: one, label: WORDS[one] })),
                  ]}
                />
              }
            >
              {page.data.length === 0 && page.pagination.next !== null ? (
                <Notice kind="info">None on this page. Go to the next page.</Notice>
              ) : (
                <FindingsTable
                  rows={page.data}
                  hasScan={attestation === undefined}
                  empty={
                    <Empty title="No findings match">
                      Check the spelling of the ID or the package URL, or select all severities.
                    </Empty>
                  }
                />
              )}
              <CursorPager after={after} next={page.pagination.next} onMove={(next) => change({ after: next })} />
            </Panel>
          )}
        </Loaded>
      ) : (
        <Panel>
          <Empty title="No vulnerability or component selected" command={`waymark search CVE-2026-1 --org ${org}`}>
            Enter the ID of a vulnerability, or a package URL. On the command line:
          </Empty>
        </Panel>
      )}
    </>
  );
}

const WORDS: Readonly<Record<(typeof SEVERITIES)[number], string>> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  unknown: 'Not rated',
};

function titleOf(isSearch: boolean, { data: [first] }: FoundFindings, wanted: string): string {
  if (isSearch) return wanted;
  return first ? `${first.attestation_name} in trail ${first.trail_name}` : 'Attestation';
}
