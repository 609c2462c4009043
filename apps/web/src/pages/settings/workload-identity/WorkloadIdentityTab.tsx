import {
  listWorkloadIdentities,
  removeWorkloadIdentity,
  restoreWorkloadIdentity,
  type WorkloadIdentity,
} from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../../lib/paths.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Link } from '../../../ui/Link.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { Panel, Tag } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { scopeWords } from '../keys/key-scope.ts';
import { Permitted } from '../Permitted.tsx';
import { RowActions } from '../RowActions.tsx';
import { SharedOnly } from '../SharedOnly.tsx';
import { AddRule } from './AddRule.tsx';
import { Claims } from './Claims.tsx';
import { InTheJob } from './InTheJob.tsx';

export function WorkloadIdentityTab() {
  return (
    <SharedOnly otherwise="Jobs act as service accounts, which are available only in shared orgs.">
      <Permitted permission="manage_workload_identities" what="Workload identity rules">
        <Rules />
      </Permitted>
    </SharedOnly>
  );
}

function Rules() {
  const org = useOrg();
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<WorkloadIdentity>();
  const restore = useWrite(restoreWorkloadIdentity, { done: 'Rule restored' });
  const rules = useRead(listWorkloadIdentities, { params: { org } });
  return (
    <div className="space-y-4">
      <NewNotice kinds={['workload_identity']} loadedAt={rules.dataUpdatedAt} onShow={() => void rules.refetch()} />
      <Panel
        flush
        title="Workload identity rules"
        actions={
          <Button variant="primary" onPress={() => setAdding(true)}>
            Add rule
          </Button>
        }
      >
        <Loaded of={rules}>
          {(rows) => (
            <DataTable
              caption="Workload identity rules"
              columns={columnsOf(org, setRemoved, (rule) => restore.mutate({ params: { org, identity_id: rule.id } }))}
              rows={rows}
              rowKey={({ id }) => id}
              empty={
                <Empty
                  title="No rules yet"
                  command={`waymark trust add github acme/web --org ${org} \\\n  --repository-id 1296269 --sa builder --branch main \\\n  --scope evidence`}
                >
                  A CI job proves its repository with a token of its CI system, and gets a key that is valid for 15
                  minutes. No secret is stored. From the command line:
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      <InTheJob org={org} />
      {adding && <AddRule onClose={() => setAdding(false)} />}
      {removed && <RemoveRule rule={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  );
}

function columnsOf(
  org: string,
  onRemove: (rule: WorkloadIdentity) => void,
  onRestore: (rule: WorkloadIdentity) => void,
): readonly Column<WorkloadIdentity>[] {
  return [
    {
      key: 'name',
      title: 'Rule',
      wide: true,
      cell: ({ name, issuer, claims, suspended_at, suspends_at }) => (
        <div className="min-w-0">
          <span className="font-medium">{name}</span>{' '}
          {suspended_at !== null && <StateBadge state="unknown" word="Suspended" />}
          {suspends_at !== null && (
            <div className="text-[13px] text-quiet">
              Suspended from <Time at={suspends_at} as="exact" /> on, because the person who created it left
            </div>
          )}
          <div className="text-[13px] text-quiet">issuer {issuer}</div>
          <Claims of={claims} />
        </div>
      ),
    },
    {
      key: 'account',
      title: 'Acts as',
      cell: ({ service_account, active, scope }) =>
        active ? (
          <span className="inline-flex flex-wrap items-center gap-1.5">
            <Link href={paths.serviceAccount(org, service_account)}>{service_account}</Link>
            {scope && <Tag>{scopeWords(scope)}</Tag>}
          </span>
        ) : (
          <span className="inline-flex flex-wrap items-center gap-1.5">
            {service_account} <StateBadge state="unknown" word="Deleted: accepts no jobs" />
          </span>
        ),
    },
    {
      key: 'created',
      title: 'Added',
      secondary: true,
      cell: ({ created_at, created_by }) => (
        <>
          <Time at={created_at} /> <span className="text-quiet">by {created_by}</span>
        </>
      ),
    },
    {
      key: 'actions',
      title: 'Actions',
      cell: (rule) => (
        <RowActions>
          {(rule.suspended_at !== null || rule.suspends_at !== null) && (
            <Button
              aria-label={`${rule.suspends_at === null ? 'Restore' : 'Keep'} ${rule.name}`}
              onPress={() => onRestore(rule)}
            >
              {rule.suspends_at === null ? 'Restore' : 'Keep'}
            </Button>
          )}
          <Button variant="remove" aria-label={`Remove ${rule.name}`} onPress={() => onRemove(rule)}>
            Remove
          </Button>
        </RowActions>
      ),
    },
  ];
}

function RemoveRule({ rule, onClose }: { readonly rule: WorkloadIdentity; readonly onClose: () => void }) {
  const org = useOrg();
  const write = useWrite(removeWorkloadIdentity, { done: `${rule.name} removed`, onDone: onClose });
  return (
    <ConfirmDialog
      title={`Remove ${rule.name}`}
      confirm="Remove rule"
      write={write}
      onConfirm={() => write.mutate({ params: { org, identity_id: rule.id } })}
      onClose={onClose}
    >
      <p>
        Its jobs can no longer act as {rule.service_account}. Their current keys are revoked, so running jobs fail at
        their next request.
      </p>
      <p className="text-quiet">Their records are kept.</p>
    </ConfirmDialog>
  );
}
