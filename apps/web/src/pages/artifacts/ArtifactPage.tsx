import { type Artifact, getArtifact, listTrails } from '@waymark/contract';
import { z } from 'zod';
import { paths, withQuery } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ProofLine } from '../proofs/ProofLine.tsx';
import { artifactSubject } from '../proofs/proof-subject.ts';
import { ArtifactEvidence } from './ArtifactEvidence.tsx';
import { ArtifactFacts } from './ArtifactFacts.tsx';
import { ArtifactRuns } from './ArtifactRuns.tsx';

const Search = z.object({ artifact_id: z.string().optional(), trail: z.string().optional() });

export function ArtifactPage() {
  const org = useOrg();
  const flow = useParam('flow');
  const fingerprint = useParam('fingerprint');
  const [{ artifact_id, trail }] = useSearchState(Search);
  const answer = useRead(
    getArtifact,
    { params: { org, flow_name: flow, fingerprint }, query: { trail } },
    { fresh: true },
  );
  const artifact = answer.data;
  return (
    <>
      <PageHead
        title={artifact?.filename ?? fingerprint.slice(0, 12)}
        crumbs={[
          { href: paths.flows(org), label: 'Flows' },
          { href: paths.flow(org, flow), label: flow },
        ]}
        state={artifact && <ArtifactState of={artifact} />}
        note={artifact && <StateNote artifact={artifact} />}
        actions={
          artifact && (
            <>
              <LinkButton href={withQuery(paths.artifactWhy(org, flow, artifact.fingerprint), { trail })}>
                Why?
              </LinkButton>
              <LinkButton href={paths.trace(org, artifact.fingerprint)}>Where is it?</LinkButton>
              <LinkButton download href={packageOf(org, artifact)}>
                Audit package
              </LinkButton>
            </>
          )
        }
      />
      <NewNotice
        kinds={['trail', 'artifact']}
        loadedAt={answer.dataUpdatedAt}
        onShow={() => void answer.refetch()}
        {...(artifact && { subjectId: artifact.id })}
      />
      <Loaded of={answer}>
        {(found) => (
          <div className="space-y-4">
            <Reports artifact={found} askedId={artifact_id} />
            <ArtifactFacts artifact={found} />
            <ArtifactEvidence artifact={found} />
            <ArtifactRuns artifact={found} />
            <History of={found} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function packageOf(org: string, { flow_name, fingerprint }: Artifact): string {
  const parts = ['artifacts', org, flow_name, fingerprint, 'audit_package'].map(encodeURIComponent);
  return `/api/v2/${parts.join('/')}`;
}

function ArtifactState({ of }: { readonly of: Artifact }) {
  return of.state === 'INCOMPLETE' ? (
    <StateBadge state="non-compliant" word="Incomplete" size="large" />
  ) : (
    <StateBadge state={stateOf(of.state)} size="large" />
  );
}

function StateNote({ artifact }: { readonly artifact: Artifact }) {
  const { state_info, compliance_status } = artifact;
  return (
    <>
      {state_info}{' '}
      <span className="text-[13px]">
        Evaluated in its trail <Time at={compliance_status.evaluated_at} />.
      </span>
      <ProofLine of={artifactSubject(artifact)} />
    </>
  );
}

const REPORTS_SHOWN = 20;

/** The same artifact may have been reported more than once, each time into a trail. */
function Reports({ artifact, askedId }: { readonly artifact: Artifact; readonly askedId: string | undefined }) {
  const org = useOrg();
  const { flow_name, fingerprint, trail_name } = artifact;
  const { data } = useRead(
    listTrails,
    { params: { org }, query: { flow: flow_name, fingerprint, per_page: REPORTS_SHOWN } },
    { fresh: true },
  );
  const others = (data?.data ?? []).filter(({ name }) => name !== trail_name);
  const isOlder = askedId !== undefined && askedId !== artifact.id;
  if (others.length === 0 && !isOlder) return null;
  return (
    <Notice
      kind="info"
      title={
        isOlder ? 'This link is for another report of this artifact; the newest is shown' : 'Reported more than once'
      }
    >
      {others.length > 0 && (
        <>
          The same artifact was also reported in{' '}
          {others.map(({ name }, place) => (
            <span key={name}>
              {place > 0 && ', '}
              <Link
                className="underline"
                href={withQuery(paths.artifact(org, flow_name, fingerprint), { trail: name })}
              >
                {name}
              </Link>
            </span>
          ))}
          .
        </>
      )}
    </Notice>
  );
}

function History({ of: { history } }: { readonly of: Artifact }) {
  return (
    <Panel title="History">
      <ol className="space-y-1">
        {history.toReversed().map(({ event, timestamp }, place) => (
          <li key={`${timestamp} ${event} ${place}`} className="flex flex-wrap gap-x-4">
            <span className="w-28 shrink-0 text-quiet">
              <Time at={timestamp} as="short" />
            </span>
            <span className="min-w-0 [overflow-wrap:anywhere]">{event}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
