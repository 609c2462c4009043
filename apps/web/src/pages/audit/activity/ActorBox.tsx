import { listActors } from '@waymark/contract';
import { useRead } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { NameBox } from '../../../ui/NameBox.tsx';
import { useAsked } from '../../../ui/use-asked.ts';

/** Selects an actor: suggests those who recorded something lately, and whose names contain the typed text. */
export function ActorBox({
  value,
  onPick,
}: {
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}) {
  const org = useOrg();
  const [asked, onType] = useAsked(value);
  const { data } = useRead(listActors, { params: { org }, query: asked === '' ? {} : { name: asked } });
  return (
    <NameBox
      label="Actor"
      what="actors"
      placeholder="All actors"
      value={value}
      names={data?.actors.map(({ name }) => name) ?? []}
      onType={onType}
      onPick={onPick}
    />
  );
}
