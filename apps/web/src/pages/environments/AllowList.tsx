import { type Environment, listEnvironmentWaivers, type Waiver, withdrawWaiver } from '@waymark/contract';
import { useState } from 'react';
import { z } from 'zod';
import { listPage } from '../../lib/list-page.ts';
import { useNow } from '../../lib/now.ts';
import { paths } from '../../lib/paths.ts';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Digits } from '../../ui/Copy.tsx';
import { type Column, DataTable } from '../../ui/DataTable.tsx';
import { Checkbox } from '../../ui/Fields.tsx';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { StateBadge } from '../../ui/StateBadge.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { AllowButton } from './AllowArtifact.tsx';
import { RenewWaiver } from './RenewWaiver.tsx';
import { counts, waiverStateOf } from './waiver-state.ts';

const Search = z.object({
  ended: z.literal('yes').optional(),
  page: z.coerce.number().int().min(1).default(1),
});

interface OfEnvironment {
  readonly environment: Environment;
}

/** The waivers of the environment: until when, and who granted them. */
export function AllowList({ environment }: OfEnvironment) {
  const org = useOrg();
  const now = useNow();
  const whyNot = useWhyNot('manage_environments');
  const isLogical = environment.type === 'logical';
  const [search, change] = useSearchState(Search);
  const [withdrawn, setWithdrawn] = useState<Waiver>();
  const waivers = useRead(listEnvironmentWaivers, {
    params: { org, env_name: environment.name },
    query: { ...(search.ended === 'yes' && { ended: 'true' as const }) },
  });
  return (
    <>
      <NewNotice
        kinds={['environment', 'allow_listing']}
        {...(!isLogical && { subjectId: environment.id })}
        loadedAt={waivers.dataUpdatedAt}
        onShow={() => void waivers.refetch()}
      />
      <Panel
        title="Waivers"
        note="Artifacts allowed to run here despite failing policies."
        actions={!isLogical && <AllowButton environment={environment} whyNot={whyNot} />}
        flush
      >
        <div className="px-4 pb-3 no-print">
          <Checkbox
            isSelected={search.ended === 'yes'}
            onChange={(on) => change({ ended: on ? 'yes' : undefined, page: undefined })}
          >
            Include expired and withdrawn
          </Checkbox>
        </div>
        <Loaded of={waivers}>
          {(all) => {
            const { rows, page, pages, total } = listPage(all, search.page);
            return (
              <>
                <DataTable
                  caption={`Waivers in ${environment.name}`}
                  columns={columnsOf({ org, now, whyNot, isLogical, onWithdraw: setWithdrawn })}
                  rows={rows}
                  rowKey={({ id }) => id}
                  empty={<NothingAllowed environment={environment} />}
                />
                <Pager
                  page={page}
                  pages={pages}
                  total={total}
                  what={total === 1 ? 'waiver' : 'waivers'}
                  onPage={(to) => change({ page: to })}
                />
              </>
            );
          }}
        </Loaded>
      </Panel>
      {withdrawn && <Withdraw waiver={withdrawn} onClose={() => setWithdrawn(undefined)} />}
    </>
  );
}

interface Shown {
  readonly org: string;
  readonly now: number;
  readonly whyNot: string | undefined;
  readonly isLogical: boolean;
  readonly onWithdraw: (waiver: Waiver) => void;
}

function columnsOf({ org, now, whyNot, isLogical, onWithdraw }: Shown): readonly Column<Waiver>[] {
  const where: Column<Waiver> = {
    key: 'environment',
    title: 'Environment',
    cell: ({ environment_name: name }) => <Link href={paths.environmentPolicies(org, name)}>{name}</Link>,
  };
  return [
    {
      key: 'artifact',
      title: 'Artifact',
      cell: ({ artifact_name, fingerprint }) => (
        <div className="min-w-40 [overflow-wrap:anywhere]">
          <Link href={paths.anyArtifact(org, fingerprint)} className="font-medium">
            {artifact_name}
          </Link>
          <div className="text-[12.5px] text-quiet">
            <Digits text={fingerprint} what="fingerprint" />
          </div>
        </div>
      ),
    },
    ...(isLogical ? [where] : []),
    { key: 'reason', title: 'Reason', wide: true, cell: ({ description }) => description },
    {
      key: 'by',
      title: 'By',
      cell: ({ user_name, timestamp }) => (
        <div>
          {user_name}
          <div className="text-[12.5px] text-quiet">
            <Time at={timestamp} />
          </div>
        </div>
      ),
    },
    { key: 'until', title: 'Expires', cell: (waiver) => <Until waiver={waiver} now={now} /> },
    {
      key: 'actions',
      title: 'Actions',
      cell: (waiver) =>
        !counts(waiverStateOf(waiver, now)) ? (
          <span className="text-quiet">–</span>
        ) : (
          <span className="flex flex-wrap gap-2 sm:flex-nowrap">
            {waiver.expires_at !== null && <RenewWaiver of={waiver} />}
            <Button
              variant="remove"
              isDisabled={whyNot !== undefined}
              aria-label={`Withdraw ${waiver.artifact_name}`}
              onPress={() => onWithdraw(waiver)}
            >
              Withdraw
            </Button>
          </span>
        ),
    },
  ];
}

const END_WORDS = { withdrawn: 'Withdrawn', replaced: 'Replaced', expired: 'Expired' };

function Until({ waiver, now }: { readonly waiver: Waiver; readonly now: number }) {
  const { ended_at, ended_by, end_reason, expires_at } = waiver;
  if (ended_at !== null)
    return (
      <div>
        {end_reason === null ? 'Ended' : END_WORDS[end_reason]} <Time at={ended_at} />
        {ended_by !== null && end_reason !== 'expired' && <div className="text-[12.5px] text-quiet">by {ended_by}</div>}
      </div>
    );
  if (expires_at === null) return <StateBadge state="waived" word="No expiry" />;
  const state = waiverStateOf(waiver, now);
  if (state === 'expired')
    return (
      <div>
        {END_WORDS.expired} <Time at={expires_at} />
      </div>
    );
  return (
    <div>
      {state === 'expiring' ? (
        <StateBadge state="unknown" word="Expires soon" />
      ) : (
        <StateBadge state="waived" word="Active" />
      )}
      <div className="mt-0.5 text-[12.5px] text-quiet">
        <Time at={expires_at} as="exact" /> (<Time at={expires_at} />)
      </div>
    </div>
  );
}

function Withdraw({ waiver, onClose }: { readonly waiver: Waiver; readonly onClose: () => void }) {
  const org = useOrg();
  const { artifact_name, environment_name, fingerprint } = waiver;
  const withdraw = useWrite(withdrawWaiver, {
    done: `Waiver for ‘${artifact_name}’ withdrawn`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      title={`Withdraw the waiver for ${artifact_name}?`}
      confirm="Withdraw waiver"
      write={withdraw}
      onClose={onClose}
      onConfirm={() => withdraw.mutate({ params: { org, env_name: environment_name, fingerprint } })}
    >
      <p>
        The policies of {environment_name} apply again at once. If the artifact runs there and fails one of them, the
        environment becomes non-compliant.
      </p>
      <p>Waymark keeps the record of the waiver.</p>
    </ConfirmDialog>
  );
}

function NothingAllowed({ environment: { name, type } }: OfEnvironment) {
  const org = useOrg();
  if (type === 'logical') return <Empty title="No waivers in its members" />;
  return (
    <Empty
      title="No waivers"
      command={`waymark waiver add FINGERPRINT --env ${name} --reason 'Hotfix, reviewed later' --expires 7d --org ${org}`}
    >
      Every artifact that runs here must satisfy the policies. To add a waiver for one, with a reason and an expiry:
    </Empty>
  );
}
