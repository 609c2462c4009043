import { getTrail, type Trail } from '@waymark/contract';
import { CircleCheck, CircleSlash2, CircleX, Minus } from 'lucide-react';
import { paths } from '../../lib/paths.ts';
import { useReads } from '../../lib/use-reads.ts';
import { classes } from '../../ui/classes.ts';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Failure, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { TrailState } from '../trails/TrailState.tsx';
import { type CellState, headingsOf, type MatrixCell, type MatrixColumn, matrixOf } from './evidence-matrix.ts';
import { useLatestTrails } from './LatestTrails.tsx';

const CELLS: Readonly<Record<CellState, { icon: typeof CircleX | null; tone: string }>> = {
  passes: { icon: CircleCheck, tone: 'text-good' },
  overridden: { icon: CircleSlash2, tone: 'text-waived' },
  fails: { icon: CircleX, tone: 'text-bad' },
  missing: { icon: Minus, tone: 'text-unsure' },
  'not required': { icon: null, tone: 'text-quiet' },
};

const TRAILS_SHOWN = 10;

interface MatrixProps {
  readonly org: string;
  readonly flow: string;
}

/** The last trails against what their templates require: evidence that is often missing shows as a column. */
export function EvidenceMatrix({ org, flow }: MatrixProps) {
  const latest = useLatestTrails(org, flow);
  const names = (latest.trails ?? []).slice(0, TRAILS_SHOWN).map(({ name }) => name);
  const reads = useReads(
    getTrail,
    names.map((trail_name) => ({ params: { org, flow_name: flow, trail_name } })),
  );
  const trails = reads.answers.filter((trail) => trail !== undefined);
  const matrix = matrixOf(trails);
  if (!latest.trails && !latest.error)
    return (
      <Panel title="Evidence of recent trails">
        <Loading />
      </Panel>
    );
  if (names.length === 0) return null;
  return (
    <Panel title="Evidence of recent trails" note={<Legend />} flush>
      {reads.isPending && <Loading />}
      {reads.error && (
        <div className="p-4">
          <Failure error={reads.error} />
        </div>
      )}
      {trails.length > 0 && matrix.columns.length === 0 && (
        <p className="px-4 pb-4 text-quiet">
          These trails require no evidence.{' '}
          <Link href={paths.flowTemplate(org, flow)} className="underline">
            Add a template to the flow
          </Link>{' '}
          to require some.
        </p>
      )}
      {matrix.columns.length > 0 && (
        <div className="relative overflow-x-auto">
          <table className="border-collapse text-[13px] print:[zoom:0.8]">
            <caption className="sr-only">The last {trails.length} trails and the evidence they require</caption>
            <thead className="text-left text-[12.5px] text-quiet">
              <tr>
                <th scope="col" rowSpan={2} className="sticky left-0 bg-panel px-4 py-2 align-bottom font-medium">
                  Trail
                </th>
                {headingsOf(matrix.columns).map(({ artifact, span }) => (
                  <th
                    key={artifact}
                    scope="colgroup"
                    colSpan={span}
                    className="border-l border-line px-3 pt-1 font-semibold whitespace-nowrap text-ink"
                  >
                    {artifact || 'Whole trail'}
                  </th>
                ))}
              </tr>
              <tr>
                {matrix.columns.map((column, place) => (
                  <th
                    key={column.key}
                    scope="col"
                    className={classes(edge(matrix.columns, place), 'px-3 pb-2 font-medium')}
                  >
                    {column.evidence || 'artifact'}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {matrix.rows.map(({ trail, cells }) => (
                <tr key={trail.name} className="border-t border-line hover:bg-raised/50">
                  <th scope="row" className="sticky left-0 bg-panel px-4 py-1.5 text-left font-normal">
                    <RowHead org={org} trail={trail} />
                  </th>
                  {cells.map((cell, place) => {
                    const column = matrix.columns[place];
                    return (
                      <td key={column?.key} className={classes(edge(matrix.columns, place), 'px-3 py-1.5 text-center')}>
                        <Cell cell={cell} org={org} trail={trail} what={column ? nameOf(column) : ''} />
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

/** A line where the next artifact begins. */
function edge(columns: readonly MatrixColumn[], place: number): string {
  return columns[place]?.artifact === columns[place - 1]?.artifact ? '' : 'border-l border-line';
}

function nameOf({ artifact, evidence }: MatrixColumn): string {
  if (artifact === '') return evidence;
  return evidence === '' ? artifact : `${evidence} of ${artifact}`;
}

function RowHead({ org, trail }: { readonly org: string; readonly trail: Trail }) {
  return (
    <span className="flex items-center gap-2 whitespace-nowrap">
      <TrailState state={trail.compliance_state} />
      <Link href={paths.trail(org, trail.flow_name, trail.name)} className="max-w-36 truncate">
        {trail.name}
      </Link>
      <span className="text-quiet max-sm:hidden">
        <Time at={trail.created_at} />
      </span>
    </span>
  );
}

function Cell({
  cell,
  org,
  trail,
  what,
}: {
  readonly cell: MatrixCell;
  readonly org: string;
  readonly trail: Trail;
  readonly what: string;
}) {
  const { icon: Icon, tone } = CELLS[cell.state];
  const words = `${what}: ${cell.state}`;
  const mark = (
    <>
      {Icon ? <Icon size={16} aria-hidden className="inline" /> : <span aria-hidden="true">·</span>}
      <span className="sr-only">{words}</span>
    </>
  );
  const href =
    cell.attestationId !== null
      ? paths.trail(org, trail.flow_name, trail.name, cell.attestationId)
      : cell.fingerprint !== null
        ? paths.artifact(org, trail.flow_name, cell.fingerprint)
        : undefined;
  return href === undefined ? (
    <span className={tone} title={words}>
      {mark}
    </span>
  ) : (
    <Link href={href} className={tone} title={words}>
      {mark}
    </Link>
  );
}

function Legend() {
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {(['passes', 'overridden', 'fails', 'missing'] as const).map((state) => {
        const { icon: Icon, tone } = CELLS[state];
        return (
          <span key={state} className="inline-flex items-center gap-1">
            {Icon && <Icon size={14} aria-hidden className={tone} />}
            {state}
          </span>
        );
      })}
      <span>· not required</span>
    </span>
  );
}
