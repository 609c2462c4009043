import { z } from 'zod';
import { useOrg, useSearchState } from '../../../lib/route.ts';
import { SearchBox, Select } from '../../../ui/Fields.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { ArtifactResults, AttestationResults, TrailResults } from './PackageResults.tsx';
import { PeriodReport } from './PeriodReport.tsx';

const Search = z.object({
  what: z.enum(['trail', 'artifact', 'attestation']).default('trail'),
  q: z.string().max(200).optional(),
});
type What = z.output<typeof Search>['what'];

const KINDS: readonly { readonly id: What; readonly label: string; readonly search: string }[] = [
  { id: 'trail', label: 'Trail', search: 'Name starts with' },
  { id: 'artifact', label: 'Artifact', search: 'Name starts with, or digits' },
  { id: 'attestation', label: 'Attestation', search: 'Name contains, or ID' },
];
const RESULTS = { trail: TrailResults, artifact: ArtifactResults, attestation: AttestationResults };

export function PackagesTab() {
  const [{ what, q = '' }, change] = useSearchState(Search);
  const Results = RESULTS[what];
  return (
    <div className="space-y-4">
      <Panel flush title="Audit package" note="All records and evidence of one subject, verifiable without an account.">
        <div className="flex flex-wrap gap-2 border-b border-line px-4 pb-3 no-print">
          <Select
            label="Subject"
            hideLabel
            className="w-44"
            value={what}
            onChange={(id) => change({ what: id as What })}
            choices={KINDS}
          />
          <div className="min-w-64 flex-1 sm:max-w-md">
            <SearchBox
              key={what}
              label={KINDS.find(({ id }) => id === what)?.search ?? ''}
              value={q}
              onChange={(text) => change({ q: text }, { replace: true })}
            />
          </div>
        </div>
        <Results q={q.trim()} />
      </Panel>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Contents />
        <Verifying />
      </div>
      <PeriodReport />
    </div>
  );
}

const FILES: readonly (readonly [string, string])[] = [
  ['index.html', 'the readable report: verdict and reasons, evidence, approvals, and history. It runs no scripts'],
  ['records/', 'every record as JSON, with the SHA-256 of the original request'],
  ['attachments/', 'the files sent as evidence'],
  ['manifest.json', 'the content, time, and author of the export, and the SHA-256 of every file'],
  ['SHA256SUMS', 'the digests of all files'],
  ['README.md', 'instructions to verify and re-evaluate the package'],
];

function Contents() {
  return (
    <Panel title="Contents">
      <p className="mb-2 text-quiet">
        A <code>.tgz</code> file with the state at the time of download:
      </p>
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-1.5">
        {FILES.map(([file, text]) => (
          <div key={file} className="contents">
            <dt>
              <code>{file}</code>
            </dt>
            <dd className="text-quiet">{text}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Verifying() {
  const org = useOrg();
  return (
    <Panel title="Verification">
      <p>With standard tools, in the unpacked folder:</p>
      <Command>sha256sum -c SHA256SUMS</Command>
      <p>With the command line, which also checks each record and attachment, offline:</p>
      <Command>waymark audit verify PACKAGE.tgz</Command>
      <p>To create a package in a pipeline:</p>
      <Command>{`waymark audit package FLOW/TRAIL --org ${org}`}</Command>
      <p className="text-[13px] text-quiet">
        The digests prove that the package is complete. To prove where it came from, download it yourself, or compare
        the SHA-256 of SHA256SUMS with the one from the person who created it.
      </p>
    </Panel>
  );
}

function Command({ children }: { readonly children: string }) {
  return (
    <pre className="mt-1 mb-3 overflow-x-auto rounded-md border border-line bg-raised px-3 py-2 whitespace-pre-wrap">
      {children}
    </pre>
  );
}
