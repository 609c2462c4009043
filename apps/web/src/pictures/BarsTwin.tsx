interface TwinProps {
  /** The caption for screen readers; not shown. */
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly { readonly key: string; readonly cells: readonly React.ReactNode[] }[];
}

/** The numbers of a picture as a table, for those who cannot see it or need exact values. */
export function BarsTwin({ caption, heads, rows }: TwinProps) {
  return (
    <details className="mt-3">
      <summary className="cursor-pointer text-[13px] text-quiet hover:text-ink">As a table</summary>
      <table className="mt-2 w-full text-left text-[13px] [overflow-wrap:anywhere]">
        <caption className="sr-only">{caption}</caption>
        <thead className="text-quiet">
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col" className="py-1 pr-4 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells: [first, ...others] }) => (
            <tr key={key} className="border-t border-line align-top">
              <th scope="row" className="py-1 pr-4 font-medium">
                {first}
              </th>
              {others.map((cell, place) => (
                <td key={heads[place + 1]} className="py-1 pr-4">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
