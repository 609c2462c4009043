import { type ComponentDiff, diffComponents } from '@waymark/contract';
import { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { Digits } from '../../ui/Copy.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { CursorPager } from '../../ui/Pager.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { DiffForm } from './DiffForm.tsx';
import { DiffTable } from './DiffTable.tsx';

const Kind = z.enum(['added', 'removed', 'version', 'license']);

const Search = z.object({
  from: z.string().optional(),
  to: z.string().optional(),
  kind: Kind.optional(),
  after: z.string().optional(),
});

const PER_PAGE = 100;
const ALL = 'all';

const WORDS: Readonly<Record<z.infer<typeof Kind>, string>> = {
  added: 'Added',
  removed: 'Removed',
  version: 'Other versions',
  license: 'Other licenses',
};

/** What changed between the SBOMs of two artifacts. */
export function ComponentDiffPage() {
  const org = useOrg();
  const [{ from = '', to = '', kind, after }, change] = useSearchState(Search);
  const isAsked = isFingerprint(from) && isFingerprint(to);
  const answer = useRead(
    diffComponents,
    { params: { org }, query: { from, to, kind, after, per_page: PER_PAGE } },
    { enabled: isAsked },
  );
  return (
    <>
      <PageHead
        title="Compare components"
        crumbs={[{ href: paths.components(org), label: 'Components' }]}
        note="Components that two artifacts do not share, according to their SBOMs."
      />
      <DiffForm
        key={`${from} ${to}`}
        from={from}
        to={to}
        onAsk={(asked) => change({ ...asked, kind: undefined, after: undefined })}
      />
      {!isAsked ? (
        <Panel>
          <Empty title="No artifacts selected" command={`waymark component diff 9f14efa 8f05d73 --org ${org}`}>
            Enter two fingerprints. On the command line, their first digits are enough:
          </Empty>
        </Panel>
      ) : (
        <Loaded of={answer}>
          {(diff) => (
            <div className="space-y-4">
              <Sides of={diff} />
              <Panel
                flush
                title="Changes"
                note={`${diff.counts.unchanged.toLocaleString('en')} unchanged`}
                actions={
                  <Select
                    label="Kind of change"
                    hideLabel
                    value={kind ?? ALL}
                    choices={choicesOf(diff)}
                    onChange={(id) => change({ kind: id === ALL ? undefined : Kind.parse(id), after: undefined })}
                  />
                }
              >
                <DiffTable
                  rows={diff.data}
                  empty={<Empty title={kind === undefined ? 'No component changed' : 'No changes of this kind'} />}
                />
                <CursorPager after={after} next={diff.pagination.next} onMove={(next) => change({ after: next })} />
              </Panel>
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

function isFingerprint(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function choicesOf({ counts }: ComponentDiff) {
  const { added, removed, version, license } = counts;
  const total = added + removed + version + license;
  return [
    { id: ALL, label: `All changes (${total.toLocaleString('en')})` },
    ...Kind.options.map((id) => ({ id, label: `${WORDS[id]} (${counts[id].toLocaleString('en')})` })),
  ];
}

function Sides({ of: { from, to } }: { readonly of: ComponentDiff }) {
  const org = useOrg();
  const missing = [from, to].filter(({ has_sbom }) => !has_sbom);
  const side = ({ fingerprint, component_count }: ComponentDiff['from']) => (
    <span>
      <Link href={paths.anyArtifact(org, fingerprint)}>{component_count.toLocaleString('en')} components</Link>{' '}
      <Digits text={fingerprint} what="fingerprint" />
    </span>
  );
  return (
    <>
      {missing.length > 0 && (
        <Notice
          kind="unsure"
          title={missing.length === 2 ? 'Neither artifact has an SBOM' : 'One artifact has no SBOM'}
        >
          What it contains is not known, so the comparison says nothing.
        </Notice>
      )}
      <Panel title="Artifacts">
        <Facts
          rows={[
            ['From', side(from)],
            ['To', side(to)],
          ]}
        />
      </Panel>
    </>
  );
}
