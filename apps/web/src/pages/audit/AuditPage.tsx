import { lazyRouteComponent, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Empty, Loading } from '../../ui/States.tsx';

const PARTS = {
  activity: { label: 'Activity', page: lazyRouteComponent(() => import('./activity/ActivityTab.tsx'), 'ActivityTab') },
  packages: {
    label: 'Packages and reports',
    page: lazyRouteComponent(() => import('./packages/PackagesTab.tsx'), 'PackagesTab'),
  },
  exceptions: {
    label: 'Waivers and overrides',
    page: lazyRouteComponent(() => import('./exceptions/ExceptionsTab.tsx'), 'ExceptionsTab'),
  },
  compliance: {
    label: 'Compliance over time',
    page: lazyRouteComponent(() => import('./compliance/ComplianceTab.tsx'), 'ComplianceTab'),
  },
  ledger: { label: 'Ledger', page: lazyRouteComponent(() => import('./ledger/LedgerTab.tsx'), 'LedgerTab') },
};
type Part = keyof typeof PARTS;

export function AuditPage() {
  const org = useOrg();
  const { tab }: { tab?: string } = useParams({ strict: false });
  const parts = Object.entries(PARTS).map(([part, { label }]) => ({ href: paths.audit(org, part as Part), label }));
  const Content = tab === undefined ? ToActivity : Object.hasOwn(PARTS, tab) ? PARTS[tab as Part].page : Unknown;
  return (
    <>
      <PageHead
        title="Audit"
        note="Activity, audit packages, waivers, compliance over time, and the ledger."
        tabs={parts}
      />
      <Suspense fallback={<Loading />}>
        <Content />
      </Suspense>
    </>
  );
}

function ToActivity() {
  const org = useOrg();
  const navigate = useNavigate();
  useEffect(() => void navigate({ href: paths.audit(org, 'activity'), replace: true }), [navigate, org]);
  return <Loading />;
}

function Unknown() {
  return <Empty title="Page not found">Choose one of the tabs above.</Empty>;
}
