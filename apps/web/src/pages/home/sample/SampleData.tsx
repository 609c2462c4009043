import { useMutation, useQueryClient } from '@tanstack/react-query';
import { listEnvironments } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../../lib/paths.ts';
import { sendWrite, useRead } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { showToast } from '../../../lib/toasts.ts';
import { Button, LinkButton } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { addSample, type Call, removeSample } from './sample-data.ts';
import { isSample, SAMPLE } from './sample-names.ts';

/** Several requests in a row, of which a failed one may leave a part: everything is then refetched as well. */
function useSteps(org: string, steps: (call: Call, org: string) => Promise<void>, done: string, onDone?: () => void) {
  const queries = useQueryClient();
  return useMutation<void, Error>({
    mutationFn: () => steps(sendWrite, org),
    onSuccess: () => showToast('good', done),
    onSettled: async (_, error) => {
      await queries.invalidateQueries();
      if (error === null) onDone?.();
    },
  });
}

/** Offers a small example to an org that has nothing, before its first steps. */
export function AddSample({ org }: { readonly org: string }) {
  const whyNot = useWhyNot('manage_policies');
  const add = useSteps(org, addSample, 'Sample data added');
  return (
    <div className="mb-5 border-b border-line pb-4">
      <h3 className="font-semibold">Look around first</h3>
      <p className="mb-2 max-w-3xl text-quiet">
        Sample data is a flow with two releases, an environment that runs both, and a policy that one of them fails. All
        names begin with <code>sample-</code>. It is recorded in your name like any other change, and can be archived
        from here.
      </p>
      <Button whyNot={whyNot} isDisabled={add.isPending} onPress={() => add.mutate()}>
        {add.isPending ? 'Adding sample data …' : 'Add sample data'}
      </Button>
      {add.error && <p className="mt-2 text-bad">{add.error.message}</p>}
    </div>
  );
}

/** Says what of the org is sample data, and removes it. */
export function SamplePanel({ org }: { readonly org: string }) {
  const environments = useRead(listEnvironments, {
    params: { org },
    query: { name: SAMPLE.environment, page: 1, per_page: 20 },
  });
  const whyNot = useWhyNot('manage_policies');
  const [asking, setAsking] = useState(false);
  const add = useSteps(org, addSample, 'Sample data added');
  const remove = useSteps(org, removeSample, 'Sample data archived', () => setAsking(false));
  const found =
    environments.data && (Array.isArray(environments.data) ? environments.data : environments.data.environments);
  // Its report is the last step.
  const isComplete = found?.some((one) => isSample(one) && one.last_changed_at !== null) ?? true;
  return (
    <Panel title="Sample data" note={isComplete ? 'Made up, to look around' : 'Not complete'}>
      <p className="mb-3 max-w-3xl text-quiet">
        Everything whose name begins with <code>sample-</code> is made up: nothing was built or deployed. Release 2
        fails the policy because its unit tests fail. See why, and what would fix it.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {isComplete ? (
          <LinkButton
            href={paths.environmentWhy(org, SAMPLE.environment)}
          >{`Why is ${SAMPLE.environment} non-compliant?`}</LinkButton>
        ) : (
          <Button whyNot={whyNot} isDisabled={add.isPending} onPress={() => add.mutate()}>
            Add the rest
          </Button>
        )}
        <LinkButton href={paths.flow(org, SAMPLE.flow)}>Open the sample flow</LinkButton>
        <Button variant="remove" whyNot={whyNot} isDisabled={remove.isPending} onPress={() => setAsking(true)}>
          Remove sample data
        </Button>
      </div>
      {add.error && <p className="mt-2 text-bad">{add.error.message}</p>}
      {asking && (
        <ConfirmDialog
          title="Remove sample data"
          confirm="Archive sample data"
          write={remove}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Waymark archives the flow {SAMPLE.flow}, the environment {SAMPLE.environment}, and the policy{' '}
            {SAMPLE.policy}. They no longer appear in lists, and their names become available.
          </p>
          <p className="text-quiet">
            Records are never deleted: the journal, the trails, and the evidence of the sample remain, and Activity
            shows them.
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
