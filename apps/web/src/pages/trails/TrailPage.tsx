import { explainTrail, getTrail, listTrailEvents, type Trail } from '@waymark/contract';
import { Download, FileText } from 'lucide-react';
import { z } from 'zod';
import { client } from '../../lib/client.ts';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam, useSearchState } from '../../lib/route.ts';
import { EvidenceChain } from '../../pictures/EvidenceChain.tsx';
import { LinkButton } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Notice } from '../../ui/Panel.tsx';
import { LineLoading, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { AttestationDrawer } from '../attestations/AttestationDrawer.tsx';
import { downloads } from '../attestations/addresses.ts';
import { useErased } from '../attestations/use-erased.ts';
import { ProofLine } from '../proofs/ProofLine.tsx';
import { trailSubject } from '../proofs/proof-subject.ts';
import { ConfirmedNotice } from './ConfirmedNotice.tsx';
import { TrailChecklist } from './TrailChecklist.tsx';
import { TrailFacts } from './TrailFacts.tsx';
import { TrailHistory } from './TrailHistory.tsx';
import { TrailState } from './TrailState.tsx';
import { happenedOf } from './trail-events.ts';

const Search = z.object({ attestation_id: z.string().optional(), after: z.string().optional() });

const KINDS = ['trail', 'artifact', 'attestation', 'approval'];
const NEWS_ASKED = 50;

export function TrailPage() {
  const org = useOrg();
  const flow = useParam('flow');
  const name = useParam('trail');
  const [search, change] = useSearchState(Search);
  const params = { org, flow_name: flow, trail_name: name };
  const trail = useRead(getTrail, { params }, { fresh: true });
  // Requested beside the trail, for its verdict and its evidence.
  useRead(explainTrail, { params }, { fresh: true });
  useErased(org);
  const newest = trail.data?.last_modified_at ?? 0;
  const countNews = async () => {
    const { data } = await client.call(listTrailEvents, { params, query: { per_page: NEWS_ASKED } });
    return data.filter(({ timestamp }) => timestamp > newest).length;
  };
  return (
    <>
      <Head org={org} flow={flow} name={name} trail={trail.data} isMissing={trail.error !== null && !trail.data} />
      <ConfirmedNotice
        kinds={KINDS}
        loadedAt={trail.dataUpdatedAt}
        count={countNews}
        what="new report"
        onShow={() => void trail.refetch()}
      />
      <Loaded of={trail}>
        {(data) => (
          <div className="space-y-4">
            <Verdict org={org} trail={data} />
            <EvidenceChain org={org} flow={flow} trail={name} />
            <div className="grid gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] xl:items-start">
              <TrailChecklist org={org} trail={data} />
              <TrailFacts trail={data} />
            </div>
            <TrailHistory org={org} trail={data} after={search.after} onPage={(after) => change({ after })} />
          </div>
        )}
      </Loaded>
      {search.attestation_id !== undefined && (
        <AttestationDrawer
          org={org}
          id={search.attestation_id}
          ids={attestationIds(trail.data)}
          onMove={(id) => change({ attestation_id: id }, { replace: true })}
          onClose={() => change({ attestation_id: undefined }, { replace: true })}
        />
      )}
    </>
  );
}

/** In the order of arrival. */
function attestationIds(trail: Trail | undefined): readonly string[] {
  return (trail?.events ?? []).flatMap((event) => happenedOf(event).attestationId ?? []);
}

interface HeadProps {
  readonly org: string;
  readonly flow: string;
  readonly name: string;
  readonly trail: Trail | undefined;
  readonly isMissing: boolean;
}

function Head({ org, flow, name, trail, isMissing }: HeadProps) {
  const message = trail?.git_commit_info?.message?.split('\n')[0];
  return (
    <PageHead
      title={name}
      crumbs={[
        { href: paths.flows(org), label: 'Flows' },
        { href: paths.flow(org, flow), label: flow },
      ]}
      state={trail && <TrailState state={trail.compliance_state} size="large" />}
      note={
        trail ? (
          <div className="flex flex-wrap gap-x-4">
            {message && <span className="text-ink [overflow-wrap:anywhere]">{message}</span>}
            <span>
              Started <Time at={trail.created_at} />
            </span>
            <span>
              Last report <Time at={trail.last_modified_at} />
            </span>
            <div className="w-full">
              <ProofLine of={trailSubject(flow, name)} />
            </div>
          </div>
        ) : (
          !isMissing && <LineLoading />
        )
      }
      actions={
        !isMissing && (
          <>
            <LinkButton href={paths.trailWhy(org, flow, name)}>Why?</LinkButton>
            <LinkButton href={downloads.trailReport(org, flow, name)}>
              <FileText size={14} aria-hidden /> Report
            </LinkButton>
            <LinkButton href={downloads.trailReport(org, flow, name, 'pdf')} download>
              <Download size={14} aria-hidden /> Report as PDF
            </LinkButton>
            <LinkButton href={downloads.trailPackage(org, flow, name)} download>
              <Download size={14} aria-hidden /> Audit package
            </LinkButton>
          </>
        )
      }
    />
  );
}

const NOTICE_KINDS = { COMPLIANT: 'good', 'NON-COMPLIANT': 'bad', INCOMPLETE: 'unsure' } as const;

/** The verdict in short, with its age and a link to all reasons. */
function Verdict({ org, trail }: { readonly org: string; readonly trail: Trail }) {
  const params = { org, flow_name: trail.flow_name, trail_name: trail.name };
  const { data: explanation, isPending } = useRead(explainTrail, { params }, { fresh: true });
  if (trail.compliance_state === 'COMPLIANT') return null;
  if (isPending) return <LineLoading />;
  if (!explanation) return null;
  return (
    <Notice kind={NOTICE_KINDS[trail.compliance_state]}>
      <p>
        {explanation.because}{' '}
        {explanation.since !== null && (
          <span className="text-quiet">
            Verdict from <Time at={explanation.since} />.{' '}
          </span>
        )}
        <Link href={paths.trailWhy(org, trail.flow_name, trail.name)} className="underline">
          All reasons
        </Link>
      </p>
    </Notice>
  );
}
