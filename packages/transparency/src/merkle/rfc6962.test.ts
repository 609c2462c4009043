import { expect, it } from 'vitest';
import { naivePath, naiveSubproof } from '../../test/naive-tree.ts';
import { fromHex, toHex } from '../bytes.ts';
import { appendLeaves, EMPTY_EDGE } from '../tiles/right-edge.ts';
import { verifyConsistency } from './consistency.ts';
import { emptyRoot, leafHashOf, nodeHashOf } from './hashing.ts';
import { verifyInclusion } from './inclusion.ts';

const bytes = (hex: string) => fromHex(hex) ?? new Uint8Array(0);

/** The inputs and roots that implementations of Certificate Transparency have shared since 2013. */
const INPUTS = [
  ...['', '00', '10', '2021', '3031', '40414243', '5051525354555657'],
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const leaves = INPUTS.map((hex) => leafHashOf(bytes(hex)));
const rootAt = (size: number) => bytes(ROOTS[size - 1] ?? '');

it('the empty tree has the hash of nothing as its root', () => {
  expect(toHex(emptyRoot())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

it('a leaf and a node of the same bytes have different hashes', () => {
  expect(toHex(leafHashOf(bytes('')))).toBe(ROOTS[0]);
  const [one, other] = [bytes('11'.repeat(32)), bytes('22'.repeat(32))];
  expect(nodeHashOf(one, other)).not.toEqual(leafHashOf(bytes('11'.repeat(32) + '22'.repeat(32))));
});

it.each(ROOTS.map((root, i) => ({ root, size: i + 1 })))('the first $size leaves have the known root', (known) => {
  expect(toHex(appendLeaves(EMPTY_EDGE, leaves.slice(0, known.size)).root)).toBe(known.root);
});

it('each leaf is included in each of the known trees, at its index only', () => {
  for (let size = 1; size <= 8; size++) {
    const root = rootAt(size);
    for (const [index, leafHash] of leaves.slice(0, size).entries()) {
      const proof = naivePath(index, leaves.slice(0, size));
      for (let other = 0; other <= 9; other++)
        expect(verifyInclusion({ index: other, size, root, leafHash, proof })).toBe(other === index);
    }
  }
});

it('the known proofs of inclusion and consistency verify', () => {
  const inclusion = ['bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b', ROOTS[1] ?? ''];
  const last = { index: 2, size: 3, root: rootAt(3), leafHash: leafHashOf(bytes('10')) };
  expect(verifyInclusion({ ...last, proof: [bytes(ROOTS[1] ?? '')] })).toBe(true);
  expect(verifyInclusion({ ...last, proof: inclusion.map(bytes) })).toBe(false);
  for (let oldSize = 1; oldSize <= 8; oldSize++) {
    for (let size = oldSize; size <= 8; size++) {
      const proof = naiveSubproof(oldSize, leaves.slice(0, size));
      const claim = { oldSize, oldRoot: rootAt(oldSize), size, root: rootAt(size), proof };
      expect(verifyConsistency(claim)).toBe(true);
      if (oldSize > 1) expect(verifyConsistency({ ...claim, oldRoot: rootAt(oldSize - 1) })).toBe(false);
      if (oldSize < size) expect(verifyConsistency({ ...claim, root: rootAt(size - 1) })).toBe(false);
    }
  }
});
