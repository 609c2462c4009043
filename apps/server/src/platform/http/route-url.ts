import { type Contract, fillPath } from '@waymark/contract';
import { API_PREFIX } from './app.ts';

/** The router's name for the rest of a path. */
const REST = '*';

export function routeUrl(contract: Contract): string {
  return API_PREFIX + fillPath(contract, (name, takesRest) => (takesRest ? REST : `:${name}`));
}

/** The path parameters of a request by their names in the contract. */
export function pathParams({ path }: Contract, params: unknown): object {
  const { [REST]: rest, ...named } = params as Record<string, string>;
  if (rest === undefined) return named;
  return { ...named, [path.slice(path.lastIndexOf(REST) + 1)]: rest };
}
