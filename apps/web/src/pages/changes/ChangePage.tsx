import { type ChangeRequest, getChangeRequest, stateLines } from '@waymark/contract';
import { TextDiff } from '../../editor/TextDiff.tsx';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { ChangeActions } from './ChangeActions.tsx';
import { ChangeBackTest } from './ChangeBackTest.tsx';
import { ChangeState } from './ChangeState.tsx';

export function ChangePage() {
  const org = useOrg();
  const id = useParam('change');
  const request = useRead(getChangeRequest, { params: { org, id } }, { fresh: true });
  const { data } = request;
  return (
    <>
      <PageHead
        title={data ? data.subject.name : 'Change request'}
        crumbs={[{ href: paths.changes(org), label: 'Change requests' }]}
        state={data && <ChangeState state={data.state} size="large" />}
        note={data?.summary}
        actions={data && <ChangeActions org={org} of={data} />}
      />
      <NewNotice kinds={['change_request']} loadedAt={request.dataUpdatedAt} onShow={() => void request.refetch()} />
      <Loaded of={request}>{(found) => <Parts org={org} of={found} />}</Loaded>
    </>
  );
}

function Parts({ org, of }: { readonly org: string; readonly of: ChangeRequest }) {
  const text = of.after?.['policy_yaml'];
  return (
    <div className="space-y-4">
      {of.state === 'pending' && of.is_outdated && (
        <Notice kind="bad" title="This change can no longer be approved">
          {`${of.subject.name} has changed since the request. Request the change again.`}
        </Notice>
      )}
      <Panel title="Request">
        <Facts
          rows={[
            ['Requested by', of.asked_through === null ? of.asked_by : `${of.asked_by}, through ${of.asked_through}`],
            ['Requested', <Time key="asked" at={of.asked_at} as="exact" />],
            ['Expires', of.state === 'pending' ? <Time key="expires" at={of.expires_at} as="exact" /> : null],
            ['Ended', of.ended_at === null ? null : <Time key="ended" at={of.ended_at} as="exact" />],
            ['Ended by', of.ended_by],
            ['Reason', of.reason],
          ]}
        />
      </Panel>
      <Panel title="Changes" note={diffNote(of)}>
        <TextDiff
          label="The subject before and after the change"
          before={stateLines(of.before)}
          after={stateLines(of.after)}
        />
      </Panel>
      {of.state === 'pending' && of.subject.kind === 'policy' && typeof text === 'string' && (
        <ChangeBackTest org={org} name={of.subject.name} text={text} isNew={of.before === null} />
      )}
    </div>
  );
}

function diffNote({ before, after }: ChangeRequest): string {
  if (before === null) return 'It does not exist yet';
  return after === null ? 'It would no longer exist' : 'Before and after';
}
