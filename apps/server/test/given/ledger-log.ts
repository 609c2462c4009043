import {
  buildConsistencyProof,
  ED25519,
  formatAddCheckpoint,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  type Hash,
  leafHashOf,
  nodeHashOf,
  parseSignedCheckpoint,
  rootOfNodes,
  type SigningKey,
  signerOf,
  signingKey,
  signNote,
} from '@waymark/transparency';

/** A log in memory: the same leaves in every run, and checkpoints of any size up to its own. */
export interface TestLog {
  readonly origin: string;
  /** As a policy names it. */
  readonly verifierKey: string;
  checkpoint(size: number): Promise<string>;
  /** The body of `add-checkpoint`. */
  request(oldSize: number, size: number): Promise<string>;
  /** A log of the same name and key that differs from the leaf with this index on. */
  forkedAt(index: number): TestLog;
}

export async function givenLog(origin = 'waymark.example/eu/1', keyNumber = 1): Promise<TestLog> {
  return logOf(await signingKey(origin, ED25519, Buffer.alloc(32, keyNumber)), (index) => `leaf ${index}`);
}

function logOf(key: SigningKey, leafAt: (index: number) => string): TestLog {
  const nodes = new Map<string, Hash>();

  function node(level: number, index: number): Hash {
    const name = `${level}/${index}`;
    const known = nodes.get(name) ?? computed(level, index);
    nodes.set(name, known);
    return known;
  }

  function computed(level: number, index: number): Hash {
    if (level === 0) return leafHashOf(Buffer.from(leafAt(index)));
    return nodeHashOf(node(level - 1, 2 * index), node(level - 1, 2 * index + 1));
  }

  async function checkpoint(size: number): Promise<string> {
    const text = formatCheckpoint({ origin: key.name, size, root: rootOfNodes(size, node), extensions: [] });
    return formatNote({ text, signatures: [await signNote(text, signerOf(key))] });
  }

  return {
    origin: key.name,
    verifierKey: formatVerifierKey(key),
    checkpoint,
    async request(oldSize, size) {
      const proof = oldSize === 0 || oldSize > size ? [] : buildConsistencyProof(oldSize, size, node);
      return formatAddCheckpoint({ oldSize, proof, signed: parseSignedCheckpoint(await checkpoint(size)) });
    },
    forkedAt: (at) => logOf(key, (index) => (index < at ? leafAt(index) : `other leaf ${index}`)),
  };
}
