import { getFlow } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Failure, LineLoading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { LatestTrail } from './LatestTrails.tsx';

export function useFlow() {
  return useRead(getFlow, { params: { org: useOrg(), flow_name: useParam('flow') } }, { fresh: true });
}

/** The header of every page of a flow. */
export function FlowHead({ actions }: { readonly actions?: React.ReactNode }) {
  const org = useOrg();
  const name = useParam('flow');
  const { data, error, refetch } = useFlow();
  const isMissing = error !== null && !data;
  return (
    <>
      <PageHead
        title={data?.name ?? name}
        crumbs={[{ href: paths.flows(org), label: 'Flows' }]}
        state={data && <LatestTrail org={org} flow={name} />}
        note={
          data ? (
            <span className="flex flex-wrap gap-x-4">
              {data.description !== '' && <span>{data.description}</span>}
              <span>
                Last deployment <Time at={data.last_deployment_at} none="never" />
              </span>
            </span>
          ) : (
            !isMissing && <LineLoading />
          )
        }
        actions={actions}
        {...(!isMissing && {
          tabs: [
            { href: paths.flow(org, name), label: 'Trails' },
            { href: paths.flowTemplate(org, name), label: 'Template' },
          ],
        })}
      />
      {isMissing && <Failure error={error} retry={() => void refetch()} />}
    </>
  );
}
