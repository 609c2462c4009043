import { expect, it } from 'vitest';
import { ATTESTATION_KINDS as judged } from '../packages/attestation-kinds/src/index.ts';
import { ATTESTATION_KINDS as sent } from '../packages/contract/src/index.ts';

it('the contract names the kinds of attestations that templates and policies know', () => {
  expect(sent).toEqual(judged);
});
