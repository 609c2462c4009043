import { complianceNow, type SnapshotArtifact } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

/** Which snapshot of which environment it is about. */
export interface Where {
  readonly env: string;
  /** A permanent number; undefined for what runs now. */
  readonly index?: number;
  /** A report is overdue. */
  readonly isStale: boolean;
  readonly staleSince?: number | null | undefined;
}

interface VerdictProps {
  readonly artifact: SnapshotArtifact;
  readonly where: Where;
}

/** The verdict, its reason in a line, and a link to the full explanation. */
export function ArtifactVerdict({ artifact, where }: VerdictProps) {
  const { annotation, compliance, allow_listing, name } = artifact;
  const org = useOrg();
  if (annotation.now === 0) return <span className="text-[13px] text-quiet">exited in this snapshot</span>;
  const state = complianceNow(stateOf(compliance), where.isStale);
  return (
    <div className="min-w-40">
      <div className="flex items-center gap-x-2 whitespace-nowrap">
        <StateBadge state={state} />
        {where.isStale && <StaleMark since={where.staleSince} />}
        {state !== 'compliant' && (
          <Link href={whyOf(org, artifact, where)} className="text-[12.5px] no-print" aria-label={`Why ${name}?`}>
            Why?
          </Link>
        )}
      </div>
      {allow_listing === null ? (
        <Reason artifact={artifact} />
      ) : (
        <p className="mt-0.5 text-[12.5px] text-quiet [overflow-wrap:anywhere]">
          {allow_listing.description}
          {allow_listing.expires_at !== null && (
            <>
              {' '}
              (until <Time at={allow_listing.expires_at} as="short" />)
            </>
          )}
        </p>
      )}
    </div>
  );
}

function Reason({ artifact: { compliance, reasons_for_incompliance } }: { readonly artifact: SnapshotArtifact }) {
  const [first, ...others] = reasons_for_incompliance;
  if (!first || compliance === 'compliant')
    return compliance === 'unknown' ? (
      <p className="mt-0.5 text-[12.5px] text-quiet">No policy applies to it.</p>
    ) : null;
  return (
    <p className="mt-0.5 text-[12.5px] text-quiet [overflow-wrap:anywhere]">
      <span className="line-clamp-2" title={first.message}>
        {first.message}
      </span>
      {others.length > 0 && `and ${others.length} more`}
    </p>
  );
}

/**
 * Without a flow the artifact has no page of its own. For the past, the environment's page shows what was decided then.
 */
function whyOf(org: string, { flow_name, fingerprint }: SnapshotArtifact, { env, index }: Where): string {
  if (index !== undefined || flow_name === '' || fingerprint === '') return paths.environmentWhy(org, env, index);
  return paths.artifactWhy(org, flow_name, fingerprint, env);
}
