import { useQuery } from '@tanstack/react-query';
import type { Attestation } from '@waymark/contract';
import { withBase } from '../../lib/base-path.ts';
import { counted } from '../../lib/counted.ts';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { Facts, Panel, Tag } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { downloads } from './addresses.ts';
import { sbomOf } from './evidence.ts';
import { InMemoryPages } from './InMemoryPages.tsx';
import { PlainTable } from './PlainTable.tsx';
import { type Component, componentsOf, licencesOf } from './sbom-components.ts';

/** Larger files are not read in the browser. */
const LARGEST_READ = 4 * 1024 * 1024;
const LICENCES_SHOWN = 12;

/** The response has the number of components; the list is read from the attached file. */
export function SbomReader({ of }: { readonly of: Attestation }) {
  const sbom = sbomOf(of);
  if (!sbom) return null;
  const size = of.evidence_archive_size;
  return (
    <Panel title={counted(sbom.component_count, 'component')}>
      <Facts
        rows={[
          ['Format', `${sbom.format} ${sbom.specVersion}`],
          ['Compare', <DiffLink key="compare" of={of} />],
        ]}
      />
      {size !== null && size <= LARGEST_READ ? (
        <Components of={of} />
      ) : (
        <p className="mt-2 text-[13px] text-quiet">
          The file is too large to list here. Download it below, or search for a component by name.
        </p>
      )}
    </Panel>
  );
}

function DiffLink({ of: { artifact_fingerprint: fingerprint } }: { readonly of: Attestation }) {
  const org = useOrg();
  if (fingerprint === null) return <Link href={paths.componentDiff(org)}>Two artifacts</Link>;
  return <Link href={paths.componentDiff(org, fingerprint)}>With another artifact</Link>;
}

function Components({ of }: { readonly of: Attestation }) {
  const file = useQuery({
    queryKey: ['components', of.attestation_id],
    queryFn: async ({ signal }) => {
      const answer = await fetch(withBase(downloads.evidence(of)), { signal, credentials: 'same-origin' });
      if (!answer.ok)
        throw new Error(`Couldn’t read the attached file: the server responded with status ${answer.status}`);
      return componentsOf(await answer.text()) ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Loaded of={file} lines={3}>
      {(components) =>
        components === null ? (
          <p className="mt-2 text-[13px] text-quiet">
            The file is an archive; download it below to see the components.
          </p>
        ) : (
          <List components={components} />
        )
      }
    </Loaded>
  );
}

function List({ components }: { readonly components: readonly Component[] }) {
  const licences = licencesOf(components);
  return (
    <>
      <h3 className="mt-3 mb-1 font-semibold">Licenses</h3>
      <ul className="flex flex-wrap gap-1.5">
        {licences.slice(0, LICENCES_SHOWN).map(([licence, count]) => (
          <li key={licence}>
            <Tag>{`${licence || 'not specified'} ${count}`}</Tag>
          </li>
        ))}
        {licences.length > LICENCES_SHOWN && (
          <li className="text-quiet">{`and ${licences.length - LICENCES_SHOWN} more`}</li>
        )}
      </ul>
      <h3 className="mt-3 mb-1 font-semibold">Components</h3>
      <InMemoryPages rows={components} perPage={25} what="components">
        {(rows) => (
          <PlainTable
            caption="Components"
            head={['Name', 'Version', 'License']}
            rows={rows.map(({ name, version, licence }) => [name, version || '–', licence || '–'])}
          />
        )}
      </InMemoryPages>
    </>
  );
}
