import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { PageHead } from '../../ui/PageHead.tsx';
import { Empty, Loading } from '../../ui/States.tsx';
import { ActivityTab } from './activity/ActivityTab.tsx';
import { ComplianceTab } from './compliance/ComplianceTab.tsx';
import { ExceptionsTab } from './exceptions/ExceptionsTab.tsx';
import { PackagesTab } from './packages/PackagesTab.tsx';

const PARTS = {
  activity: { label: 'Activity', page: ActivityTab },
  packages: { label: 'Packages and reports', page: PackagesTab },
  exceptions: { label: 'Exceptions', page: ExceptionsTab },
  compliance: { label: 'Compliance over time', page: ComplianceTab },
};
type Part = keyof typeof PARTS;

export function AuditPage() {
  const org = useOrg();
  const { tab }: { tab?: string } = useParams({ strict: false });
  const parts = Object.entries(PARTS).map(([part, { label }]) => ({ href: paths.audit(org, part as Part), label }));
  const Content = tab === undefined ? ToActivity : Object.hasOwn(PARTS, tab) ? PARTS[tab as Part].page : Unknown;
  return (
    <>
      <PageHead title="Audit" note="Prove it: what was done, by whom, and what was let pass." tabs={parts} />
      <Content />
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
  return <Empty title="There is no such part of the audit">Choose one of those above.</Empty>;
}
