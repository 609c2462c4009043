import { type Organization, putMembersVisible } from '@waymark/contract';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Panel } from '../../../ui/Panel.tsx';

export function MembersVisible({ org }: { readonly org: Organization }) {
  const isOn = org.members_visible;
  const whyNot = useWhyNot('manage_org');
  const write = useWrite(putMembersVisible, {
    done: ({ members_visible: on }) => `Members are visible to ${on ? 'every role' : 'admins only'}`,
  });
  return (
    <Panel title="Visibility of members" note={isOn ? 'Every role' : 'Admins only'}>
      <p className="mb-3 text-quiet">
        Who can read the list of members, with their email addresses, and the membership log. An auditor with the reader
        role needs both for an access review. Only admins can change members.
      </p>
      <Button
        whyNot={whyNot}
        isDisabled={write.isPending}
        onPress={() => write.mutate({ params: { org: org.name }, body: { members_visible: !isOn } })}
      >
        {isOn ? 'Show members to admins only' : 'Show members to every role'}
      </Button>
      {write.error && <p className="mt-2 text-bad">{write.error.message}</p>}
    </Panel>
  );
}
