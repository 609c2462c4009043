/**
 * The URL of a database whose functions in `schema` come before those of PostgreSQL with the same name. So a statement of
 * ours runs as it is, and a test decides what a function in it returns, and when.
 */
export function withShadows(url: string, schema: string): string {
  const shadowed = new URL(url);
  shadowed.searchParams.set('options', `-c jit=off -c search_path=${schema},pg_catalog,public`);
  return shadowed.href;
}
