import { putEnvironmentNotification, putFlowAction, updateEnvironmentNotification } from '@waymark/contract';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { environmentTriggersOf, flowTriggersOf, type NotificationDraft } from './notification-draft.ts';
import { inputOf } from './target-draft.ts';

/** Flow notifications are identified by name, those of environments by number. */
export function useSaveNotification(done: string, onDone?: () => void) {
  const params = { org: useOrg() };
  const options = { done, ...(onDone && { onDone }) };
  const create = useWrite(putEnvironmentNotification, options);
  const update = useWrite(updateEnvironmentNotification, options);
  const putFlow = useWrite(putFlowAction, options);
  const save = (draft: NotificationDraft) => {
    const common = { name: draft.name.trim(), targets: draft.targets.map(inputOf) };
    if (draft.kind === 'flow')
      return putFlow.mutate({ params, body: { ...common, flows: [...draft.scopes], triggers: flowTriggersOf(draft) } });
    const body = { ...common, environments: [...draft.scopes], triggers: environmentTriggersOf(draft) };
    if (draft.number === null) return create.mutate({ params, body });
    return update.mutate({ params: { ...params, number: draft.number }, body });
  };
  return {
    save,
    error: create.error ?? update.error ?? putFlow.error,
    isPending: create.isPending || update.isPending || putFlow.isPending,
  };
}
