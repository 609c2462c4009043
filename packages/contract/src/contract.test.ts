import { expect, it } from 'vitest';
import { contract, fillPath } from './contract.ts';
import { getFlow } from './flows.ts';

const rest = contract({ ...getFlow, path: '/files/:org/raw/*path' });

it('replaces each parameter, and marks the one that takes the rest', () => {
  const fill = (name: string, takesRest: boolean) => (takesRest ? `<${name}…>` : `<${name}>`);
  expect(fillPath(getFlow, fill)).toBe('/flows/<org>/<flow_name>');
  expect(fillPath(rest, fill)).toBe('/files/<org>/raw/<path…>');
});
