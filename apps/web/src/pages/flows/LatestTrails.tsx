import { listFlowTrails } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { classes } from '../../ui/classes.ts';
import { Link } from '../../ui/Link.tsx';
import { Time } from '../../ui/Time.tsx';
import { TrailState } from '../trails/TrailState.tsx';

const SHOWN = 12;

/** The newest dozen, shared by all components that show some of them. */
export function useLatestTrails(org: string, flow: string) {
  const { data, error } = useRead(
    listFlowTrails,
    { params: { org, flow_name: flow }, query: { page: 1, per_page: SHOWN } },
    { fresh: true },
  );
  return { trails: data && (Array.isArray(data) ? data : data.data), error };
}

/** The state of the newest trail of a flow. */
export function LatestTrail({ org, flow }: { readonly org: string; readonly flow: string }) {
  const { trails, error } = useLatestTrails(org, flow);
  if (error) return <span className="text-quiet">unknown</span>;
  const latest = trails?.[0];
  if (!latest) return <span className="text-quiet">{trails ? 'no trail yet' : '…'}</span>;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 sm:flex-nowrap sm:whitespace-nowrap">
      <TrailState state={latest.compliance_state} />
      <Link href={paths.trail(org, flow, latest.name)} className="max-w-40 truncate">
        {latest.name}
      </Link>
      <span className="text-quiet">
        <Time at={latest.created_at} />
      </span>
    </div>
  );
}

const BARS = {
  COMPLIANT: 'h-2.5 bg-good-fill',
  INCOMPLETE: 'h-4 hatch border border-unsure-fill bg-unsure-wash',
  'NON-COMPLIANT': 'h-5 bg-bad-fill',
} as const;

/** The last few trails, oldest first. Failing ones also differ by height. */
export function TrailBars({ org, flow }: { readonly org: string; readonly flow: string }) {
  const { trails } = useLatestTrails(org, flow);
  if (!trails || trails.length === 0) return <span className="text-quiet">–</span>;
  const count = (state: keyof typeof BARS) =>
    trails.filter(({ compliance_state }) => compliance_state === state).length;
  const summary = `Of the last ${trails.length} trails, ${count('COMPLIANT')} are compliant, ${count('NON-COMPLIANT')} are non-compliant, and ${count('INCOMPLETE')} are incomplete.`;
  return (
    <span role="img" aria-label={summary} title={summary} className="inline-flex h-5 items-end gap-0.5">
      {[...trails].reverse().map((trail) => (
        <span key={trail.name} className={classes('w-1.5 rounded-xs', BARS[trail.compliance_state])} />
      ))}
    </span>
  );
}
