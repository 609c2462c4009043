import { type Action, deleteAction } from '@waymark/contract';
import { paths, withQuery } from '../../lib/paths.ts';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Link } from '../../ui/Link.tsx';
import { Notice, Panel, Tag } from '../../ui/Panel.tsx';
import { Time } from '../../ui/Time.tsx';
import { NotificationForm } from './NotificationForm.tsx';
import { editable, scopesOf, triggerWords } from './notification-draft.ts';
import { TargetRow } from './TargetRow.tsx';
import { healthOf } from './target-words.ts';
import { useSaveNotification } from './use-save-notification.ts';

/** One notification: its scope, triggers and targets, and whether messages arrive. */
export function NotificationCard({ of, taken }: { readonly of: Action; readonly taken: readonly string[] }) {
  const org = useOrg();
  const whyNot = useWhyNot('manage_notifications');
  const scopes = scopesOf(of);
  const scopePath = of.type === 'env' ? paths.environment : paths.flow;
  const words = new Map(triggerWords(of.type));
  return (
    <Panel
      title={of.name}
      note={
        <span>
          {of.type === 'env' ? 'Environments' : 'Flows'} · by {of.created_by}, <Time at={of.created_at} />
        </span>
      }
      actions={
        <>
          <Link
            href={withQuery(paths.deliveries(org), { notification: of.number })}
            className="text-[13px] font-medium no-print"
          >
            All deliveries
          </Link>
          <DialogButton label="Edit" title={`Edit ${of.name}`} wide whyNot={whyNot}>
            {(close) => <NotificationForm start={editable(of)} taken={taken} onClose={close} />}
          </DialogButton>
          <DialogButton label="Delete" variant="quiet" title={`Delete ${of.name}?`} whyNot={whyNot && ''}>
            {(close) => <Delete of={of} onClose={close} />}
          </DialogButton>
        </>
      }
    >
      <div className="grid gap-x-8 gap-y-3 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="space-y-3">
          <div>
            <h3 className="text-[13px] font-medium text-quiet">Scope</h3>
            <p className="flex flex-wrap gap-x-3 [overflow-wrap:anywhere]">
              {scopes.map((name) => (
                <Link key={name} href={scopePath(org, name)}>
                  {name}
                </Link>
              ))}
              {scopes.length === 0 && <span className="text-quiet">nothing: everything in scope is archived</span>}
            </p>
          </div>
          <div>
            <h3 className="text-[13px] font-medium text-quiet">Triggers</h3>
            <ul className="list-disc pl-4">
              {of.triggers.map((trigger) => (
                <li key={trigger}>{words.get(trigger) ?? trigger}</li>
              ))}
            </ul>
          </div>
          {of.is_created_from_chat_app && <Tag>Created in the chat</Tag>}
        </div>
        <div>
          <h3 className="text-[13px] font-medium text-quiet">Targets</h3>
          <ul className="divide-y divide-line">
            {of.targets.map((target) => (
              <TargetRow key={target.id} of={target} whyNot={whyNot} />
            ))}
          </ul>
          {of.targets.some((target) => healthOf(target) === 'given-up') && <UseAgain of={of} whyNot={whyNot} />}
        </div>
      </div>
    </Panel>
  );
}

/** Saving it unchanged re-enables disabled targets. */
function UseAgain({ of, whyNot }: { readonly of: Action; readonly whyNot: string | undefined }) {
  const { save, error, isPending } = useSaveNotification('Target re-enabled.');
  return (
    <Notice
      kind="bad"
      title="A target is disabled and receives no messages"
      actions={
        <Button isDisabled={isPending} whyNot={whyNot} onPress={() => save(editable(of))}>
          Re-enable target
        </Button>
      }
    >
      {error ? error.message : 'Send a test first to check that the target works.'}
    </Notice>
  );
}

function Delete({ of, onClose }: { readonly of: Action; readonly onClose: () => void }) {
  const org = useOrg();
  const write = useWrite(deleteAction, { done: `${of.name} deleted.`, onDone: onClose });
  return (
    <Form
      danger
      submit="Delete notification"
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ params: { org, number: of.number } })}
      onCancel={onClose}
    >
      <p>
        Waymark stops sending its messages, and drops those queued for its targets. Sent messages stay visible for 30
        days.
      </p>
    </Form>
  );
}
