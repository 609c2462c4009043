import { listFlows } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { NameBox } from '../../ui/NameBox.tsx';
import { useAsked } from '../../ui/use-asked.ts';

const OFFERED = 20;

/** Selects a flow: suggests those whose names contain the typed text. */
export function FlowBox({
  value,
  onPick,
}: {
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}) {
  const org = useOrg();
  const [typed, onType] = useAsked(value);
  const asked = typed.replaceAll(/[^a-zA-Z0-9.\-_~]/g, '');
  const { data } = useRead(listFlows, {
    params: { org },
    query: { page: 1, per_page: OFFERED, ...(asked !== '' && { search_by_name: asked }) },
  });
  const found = Array.isArray(data) ? data : (data?.data ?? []);
  return (
    <NameBox
      label="Flow"
      what="flows"
      placeholder="All flows"
      value={value}
      names={found.map(({ name }) => name)}
      onType={onType}
      onPick={onPick}
    />
  );
}
