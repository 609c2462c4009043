/** The claims that a token must have. */
export function Claims({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <ul className="mt-0.5 flex flex-wrap gap-1">
      {Object.entries(of).map(([claim, value]) => (
        <li key={claim} className="max-w-full rounded bg-raised px-1.5 py-0.5 text-[12.5px] [overflow-wrap:anywhere]">
          <code>
            <span className="text-quiet">{claim}=</span>
            {value}
          </code>
        </li>
      ))}
    </ul>
  );
}
