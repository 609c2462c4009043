import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Empty } from '../../ui/States.tsx';
import { AuditLogTab } from './audit-log/AuditLogTab.tsx';
import { OwnKeysTab } from './keys/OwnKeysTab.tsx';
import { MembersTab } from './members/MembersTab.tsx';
import { OrganizationTab } from './organization/OrganizationTab.tsx';
import { ServiceAccountsTab } from './service-accounts/ServiceAccountsTab.tsx';
import { SessionsTab } from './sessions/SessionsTab.tsx';
import { SETTINGS_PARTS, type SettingsPart, settingsTabs } from './settings-parts.ts';
import { SsoTab } from './sso/SsoTab.tsx';
import { TrustTab } from './trust/TrustTab.tsx';
import { WorkloadIdentityTab } from './workload-identity/WorkloadIdentityTab.tsx';

const CONTENT: Record<SettingsPart, () => React.ReactNode> = {
  members: MembersTab,
  'audit-log': AuditLogTab,
  'service-accounts': ServiceAccountsTab,
  keys: OwnKeysTab,
  'workload-identity': WorkloadIdentityTab,
  sso: SsoTab,
  trust: TrustTab,
  sessions: SessionsTab,
  organization: OrganizationTab,
};

const isPart = (tab: string): tab is SettingsPart => Object.hasOwn(CONTENT, tab);

export function SettingsPage() {
  const org = useOrg();
  const { tab }: { tab?: string } = useParams({ strict: false });
  const navigate = useNavigate();
  useEffect(() => {
    if (tab === undefined) void navigate({ href: paths.settings(org, 'members'), replace: true });
  }, [tab, org, navigate]);
  const part = SETTINGS_PARTS.find(({ id }) => id === tab);
  useEffect(() => {
    if (part) document.title = `${part.label} · Settings · Waymark`;
  }, [part]);
  const Content = tab !== undefined && isPart(tab) ? CONTENT[tab] : undefined;
  return (
    <>
      <PageHead title="Settings" note={part?.says} tabs={settingsTabs(org)} />
      {Content && <Content key={tab} />}
      {tab !== undefined && !Content && (
        <Empty title="There is no such part of the settings">Choose one of the parts above.</Empty>
      )}
    </>
  );
}
