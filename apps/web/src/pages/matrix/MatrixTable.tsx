import { complianceNow, type getMatrix, type MatrixCell, type MatrixService } from '@waymark/contract';
import type { z } from 'zod';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { classes } from '../../ui/classes.ts';
import { Link } from '../../ui/Link.tsx';
import { Tag } from '../../ui/Panel.tsx';
import { StaleMark } from '../../ui/StaleMark.tsx';
import { StateBadge, stateOf } from '../../ui/StateBadge.tsx';
import { Time } from '../../ui/Time.tsx';
import { type Drift, driftOf, versionOf } from './matrix-rows.ts';

type Matrix = z.output<(typeof getMatrix)['reply']>;
type Place = Matrix['environments'][number];

/** Services by environments. It scrolls within itself; on a narrow screen each service becomes a card. */
export function MatrixTable({ environments, services }: Pick<Matrix, 'environments' | 'services'>) {
  const org = useOrg();
  return (
    <div className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0 text-[13.5px] max-sm:block print:[zoom:0.85]" data-rows>
        <caption className="sr-only">Service versions by environment</caption>
        <thead className="max-sm:sr-only">
          <tr className="text-left">
            <th
              scope="col"
              className="sticky left-0 z-10 border-r border-b border-line bg-panel px-4 py-2 text-[12.5px] font-medium text-quiet"
            >
              Service
            </th>
            {environments.map((environment) => (
              <th
                key={environment.name}
                scope="col"
                className="min-w-44 border-b border-line px-3 print:min-w-0 py-2 align-bottom text-[13px] font-medium"
              >
                <Link href={paths.environment(org, environment.name)}>{environment.name}</Link>
                <PlaceState of={environment} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {services.map((service) => (
            <ServiceRow key={`${service.flow_name} ${service.service}`} service={service} environments={environments} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PlaceState({ of }: { readonly of: Place }) {
  return (
    <span className="mt-1 block font-normal">
      <StateBadge state={stateOf(of.compliance)} /> {of.stale && <StaleMark />}
    </span>
  );
}

function ServiceRow({
  service,
  environments,
}: {
  readonly service: MatrixService;
  readonly environments: readonly Place[];
}) {
  const org = useOrg();
  const drift = driftOf(service, environments);
  return (
    <tr className="max-sm:block max-sm:border-b max-sm:border-line max-sm:px-4 max-sm:py-3 max-sm:last:border-b-0">
      <th
        scope="row"
        className="sticky left-0 z-10 min-w-44 border-r print:min-w-28 border-b border-line bg-panel px-4 py-2.5 text-left align-top font-normal [overflow-wrap:anywhere] max-sm:static max-sm:block max-sm:border-0 max-sm:p-0 max-sm:pb-2"
      >
        <span className="font-medium">{service.service}</span>
        {service.flow_name === '' ? (
          <span className="block text-[12.5px] text-quiet">no provenance</span>
        ) : (
          <Link href={paths.flow(org, service.flow_name)} className="block text-[12.5px] text-quiet">
            flow {service.flow_name}
          </Link>
        )}
        {drift && (
          <span className="mt-1 block text-[12.5px] text-unsure">
            <span className="font-medium">Drift:</span> {drift.versions} versions in {drift.places} environments
          </span>
        )}
      </th>
      {environments.map((environment, place) => (
        <td
          key={environment.name}
          data-label={environment.name}
          className={classes(
            'border-b border-line px-3 py-2.5 align-top [overflow-wrap:anywhere]',
            'max-sm:flex max-sm:gap-3 max-sm:border-0 max-sm:p-0 max-sm:py-1.5 max-sm:before:w-28 max-sm:before:shrink-0 max-sm:before:text-quiet max-sm:before:content-[attr(data-label)]',
            drift?.differs[place] && 'sm:bg-unsure-wash/60',
          )}
        >
          <Cell
            cell={service.cells[place] ?? null}
            flow={service.flow_name}
            environment={environment}
            differsFrom={whatItDiffersFrom(drift, place)}
          />
        </td>
      ))}
    </tr>
  );
}

function whatItDiffersFrom(drift: Drift | null, place: number): string | undefined {
  return drift?.differs[place] ? drift.against : undefined;
}

interface CellProps {
  readonly cell: MatrixCell | null;
  readonly flow: string;
  readonly environment: Place;
  readonly differsFrom: string | undefined;
}

function Cell({ cell, flow, environment, differsFrom }: CellProps) {
  const org = useOrg();
  if (!cell)
    return (
      <span className="text-quiet" title="Not running">
        <span aria-hidden>·</span>
        <span className="sr-only">not running</span>
      </span>
    );
  const state = complianceNow(stateOf(cell.compliance), environment.stale);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
      <Version cell={cell} flow={flow} />
      <Link
        href={whyOf(org, cell, flow, environment.name)}
        className="rounded-full no-underline hover:no-underline"
        aria-label={`Why: ${state}${environment.stale ? ', stale' : ''}, ${versionOf(cell)} in ${environment.name}`}
      >
        <StateBadge state={state} />
      </Link>
      {environment.stale && <StaleMark />}
      {differsFrom !== undefined && <Tag>differs from {differsFrom}</Tag>}
      <span className="text-[12.5px] text-quiet">
        <span className="sr-only">started </span>
        <Time at={cell.since} />
        {cell.others > 0 && ` · ${cell.others} more`}
      </span>
    </div>
  );
}

function Version({ cell, flow }: { readonly cell: MatrixCell; readonly flow: string }) {
  const org = useOrg();
  const text = <code title={cell.artifact_name}>{versionOf(cell)}</code>;
  if (cell.fingerprint === '') return text;
  const href = flow === '' ? paths.anyArtifact(org, cell.fingerprint) : paths.artifact(org, flow, cell.fingerprint);
  return <Link href={href}>{text}</Link>;
}

/** Without a flow the artifact has no page of its own. */
function whyOf(org: string, cell: MatrixCell, flow: string, environment: string): string {
  return flow === '' || cell.fingerprint === ''
    ? paths.environmentWhy(org, environment)
    : paths.artifactWhy(org, flow, cell.fingerprint, environment);
}
