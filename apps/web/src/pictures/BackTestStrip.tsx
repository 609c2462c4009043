import { type Flip, getTimeline, type Simulation } from '@waymark/contract';
import { scaleLinear } from 'd3-scale';
import { useId, useMemo } from 'react';
import { paths } from '../lib/paths.ts';
import { useRead } from '../lib/queries.ts';
import { duration } from '../lib/time.ts';
import { Link } from '../ui/Link.tsx';
import { STATE_WORDS } from '../ui/StateBadge.tsx';
import { Loaded } from '../ui/States.tsx';
import { Time } from '../ui/Time.tsx';
import {
  compareStrips,
  isPartial,
  type PastOf,
  type Span,
  type StripState,
  secondsOf,
  stripAfter,
  stripBefore,
  type VerdictInterval,
} from './back-test-strips.ts';

interface StripProps {
  readonly org: string;
  readonly environment: string;
  readonly flips: readonly Flip[];
  readonly span: Span;
  readonly stoppedAt: Simulation['stopped_at'];
}

/** One environment over the time of a back-test: as it is recorded, and as it would have been. */
export function BackTestStrip({ org, environment, flips, span, stoppedAt }: StripProps) {
  const past = useRead(
    getTimeline,
    { params: { org, env_name: environment }, query: { from: span.from, to: span.to, per_page: 100 } },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  return (
    <figure>
      <figcaption className="text-[13.5px]">
        <Link href={paths.timeline(org, environment)} className="font-medium">
          {environment}
        </Link>
      </figcaption>
      <Loaded of={past} lines={2}>
        {(found) => <Strips environment={environment} past={found} flips={flips} span={span} stoppedAt={stoppedAt} />}
      </Loaded>
    </figure>
  );
}

const failingFor = (strip: readonly VerdictInterval[]) => {
  const seconds = secondsOf(strip, 'non-compliant');
  return seconds === 0 ? 'never failing' : `failing for ${duration(seconds)}`;
};

function Strips({
  environment,
  past,
  flips,
  span,
  stoppedAt,
}: Omit<StripProps, 'org'> & {
  readonly past: PastOf;
}) {
  const hatch = useId();
  const before = useMemo(() => stripBefore(past), [past]);
  const stop = stoppedAt?.environment === environment ? stoppedAt.snapshot_index : undefined;
  const after = useMemo(() => stripAfter(past, flips, span, stop), [past, flips, span, stop]);
  const says = `${environment}: as recorded ${failingFor(before)}, with the draft ${failingFor(after)}`;
  return (
    <>
      <svg role="img" aria-label={says} className="mt-1 block h-[66px] w-full">
        <defs>
          <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
            <rect width="2" height="6" className="fill-field/60" />
          </pattern>
        </defs>
        <Row y={0} label={`As recorded, ${failingFor(before)}`} strip={before} span={span} hatch={hatch} />
        <Row y={36} label={`With the draft, ${failingFor(after)}`} strip={after} span={span} hatch={hatch} />
      </svg>
      <div aria-hidden className="flex justify-between text-[12px] text-quiet">
        <Time at={span.from} as="short" />
        <Time at={span.to} as="short" />
      </div>
      {isPartial(past) && (
        <p className="text-[12.5px] text-quiet">
          Too many artifacts ran here to evaluate all of them: where the rest could change the result, the draft’s strip
          is unknown.
        </p>
      )}
      <details className="text-[13px]">
        <summary className="cursor-pointer text-quiet">As a table</summary>
        <StripTable environment={environment} before={before} after={after} />
      </details>
    </>
  );
}

/** Failing takes the height of the row, passing half of it, and unknown is hatched. */
const SHAPES: Record<StripState, { readonly height: number; readonly fill: string }> = {
  compliant: { height: 6, fill: 'fill-good-fill' },
  'non-compliant': { height: 13, fill: 'fill-bad-fill' },
  unknown: { height: 13, fill: '' },
};

function Row({
  y,
  label,
  strip,
  span,
  hatch,
}: {
  readonly y: number;
  readonly label: string;
  readonly strip: readonly VerdictInterval[];
  readonly span: Span;
  readonly hatch: string;
}) {
  const share = scaleLinear().domain([span.from, span.to]).range([0, 100]).clamp(true);
  return (
    <g>
      <text x="0" y={y + 10} className="fill-quiet text-[11.5px]">
        {label}
      </text>
      {strip.map(({ from, until, state }) => (
        <rect
          key={from}
          x={`${share(from)}%`}
          width={`${Math.max(0.15, share(until) - share(from))}%`}
          y={y + 27 - SHAPES[state].height}
          height={SHAPES[state].height}
          className={SHAPES[state].fill}
          {...(state === 'unknown' && { fill: `url(#${hatch})` })}
        />
      ))}
    </g>
  );
}

function StripTable({
  environment,
  before,
  after,
}: {
  readonly environment: string;
  readonly before: readonly VerdictInterval[];
  readonly after: readonly VerdictInterval[];
}) {
  return (
    <div className="overflow-x-auto">
      <table className="mt-1 text-left">
        <caption className="sr-only">{environment} as recorded and with the draft</caption>
        <thead className="text-quiet">
          <tr>
            {['From', 'Duration', 'As recorded', 'With the draft'].map((title) => (
              <th key={title} scope="col" className="pr-5 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {compareStrips(before, after).map((row) => (
            <tr key={row.from}>
              <td className="pr-5">
                <Time at={row.from} as="short" />
              </td>
              <td className="pr-5 whitespace-nowrap">{duration(row.until - row.from)}</td>
              <td className="pr-5">{STATE_WORDS[row.before]}</td>
              <td>{row.before === row.after ? 'the same' : <strong>{STATE_WORDS[row.after]}</strong>}</td>
            </tr>
          ))}
          <tr className="border-t border-line">
            <td className="pr-5">Total failing</td>
            <td />
            <td className="pr-5">{duration(secondsOf(before, 'non-compliant'))}</td>
            <td>{duration(secondsOf(after, 'non-compliant'))}</td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}

/** What the shapes mean. */
export function BackTestLegend() {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[12.5px] text-quiet">
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden className="inline-block h-1.5 w-4 bg-good-fill" /> nothing fails
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden className="inline-block h-3 w-4 bg-bad-fill" /> something fails
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden className="hatch inline-block h-3 w-4 border border-line" /> no report, no verdict, or not
        back-tested
      </span>
    </p>
  );
}
