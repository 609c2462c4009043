import { listFlows } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { NameBox } from '../../ui/NameBox.tsx';
import { useAsked } from '../../ui/use-asked.ts';

const OFFERED = 20;

/** The first flows, or the first whose names contain the text. */
export function useFlows(asked = '') {
  const params = { org: useOrg() };
  const query = { page: 1, per_page: OFFERED, ...(asked !== '' && { search_by_name: asked }) };
  const { data } = useRead(listFlows, { params, query });
  return Array.isArray(data) ? data : (data?.data ?? []);
}

/** Selects a flow: suggests those whose names contain the typed text. */
export function FlowBox({
  value,
  onPick,
}: {
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}) {
  const [typed, onType] = useAsked(value);
  const asked = typed.replaceAll(/[^a-zA-Z0-9.\-_~]/g, '');
  const found = useFlows(asked);
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
