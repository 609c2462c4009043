/** A small table within a reader: all of its rows came in one response. */
export function PlainTable({
  caption,
  head,
  rows,
}: {
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly React.ReactNode[])[];
}) {
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full border-collapse text-[13.5px]">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line text-left text-[12.5px] text-quiet">
            {head.map((title) => (
              <th key={title} scope="col" className="py-1.5 pr-4 font-medium last:pr-0">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row} className="border-b border-line align-top last:border-b-0">
              {cells.map((cell, column) => (
                <td key={head[column]} className="py-1.5 pr-4 [overflow-wrap:anywhere] last:pr-0">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
