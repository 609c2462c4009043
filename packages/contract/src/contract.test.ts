import { expect, it } from 'vitest';
import { contract, fillPath } from './contract.ts';
import { getFlow } from './flows.ts';

const rest = contract({ ...getFlow, path: '/files/:org/raw/*path' });

it('puts something in the place of each parameter, and says which one takes the rest', () => {
  const fill = (name: string, takesRest: boolean) => (takesRest ? `<${name}…>` : `<${name}>`);
  expect(fillPath(getFlow, fill)).toBe('/flows/<org>/<flow_name>');
  expect(fillPath(rest, fill)).toBe('/files/<org>/raw/<path…>');
});
