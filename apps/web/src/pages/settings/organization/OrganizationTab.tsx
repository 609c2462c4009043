import { getOrganization } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useRole } from '../../../lib/session.ts';
import { Facts, Panel } from '../../../ui/Panel.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { roleSays } from '../role-words.ts';
import { ChangeControl } from './ChangeControl.tsx';
import { ExperimentalFeatures } from './ExperimentalFeatures.tsx';
import { FindingsThreshold } from './FindingsThreshold.tsx';
import { MembersVisible } from './MembersVisible.tsx';
import { CreateOrg, DefaultOrg, LeaveOrg } from './OwnPlace.tsx';
import { StorageUse } from './StorageUse.tsx';
import { SuspensionDelay } from './SuspensionDelay.tsx';
import { UnverifiedEvidence } from './UnverifiedEvidence.tsx';
import { WaiverRules } from './WaiverRules.tsx';

export function OrganizationTab() {
  const name = useOrg();
  const role = useRole();
  const org = useRead(getOrganization, { params: { org: name } }, { fresh: true });
  return (
    <Loaded of={org}>
      {(found) => (
        <div className="space-y-4">
          <Panel title="Organization">
            <Facts
              rows={[
                ['Name', found.name],
                ['Type', found.kind === 'personal' ? 'personal: exactly one member' : 'shared'],
                ['Created', <Time key="created" at={found.created_at} as="exact" />],
                ['Last change', <Time key="changed" at={found.last_modified_at} />],
                [
                  'Your role',
                  role && (
                    <span key="role">
                      {role} <span className="block text-[13px] text-quiet">{roleSays(role)}</span>
                    </span>
                  ),
                ],
              ]}
            />
            <p className="mt-3 text-[13px] text-quiet">The name cannot be changed: it is part of every URL.</p>
          </Panel>
          <StorageUse org={found.name} />
          <FindingsThreshold org={found} />
          <UnverifiedEvidence org={found} />
          <WaiverRules org={found} />
          {found.kind === 'shared' && <MembersVisible org={found} />}
          {found.kind === 'shared' && <SuspensionDelay org={found} />}
          <ChangeControl org={found} />
          <ExperimentalFeatures org={found} />
          <Panel title="Your membership">
            <div className="space-y-5">
              <DefaultOrg org={found.name} />
              {found.kind === 'shared' && <LeaveOrg org={found.name} />}
            </div>
          </Panel>
          <CreateOrg />
        </div>
      )}
    </Loaded>
  );
}
