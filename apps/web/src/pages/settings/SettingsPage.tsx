import { lazyRouteComponent, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Empty, Loading } from '../../ui/States.tsx';
import { SETTINGS_PARTS, type SettingsPart, settingsTabs } from './settings-parts.ts';

const CONTENT: Record<SettingsPart, React.ComponentType> = {
  members: lazyRouteComponent(() => import('./members/MembersTab.tsx'), 'MembersTab'),
  'audit-log': lazyRouteComponent(() => import('./audit-log/AuditLogTab.tsx'), 'AuditLogTab'),
  'service-accounts': lazyRouteComponent(
    () => import('./service-accounts/ServiceAccountsTab.tsx'),
    'ServiceAccountsTab',
  ),
  keys: lazyRouteComponent(() => import('./keys/OwnKeysTab.tsx'), 'OwnKeysTab'),
  'workload-identity': lazyRouteComponent(
    () => import('./workload-identity/WorkloadIdentityTab.tsx'),
    'WorkloadIdentityTab',
  ),
  sso: lazyRouteComponent(() => import('./sso/SsoTab.tsx'), 'SsoTab'),
  trust: lazyRouteComponent(() => import('./trust/TrustTab.tsx'), 'TrustTab'),
  sessions: lazyRouteComponent(() => import('./sessions/SessionsTab.tsx'), 'SessionsTab'),
  organization: lazyRouteComponent(() => import('./organization/OrganizationTab.tsx'), 'OrganizationTab'),
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
      <PageHead
        title={part?.label ?? 'Settings'}
        {...(part && { crumbs: [{ href: paths.settings(org, 'members'), label: 'Settings' }] })}
        note={part?.says}
        tabs={settingsTabs(org)}
        partsOf="Settings"
      />
      <Suspense fallback={<Loading />}>{Content && <Content key={tab} />}</Suspense>
      {tab !== undefined && !Content && <Empty title="Page not found">Choose one of the tabs above.</Empty>}
    </>
  );
}
