import { Failure } from '../ui/States.tsx';

/** Shown for a page that crashed, or that could not be loaded after the server was upgraded. */
export function PageFailure({ error }: { readonly error: unknown }) {
  return <Failure error={error instanceof Error ? error : new Error(String(error))} retry={() => location.reload()} />;
}
