import { type DeliveryDetail, getDelivery, redeliver } from '@waymark/contract';
import { useNow } from '../../lib/now.ts';
import { paths } from '../../lib/paths.ts';
import { problemOf, useRead, useWrite } from '../../lib/queries.ts';
import { useOrg, useParam } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Link } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Facts, Notice, Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { JsonView } from '../attestations/JsonView.tsx';
import { TARGET_WORDS } from '../notifications/target-words.ts';
import { shortTrigger } from '../notifications/trigger-words.ts';
import { Attempts } from './Attempts.tsx';
import { DeliveryState } from './DeliveryState.tsx';
import { useRefetchWhile } from './use-refetch-while.ts';

const SOON_SECONDS = 45;

export function DeliveryPage() {
  const org = useOrg();
  const id = useParam('delivery');
  const delivery = useRead(getDelivery, { params: { org, delivery_id: id } }, { fresh: true });
  const { data } = delivery;
  const now = useNow();
  useRefetchWhile(data?.state === 'waiting' && (data.next_attempt_at ?? 0) < now + SOON_SECONDS, delivery.refetch);
  return (
    <>
      <PageHead
        title={data ? `Delivery to ${data.target.to}` : 'Delivery'}
        crumbs={[{ href: paths.deliveries(org), label: 'Deliveries' }]}
        state={data && <DeliveryState state={data.state} size="large" />}
        note={data?.description}
        actions={data && <Redeliver org={org} of={data} />}
      />
      <Loaded of={delivery}>
        {(found) => (
          <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
            <div className="space-y-4">
              <Panel title="Attempts" note={`${found.attempts.length} so far`}>
                <AttemptList of={found} />
              </Panel>
              <Panel title="Details">
                <DeliveryFacts org={org} of={found} />
              </Panel>
            </div>
            <Panel title="Payload" note={found.target.type === 'WEBHOOK' ? undefined : 'source of the message'}>
              <JsonView value={found.body} what="body" />
              {found.target.type === 'WEBHOOK' && (
                <p className="mt-2 text-[13px] text-quiet">
                  Sent as a POST with the headers <code>webhook-id</code>, <code>webhook-timestamp</code>, and{' '}
                  <code>webhook-signature</code>. Secrets are not part of the body.
                </p>
              )}
            </Panel>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Redeliver({ org, of }: { readonly org: string; readonly of: DeliveryDetail }) {
  const whyNot = useWhyNot('manage_notifications');
  const write = useWrite(redeliver, { done: 'Queued for redelivery. The next attempt appears below.' });
  const problem = problemOf(write.error);
  return (
    <div className="flex max-w-md flex-col items-end gap-2">
      <Button
        variant="primary"
        isDisabled={write.isPending}
        whyNot={whyNever(of) ?? whyNot}
        onPress={() => write.mutate({ params: { org, delivery_id: of.id } })}
      >
        {of.state === 'waiting' ? 'Retry now' : 'Redeliver'}
      </Button>
      {problem && (
        <Notice kind="bad" announce title="Couldn’t redeliver the message">
          {problem.message}
        </Notice>
      )}
    </div>
  );
}

/** Deliveries that nobody can resend, whatever their role. */
function whyNever({ event_type, target, state }: DeliveryDetail): string | undefined {
  if (event_type === 'TEST') return 'A test is sent only once: send another one from its notification';
  return target.type === 'EMAIL' && state === 'delivered' ? 'A delivered email cannot be redelivered' : undefined;
}

function AttemptList({ of }: { readonly of: DeliveryDetail }) {
  return (
    <div className="space-y-4">
      {of.attempts.length > 0 ? <Attempts attempts={of.attempts} /> : <Empty title="No attempts yet" />}
      <Outlook of={of} />
    </div>
  );
}

/** What happens next, if anything does. */
function Outlook({ of }: { readonly of: DeliveryDetail }) {
  if (of.state === 'waiting')
    return (
      <Notice kind="unsure" title="Waiting">
        Next attempt <Time at={of.next_attempt_at} none="as soon as its target is free" />. Waymark waits longer after
        each failure of a target.
      </Notice>
    );
  if (of.state === 'failed')
    return (
      <Notice kind="bad" title="No more automatic attempts">
        The receiver rejected it, or all attempts failed. Redeliver it when the receiver works again.
      </Notice>
    );
  if (of.state === 'dropped')
    return (
      <Notice kind="info" title="Never sent">
        {of.dropped_because ?? 'Its target was removed or disabled, or the recipient unsubscribed.'}
      </Notice>
    );
  return null;
}

function DeliveryFacts({ org, of }: { readonly org: string; readonly of: DeliveryDetail }) {
  return (
    <Facts
      rows={[
        ['Trigger', shortTrigger(of.event_type)],
        [
          'Notification',
          of.notification ? (
            <Link href={`${paths.notifications(org)}?number=${of.notification.number}`}>{of.notification.name}</Link>
          ) : (
            'org-wide setting'
          ),
        ],
        ['Environment', of.environment && <Link href={paths.environment(org, of.environment)}>{of.environment}</Link>],
        ['Flow', of.flow && <Link href={paths.flow(org, of.flow)}>{of.flow}</Link>],
        ['Target', `${of.target.to}, ${TARGET_WORDS[of.target.type].toLowerCase()}`],
        ['Events', of.count],
        ['Sequence', of.sequence],
        ['Created', <Time key="made" at={of.created_at} as="exact" />],
        ['Ended', of.ended_at === null ? null : <Time at={of.ended_at} as="exact" />],
        [
          'ID',
          <span key="id">
            <code>{of.id}</code> <CopyButton text={of.id} what="ID" />
          </span>,
        ],
      ]}
    />
  );
}
