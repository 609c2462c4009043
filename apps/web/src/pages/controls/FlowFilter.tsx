import { FlowName, listFlows } from '@waymark/contract';
import { useEffect, useId, useState } from 'react';
import { useRead } from '../../lib/queries.ts';

const PROPOSED = 20;

/** The exact name of a flow; names that contain the typed text are suggested. */
export function FlowFilter({
  org,
  value,
  onChange,
}: {
  readonly org: string;
  readonly value: string | undefined;
  readonly onChange: (flow: string | undefined) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState(value ?? '');
  /** A typed name, before it is known whether such a flow exists. */
  const [pending, setPending] = useState<string>();
  useEffect(() => setTyped(value ?? ''), [value]);
  const isName = FlowName.safeParse(typed).success;
  const { data, isFetching } = useRead(listFlows, {
    params: { org },
    query: { page: 1, per_page: PROPOSED, ...(isName && { search_by_name: typed }) },
  });
  const flows = data === undefined ? [] : Array.isArray(data) ? data : data.data;
  const isFlow = flows.some(({ name }) => name === pending);
  useEffect(() => {
    if (!isFlow) return;
    setPending(undefined);
    onChange(pending);
  }, [isFlow, pending, onChange]);
  const take = (text: string) => {
    setTyped(text);
    setPending(text === '' ? undefined : text);
    if (text === '') onChange(undefined);
  };
  return (
    <label className="block">
      <span className="sr-only">Flow</span>
      <input
        list={id}
        value={typed}
        placeholder="All flows"
        onChange={({ target }) => take(target.value)}
        onBlur={() => {
          if (!isFetching) setTyped(value ?? '');
        }}
        className="w-52 rounded-md border border-field bg-panel px-2.5 py-1.5 text-[14px]"
      />
      <datalist id={id}>
        {flows.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </label>
  );
}
