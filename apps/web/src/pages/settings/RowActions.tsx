/** The actions of a row, side by side if there is room. */
export function RowActions({ children }: { readonly children: React.ReactNode }) {
  return <div className="flex gap-1.5 max-sm:flex-wrap no-print">{children}</div>;
}
