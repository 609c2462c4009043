import { useMutation } from '@tanstack/react-query';
import { type Environment, joinEnvironment, patchEnvironment } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { problemOf, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Link } from '../../ui/Link.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { EnvironmentBox } from './EnvironmentBox.tsx';
import { useEnvironment } from './EnvironmentHead.tsx';

interface OfEnvironment {
  readonly environment: Environment;
}

/** What a logical environment is made of. */
export function MemberSettings({ environment }: OfEnvironment) {
  const org = useOrg();
  const whyNot = useWhyNot('manage_environments');
  const [leaving, setLeaving] = useState<string>();
  const join = useWrite(joinEnvironment, { done: 'Member added' });
  const names = environment.included_environments;
  const problem = problemOf(join.error);
  return (
    <Panel title="Members" note="The state is the worst of its members’ states.">
      <ul className="divide-y divide-line">
        {names.map((name) => (
          <li key={name} className="flex items-center gap-3 py-1.5">
            <Link href={paths.environment(org, name)} className="min-w-0 flex-1 [overflow-wrap:anywhere]">
              {name}
            </Link>
            <Button
              variant="quiet"
              isDisabled={whyNot !== undefined}
              aria-label={`Remove ${name}`}
              onPress={() => setLeaving(name)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {names.length === 0 && <p className="text-quiet">No members yet.</p>}
      <div className="mt-3 space-y-2">
        {whyNot === undefined ? (
          <EnvironmentBox
            key={names.join('/')}
            label="Add member"
            placeholder="Filter by name"
            onPick={(name) =>
              join.mutate({ params: { org, env_name: environment.name }, body: { physical_env_name: name } })
            }
          />
        ) : (
          <p className="text-[12.5px] text-quiet">{whyNot} to add and remove members.</p>
        )}
        {problem && (
          <Notice kind="bad" announce>
            {problem.message}
          </Notice>
        )}
      </div>
      {leaving !== undefined && (
        <TakeOut name={environment.name} member={leaving} onClose={() => setLeaving(undefined)} />
      )}
    </Panel>
  );
}

function TakeOut({
  name,
  member,
  onClose,
}: {
  readonly name: string;
  readonly member: string;
  readonly onClose: () => void;
}) {
  const org = useOrg();
  const { refetch } = useEnvironment();
  const patch = useWrite(patchEnvironment, { done: `‘${member}’ removed`, onDone: onClose });
  // The full list of members is sent, so it must include one that somebody else has just added.
  const read = useMutation({
    mutationFn: () => refetch({ throwOnError: true }),
    onSuccess: ({ data }) =>
      data &&
      patch.mutate({
        params: { org, env_name: name },
        body: { included_environments: data.included_environments.filter((other) => other !== member) },
      }),
  });
  return (
    <ConfirmDialog
      title={`Remove ${member} from ${name}?`}
      confirm="Remove member"
      write={{ error: read.error ?? patch.error, isPending: read.isPending || patch.isPending }}
      onClose={onClose}
      onConfirm={() => read.mutate()}
    >
      <p>
        {member} itself does not change. It no longer counts toward the state of {name}, and its events no longer appear
        there.
      </p>
    </ConfirmDialog>
  );
}
