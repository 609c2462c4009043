import { Failure } from '../ui/States.tsx';

/** A page that broke, or could not be loaded after the server was renewed. */
export function PageFailure({ error }: { readonly error: unknown }) {
  return <Failure error={error instanceof Error ? error : new Error(String(error))} retry={() => location.reload()} />;
}
