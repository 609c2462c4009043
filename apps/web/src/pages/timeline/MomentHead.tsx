import { listSnapshots } from '@waymark/contract';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { duration } from '../../lib/time.ts';
import { versionOf } from '../../pictures/timeline-layout.ts';
import { expressionOf, type Moment, type Running } from '../../pictures/timeline-moment.ts';
import { Button, LinkButton } from '../../ui/Button.tsx';
import { Link } from '../../ui/Link.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { type State, StateBadge } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';

interface MomentProps {
  readonly moment: Moment;
  readonly at: number;
  /** Whether all services of the environment are counted. */
  readonly isWhole: boolean;
  readonly onBefore: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
  readonly actions: React.ReactNode;
}

/** The snapshot under the playhead: for how long it held, its verdict, and links to the explanation. */
export function MomentHead({ moment, at, isWhole, onBefore, onNext, actions }: MomentProps) {
  const org = useOrg();
  const env = useParam('env');
  const expression = expressionOf(moment, at);
  return (
    <div className="space-y-1.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="flex items-center gap-1">
          <Button
            variant="plain"
            className="!p-1.5"
            data-key="["
            aria-label="Previous snapshot"
            isDisabled={!onBefore}
            onPress={() => onBefore?.()}
          >
            <ChevronLeft size={15} aria-hidden />
          </Button>
          <Button
            variant="plain"
            className="!p-1.5"
            data-key="]"
            aria-label="Next snapshot"
            isDisabled={!onNext}
            onPress={() => onNext?.()}
          >
            <ChevronRight size={15} aria-hidden />
          </Button>
        </div>
        <h2 className="text-[15px] font-semibold">
          {moment.isBefore ? (
            'No report yet'
          ) : (
            <Link href={paths.snapshot(org, env, expression)}>
              {moment.index === undefined ? 'Snapshot at this time' : `Snapshot #${moment.index}`}
            </Link>
          )}
        </h2>
        {moment.isOutside ? (
          <span className="text-[13.5px]">outside the period shown</span>
        ) : (
          <>
            <StateBadge state={moment.state} />
            {moment.isStale && <StaleMark since={moment.staleSince} />}
            <Counted moment={moment} isWhole={isWhole} />
          </>
        )}
        <div className="flex flex-wrap items-center gap-2 sm:ml-auto">
          {!moment.isBefore && <LinkButton href={paths.environmentWhy(org, env, expression)}>Why?</LinkButton>}
          {actions}
        </div>
      </div>
      <p className="min-h-5 text-[13px] text-quiet">
        <Time at={at} as="exact" />
        {moment.index !== undefined && <Held index={moment.index} moment={moment} />}
      </p>
      <Failing running={moment.running} />
    </div>
  );
}

/** From when to when it held. What lies outside the window is requested. */
function Held({ index, moment }: { readonly index: number; readonly moment: Moment }) {
  const isKnown = moment.since !== undefined && moment.until !== undefined;
  const { data } = useRead(
    listSnapshots,
    { params: { org: useOrg(), env_name: useParam('env') }, query: { interval: `${index}..${index}` } },
    { enabled: !isKnown, fresh: true },
  );
  const asked = data?.[0];
  const from = moment.since ?? asked?.from;
  if (from === undefined) return null;
  const until = moment.until ?? (asked && asked.to > 0 ? asked.to : undefined);
  if (until === undefined)
    return (
      <span>
        {' · current since '}
        <Time at={from} as="short" />
        {asked && ` (${duration(asked.duration)})`}
      </span>
    );
  return (
    <span>
      {' · from '}
      <Time at={from} as="short" />
      {' to '}
      <Time at={until} as="short" />
      {` (${duration(until - from)})`}
    </span>
  );
}

const NOT_WELL: readonly State[] = ['non-compliant', 'unknown', 'waived'];
const STATE_PHRASES: Record<State, string> = {
  compliant: 'compliant',
  'non-compliant': 'non-compliant',
  unknown: 'unknown',
  waived: 'waived',
};

function Counted({ moment, isWhole }: Pick<MomentProps, 'moment' | 'isWhole'>) {
  const total = moment.running.length;
  if (moment.isBefore) return null;
  const counts = NOT_WELL.map((state) => [state, moment.running.filter((one) => one.state === state).length] as const);
  const present = counts.filter(([, count]) => count > 0);
  const [worst, ...others] = present;
  const whole = `${total} ${isWhole ? '' : 'shown '}${total === 1 ? 'artifact' : 'artifacts'}`;
  const when = moment.isStale ? 'in the last report, ' : '';
  if (total === 0)
    return <span className="text-[13.5px]">{isWhole ? 'nothing ran' : 'none of the services shown ran'}</span>;
  if (!worst) return <span className="text-[13.5px]">{`${when}all of ${whole} compliant`}</span>;
  const rest = others.map(([state, count]) => `, ${count} ${STATE_PHRASES[state]}`).join('');
  return <span className="text-[13.5px]">{`${when}${worst[1]} of ${whole} ${STATE_PHRASES[worst[0]]}${rest}`}</span>;
}

const NAMED = 4;

function Failing({ running }: { readonly running: readonly Running[] }) {
  const org = useOrg();
  const env = useParam('env');
  const failing = running.filter(({ state }) => state === 'non-compliant');
  if (failing.length === 0) return null;
  return (
    <p className="text-[13px]">
      <span className="text-quiet">Non-compliant: </span>
      {failing.slice(0, NAMED).map(({ lane, run }, place) => (
        <span key={`${run.name} ${run.fingerprint}`}>
          {place > 0 && ', '}
          <Link
            className="underline"
            href={
              run.flow_name === ''
                ? paths.anyArtifact(org, run.fingerprint)
                : paths.artifactWhy(org, run.flow_name, run.fingerprint, env)
            }
          >
            {`${lane.name} ${versionOf(run)}`}
          </Link>
        </span>
      ))}
      {failing.length > NAMED && ` and ${failing.length - NAMED} more`}
    </p>
  );
}
