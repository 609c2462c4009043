import { listAttestations, listTrails, searchNames, searchSha } from '@waymark/contract';
import { paths } from '../../../lib/paths.ts';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { packages, trailReport } from './addresses.ts';
import { type Packable, PackageTable } from './PackageTable.tsx';
import { isDigits, isId, literally } from './sought.ts';

const SHOWN = 10;
const RESULTS_MAX = 20;

/** `q` is the typed text, trimmed. */
interface ResultProps {
  readonly q: string;
}

export function TrailResults({ q }: ResultProps) {
  return q === '' ? <NewestTrails /> : <NamedTrails q={q} />;
}

function packableTrail(org: string, flow: string, name: string): Packable {
  return {
    key: `${flow}/${name}`,
    name,
    of: `trail of flow ${flow}`,
    href: paths.trail(org, flow, name),
    download: packages.trail(org, flow, name),
    report: trailReport(org, flow, name),
    what: `${flow}/${name}`,
  };
}

function NewestTrails() {
  const org = useOrg();
  const trails = useRead(listTrails, { params: { org }, query: { page: 1, per_page: SHOWN } });
  return (
    <Loaded of={trails}>
      {({ data }) => (
        <PackageTable
          caption="The newest trails"
          org={org}
          rows={data.map(({ flow_name, name, created_at }) => ({
            ...packableTrail(org, flow_name, name),
            at: created_at,
          }))}
          empty={
            <Empty title="No trails yet" command={`waymark begin trail release-1 --flow shop --org ${org}`}>
              A trail is one run of a flow, with its evidence. Start one:
            </Empty>
          }
        />
      )}
    </Loaded>
  );
}

function NamedTrails({ q }: ResultProps) {
  const org = useOrg();
  const found = useRead(searchNames, { params: { org }, query: { q, limit: RESULTS_MAX } });
  return (
    <Loaded of={found}>
      {({ trails }) => (
        <PackageTable
          caption="Matching trails"
          org={org}
          rows={trails.map(({ flow_name, name }) => packableTrail(org, flow_name, name))}
          empty={<Empty title="No trails match">Trails are often named after a commit: try its first digits.</Empty>}
        />
      )}
    </Loaded>
  );
}

export function ArtifactResults({ q }: ResultProps) {
  if (q === '')
    return (
      <Empty title="Search for an artifact">
        Enter the start of its name, or at least five digits of its fingerprint or commit.
      </Empty>
    );
  return isDigits(q) ? <ArtifactsByDigits q={q} /> : <ArtifactsByName q={q} />;
}

const noArtifact = (
  <Empty title="No artifacts match">Enter the start of a name, or at least five digits of a fingerprint.</Empty>
);

function packableArtifact(org: string, flow: string, name: string, fingerprint: string): Packable {
  return {
    key: `${flow}/${fingerprint}`,
    name,
    of: `${fingerprint.slice(0, 12)} of flow ${flow}`,
    href: paths.artifact(org, flow, fingerprint),
    download: packages.artifact(org, flow, fingerprint),
    what: fingerprint,
  };
}

function ArtifactsByDigits({ q }: ResultProps) {
  const org = useOrg();
  const found = useRead(searchSha, { params: { org, sha: q } });
  if (found.error && 'status' in found.error && found.error.status === 404) return noArtifact;
  return (
    <Loaded of={found}>
      {({ artifacts }) => (
        <PackageTable
          caption="Artifacts matching these digits"
          org={org}
          rows={artifacts
            .filter(({ has_provenance }) => has_provenance)
            .slice(0, RESULTS_MAX)
            .map(({ flow, name, fingerprint }) => packableArtifact(org, flow, name, fingerprint))}
          empty={noArtifact}
        />
      )}
    </Loaded>
  );
}

function ArtifactsByName({ q }: ResultProps) {
  const org = useOrg();
  const found = useRead(searchNames, { params: { org }, query: { q, limit: RESULTS_MAX } });
  return (
    <Loaded of={found}>
      {({ artifacts }) => (
        <PackageTable
          caption="Matching artifacts"
          org={org}
          rows={artifacts.map(({ flow_name, name, fingerprint }) =>
            packableArtifact(org, flow_name, name, fingerprint),
          )}
          empty={noArtifact}
        />
      )}
    </Loaded>
  );
}

export function AttestationResults({ q }: ResultProps) {
  const org = useOrg();
  const sought = q === '' ? {} : isId(q) ? { attestation_id: q } : { name_regex: literally(q) };
  const found = useRead(listAttestations, { params: { org }, query: { per_page: SHOWN, ...sought } });
  return (
    <Loaded of={found}>
      {({ data }) => (
        <PackageTable
          caption="Attestations, newest first"
          org={org}
          rows={data.map(({ attestation_id: id, attestation_name: name, flow_name, trail_name, created_at }) => ({
            key: id,
            name,
            of: `in trail ${trail_name} of flow ${flow_name}`,
            href: paths.trail(org, flow_name, trail_name, id),
            download: packages.attestation(org, flow_name, trail_name, id),
            what: id,
            at: created_at,
          }))}
          empty={<Empty title="No attestations match">Enter part of the name, or the ID.</Empty>}
        />
      )}
    </Loaded>
  );
}
