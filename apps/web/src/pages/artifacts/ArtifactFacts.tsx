import type { Artifact } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { CopyButton, Digits } from '../../ui/Copy.tsx';
import { Link, OutsideLink } from '../../ui/Link.tsx';
import { Facts, Panel, Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { hrefOf, shownValue } from '../attestations/AttestationFacts.tsx';

/** What it is, and who reported it. */
export function ArtifactFacts({ artifact }: { readonly artifact: Artifact }) {
  const org = useOrg();
  const { fingerprint, flow_name, trail_name, template_reference_name } = artifact;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Details">
        <Facts
          rows={[
            [
              'Fingerprint',
              <span key="f" className="flex items-start gap-1">
                <code>sha256:{fingerprint}</code>
                <CopyButton text={fingerprint} what="fingerprint" />
              </span>,
            ],
            ['Name', artifact.filename],
            ['Description', artifact.description || null],
            [
              'Template name',
              template_reference_name === null ? null : (
                <>
                  {template_reference_name} <span className="text-quiet">in the flow’s template</span>
                </>
              ),
            ],
            ['Annotations', isSome(artifact.annotations) ? <Notes key="n" of={artifact.annotations} /> : null],
            ['Links', isSome(artifact.external_urls) ? <Links key="l" of={artifact.external_urls} /> : null],
          ]}
        />
      </Panel>
      <Panel title="Provenance">
        <Facts
          rows={[
            [
              'Flow',
              <Link key="f" href={paths.flow(org, flow_name)}>
                {flow_name}
              </Link>,
            ],
            [
              'Trail',
              <Link key="t" href={paths.trail(org, flow_name, trail_name)}>
                {trail_name}
              </Link>,
            ],
            ['Commit', <Commit key="c" artifact={artifact} />],
            [
              'Build',
              artifact.build_url === '' ? null : (
                <OutsideLink key="b" href={artifact.build_url}>
                  {artifact.build_url}
                </OutsideLink>
              ),
            ],
            ['Repository', <Repository key="r" artifact={artifact} />],
            [
              'Reported',
              <span key="w">
                <Time at={artifact.created_at} /> by {artifact.created_by}
                {artifact.late && <span className="text-unsure"> · received late; reported as earlier</span>}
              </span>,
            ],
            [
              'Lead times',
              isSome(artifact.commit_lead_times) ? <LeadTimes key="d" of={artifact.commit_lead_times} /> : null,
            ],
          ]}
        />
      </Panel>
    </div>
  );
}

function isSome(record: object): boolean {
  return Object.keys(record).length > 0;
}

function Commit({ artifact: { git_commit, commit_url, git_commit_info } }: { readonly artifact: Artifact }) {
  if (!/^[0-9a-f]{40}$/.test(git_commit)) return <span className="text-quiet">not reported</span>;
  const [subject] = (git_commit_info?.message ?? '').split('\n');
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-2">
        <Digits text={git_commit} what="commit" />
        {commit_url !== '' && <OutsideLink href={commit_url}>Show commit</OutsideLink>}
        {git_commit_info?.branch && <Tag>{git_commit_info.branch}</Tag>}
      </span>
      {subject !== '' && <span className="block">{subject}</span>}
      {git_commit_info?.author && (
        <span className="block text-[13px] text-quiet">
          by {git_commit_info.author}
          {git_commit_info.timestamp ? (
            <>
              , <Time at={git_commit_info.timestamp} />
            </>
          ) : null}
        </span>
      )}
    </>
  );
}

function Repository({ artifact: { repo_info, repo_url } }: { readonly artifact: Artifact }) {
  const address = repo_info?.url ?? repo_url;
  if (!address) return <span className="text-quiet">{repo_info?.name ?? 'not reported'}</span>;
  return <OutsideLink href={address}>{repo_info?.name ?? address}</OutsideLink>;
}

function Notes({ of }: { readonly of: Artifact['annotations'] }) {
  return (
    <ul>
      {Object.entries(of).map(([key, value]) => (
        <li key={key}>
          <span className="text-quiet">{key}</span> {shownValue(value)}
        </li>
      ))}
    </ul>
  );
}

function Links({ of }: { readonly of: Artifact['external_urls'] }) {
  return (
    <ul>
      {Object.entries(of).map(([label, value]) => {
        const href = hrefOf(value);
        return (
          <li key={label}>
            {href === undefined ? `${label} ${shownValue(value)}` : <OutsideLink href={href}>{label}</OutsideLink>}
          </li>
        );
      })}
    </ul>
  );
}

/** From the commit to the first start in each environment. */
function LeadTimes({ of }: { readonly of: Artifact['commit_lead_times'] }) {
  return (
    <ul>
      {Object.entries(of)
        .slice(0, 10)
        .map(([environment, seconds]) => (
          <li key={environment}>
            {duration(seconds)} <span className="text-quiet">from commit to {environment}</span>
          </li>
        ))}
    </ul>
  );
}
