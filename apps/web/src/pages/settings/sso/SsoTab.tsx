import { ApiError } from '@waymark/client';
import { getSso } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { Loaded } from '../../../ui/States.tsx';
import { Permitted } from '../Permitted.tsx';
import { SharedOnly } from '../SharedOnly.tsx';
import { ScimPanel } from './ScimPanel.tsx';
import { SsoForm } from './SsoForm.tsx';
import { SsoState } from './SsoState.tsx';

export function SsoTab() {
  const org = useOrg();
  return (
    <SharedOnly otherwise="Single sign-on and SCIM are available only in shared orgs.">
      <Permitted permission="manage_org" what="Single sign-on and SCIM settings">
        <div className="space-y-4">
          <SingleSignOn org={org} />
          <ScimPanel org={org} />
        </div>
      </Permitted>
    </SharedOnly>
  );
}

function SingleSignOn({ org }: { readonly org: string }) {
  const answer = useRead(getSso, { params: { org } }, { fresh: true });
  const isMissing = answer.error instanceof ApiError && answer.error.status === 404;
  if (isMissing) return <SsoForm org={org} sso={null} />;
  return (
    <Loaded of={answer}>
      {(sso) => (
        <div className="space-y-4">
          <SsoState org={org} sso={sso} />
          <SsoForm key={sso.configured_at} org={org} sso={sso} />
        </div>
      )}
    </Loaded>
  );
}
