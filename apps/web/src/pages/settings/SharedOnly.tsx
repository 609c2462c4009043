import type { ReactNode } from 'react';
import { useOrgKind } from '../../lib/session.ts';
import { Notice } from '../../ui/Panel.tsx';

/** Hides what the server accepts in shared orgs only. */
export function SharedOnly({ otherwise, children }: { readonly otherwise: ReactNode; readonly children: ReactNode }) {
  if (useOrgKind() !== 'personal') return children;
  return (
    <Notice kind="info" title="This is your personal org">
      {otherwise}
    </Notice>
  );
}
