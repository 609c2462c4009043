import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Loading } from '../../ui/States.tsx';
import { AllowList } from './AllowList.tsx';
import { AttachedPolicies } from './AttachedPolicies.tsx';
import { EnvironmentHead, useEnvironment } from './EnvironmentHead.tsx';
import { MembersInstead } from './MembersInstead.tsx';
import { ReportOnlyPolicies } from './ReportOnlyPolicies.tsx';

/** The policies that apply, and the waivers. */
export function EnvironmentPoliciesPage() {
  const org = useOrg();
  const { data: environment, error } = useEnvironment();
  return (
    <>
      <EnvironmentHead />
      {!environment && !error && <Loading />}
      {environment && (
        <div className="space-y-4">
          {environment.type === 'logical' ? (
            <MembersInstead
              environment={environment}
              what="policies"
              to={(name) => paths.environmentPolicies(org, name)}
            />
          ) : (
            <>
              <AttachedPolicies environment={environment} />
              <ReportOnlyPolicies key={environment.id} environment={environment} />
            </>
          )}
          <AllowList key={environment.id} environment={environment} />
        </div>
      )}
    </>
  );
}
