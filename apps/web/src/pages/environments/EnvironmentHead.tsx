import { getEnvironment } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Failure, LineLoading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { EnvironmentState } from './EnvironmentState.tsx';
import { TYPE_WORDS } from './type-words.ts';

export function useEnvironment() {
  return useRead(getEnvironment, { params: { org: useOrg(), env_name: useParam('env') } }, { fresh: true });
}

/** The header of every page of an environment: its verdict, how old it is, and the tabs. */
export function EnvironmentHead({ actions }: { readonly actions?: React.ReactNode }) {
  const org = useOrg();
  const env = useParam('env');
  const { data, error, refetch } = useEnvironment();
  const isMissing = error !== null && !data;
  const parts = [
    { href: paths.environment(org, env), label: 'Now', isAlone: true },
    { href: paths.timeline(org, env), label: 'Timeline' },
    { href: paths.snapshots(org, env), label: 'Snapshots' },
    { href: paths.events(org, env), label: 'Events' },
    { href: paths.environmentPolicies(org, env), label: 'Policies' },
    { href: paths.environmentSettings(org, env), label: 'Settings' },
  ];
  return (
    <>
      <PageHead
        title={data?.name ?? env}
        crumbs={[{ href: paths.environments(org), label: 'Environments' }]}
        state={data && <EnvironmentState of={data} size="large" />}
        note={
          data ? (
            <span className="flex flex-wrap gap-x-4">
              <span>{TYPE_WORDS[data.type]}</span>
              <span>
                Last change <Time at={data.last_changed_at} none="never" />
              </span>
              <span>
                Last report <Time at={data.last_reported_at} none="never" />
              </span>
              {data.description !== '' && <span>{data.description}</span>}
            </span>
          ) : (
            !isMissing && <LineLoading />
          )
        }
        {...(!isMissing && {
          actions: actions ?? <LinkButton href={paths.environmentWhy(org, env)}>Why?</LinkButton>,
          tabs: parts,
        })}
      />
      {isMissing && <Failure error={error} retry={() => void refetch()} />}
    </>
  );
}
