import { listWorkloadIdentities } from '@waymark/contract';
import { paths } from '../../../lib/paths.ts';
import { useRead } from '../../../lib/queries.ts';
import { useMay } from '../../../lib/session.ts';
import { Link } from '../../../ui/Link.tsx';
import { Panel, Tag } from '../../../ui/Panel.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { scopeWords } from '../keys/key-scope.ts';
import { Claims } from '../workload-identity/Claims.tsx';

/** Which jobs act as this service account without a key. */
export function AccountRules({ org, name }: { readonly org: string; readonly name: string }) {
  const may = useMay('manage_workload_identities');
  const rules = useRead(listWorkloadIdentities, { params: { org } }, { enabled: may });
  const manage = (
    <Link href={paths.settings(org, 'workload-identity')} className="underline">
      Workload identity
    </Link>
  );
  return (
    <Panel title="Workload identity rules">
      {!may && <p className="text-quiet">Only admins can see which CI jobs act as this account.</p>}
      {may && (
        <Loaded of={rules} lines={2}>
          {(all) => {
            const own = all.filter(({ service_account }) => service_account === name);
            if (own.length === 0)
              return (
                <p className="text-quiet">None. {manage} lets CI jobs act as this account without a stored key.</p>
              );
            return (
              <>
                <ul className="space-y-2">
                  {own.map((rule) => (
                    <li key={rule.id}>
                      <span className="font-medium">{rule.name}</span>{' '}
                      <span className="text-[13px] text-quiet">{rule.issuer}</span>{' '}
                      {rule.scope && <Tag>{scopeWords(rule.scope)}</Tag>}
                      <Claims of={rule.claims} />
                    </li>
                  ))}
                </ul>
                <p className="mt-3 text-[13px] text-quiet">Managed under {manage}.</p>
              </>
            );
          }}
        </Loaded>
      )}
    </Panel>
  );
}
