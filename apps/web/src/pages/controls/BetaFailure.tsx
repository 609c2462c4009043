import { ApiError } from '@waymark/client';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { Notice } from '../../ui/Panel.tsx';

/** Controls are beta. Behind a proxy that drops our header, the org has to turn them on. */
export function BetaFailure({ error }: { readonly error: Error | null }) {
  const org = useOrg();
  if (!(error instanceof ApiError) || error.status !== 403 || !/beta/i.test(error.message)) return null;
  return (
    <div className="mb-3">
      <Notice kind="unsure" title="Controls are not turned on for this org">
        Controls are in beta. An admin can turn on beta features in the{' '}
        <Link href={paths.settings(org, 'organization')} className="underline">
          organization settings
        </Link>
        .
      </Notice>
    </div>
  );
}
