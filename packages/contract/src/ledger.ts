import { z } from 'zod';
import { BinaryReply, contract } from './contract.ts';
import { OrgParams, PerPage } from './evidence.ts';
import { LedgerEntry, LedgerStatus, RegionLogs } from './ledger-status.ts';
import { text } from './primitives.ts';

const TilePath = z
  .string()
  .max(200)
  .regex(/^[0-9a-z./]+$/, 'must be the path of a tile or of an entry bundle')
  .meta({
    description:
      'Path of a tile or an entry bundle below `tile/`, as in C2SP tlog-tiles: `0/x001/234.p/8`, `entries/x001/234`',
    examples: ['0/000'],
  });

const Id = z.uuid('must be a UUID');

/** What an entry is looked up by. Exactly one of them. */
const Subject = z.strictObject({
  entry: Id.optional().meta({ description: 'Id of a journal entry' }),
  attestation: Id.optional().meta({ description: 'Id of an attestation' }),
  decision: Id.optional().meta({ description: 'Id of a control decision' }),
  trail: text(600)
    .optional()
    .meta({ description: 'A trail: `flow/trail`, or its id', examples: ['shop/release-1'] }),
  artifact: text(64).optional().meta({ description: 'An artifact: its fingerprint, or the id of one of its reports' }),
  snapshot: text(300)
    .optional()
    .meta({ description: 'A snapshot: `environment#number`', examples: ['prod#42'] }),
  policy: text(300).optional().meta({ description: 'A policy, or one version of it: `name` or `name@version`' }),
  environment: text(255).optional().meta({ description: 'Name of an environment' }),
});

export const getLedger = contract({
  id: 'getLedger',
  summary: 'Get the state of the ledger of an org',
  description:
    'The ledger is a Merkle log of all journal entries of the org. Its head is in the region log, whose checkpoints ' +
    'are signed and cosigned by witnesses. Empty until the first entry of the org is sealed, which takes a second.',
  tag: 'Ledger',
  method: 'GET',
  path: '/ledger/:org',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: LedgerStatus,
  errors: [400, 401, 403, 429, 503],
});

export const getLedgerCheckpoint = contract({
  id: 'getLedgerCheckpoint',
  summary: 'Get the newest checkpoint of the ledger of an org',
  description: 'A signed note, as in C2SP tlog-checkpoint. 404 until one has been signed.',
  tag: 'Ledger',
  method: 'GET',
  path: '/ledger/:org/checkpoint',
  access: 'read',
  params: OrgParams,
  status: 200,
  reply: BinaryReply,
  replyType: 'text/plain',
  errors: [400, 401, 403, 404, 429, 503],
});

export const getLedgerTile = contract({
  id: 'getLedgerTile',
  summary: 'Get a tile or an entry bundle of the ledger of an org',
  description:
    'The layout is that of C2SP tlog-tiles. An entry bundle contains the leaves of 256 entries: ids, types, times, and ' +
    'digests, and no content. A full tile or bundle never changes. A partial one of any width up to the current one is ' +
    'served, so that every checkpoint that was signed has its tiles; 404 if the log is smaller.',
  tag: 'Ledger',
  method: 'GET',
  path: '/ledger/:org/tile/*path',
  access: 'read',
  params: OrgParams.extend({ path: TilePath }),
  status: 200,
  reply: BinaryReply,
  replyType: 'application/octet-stream',
  errors: [400, 401, 403, 404, 429, 503],
});

export const listLedgerEntries = contract({
  id: 'listLedgerEntries',
  summary: 'List the entries that record something, with the checkpoint of each, newest first',
  description:
    'Exactly one of the parameters that name a subject is required. Only admins see entries about people, sign-in, ' +
    'service accounts, and keys.',
  tag: 'Ledger',
  method: 'GET',
  path: '/ledger/:org/proofs',
  access: 'read',
  params: OrgParams,
  query: Subject.extend({
    per_page: PerPage(100).meta({ description: 'Entries per page. Default: 50' }),
    after: z.string().max(1024).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: z
    .object({
      data: z.array(LedgerEntry),
      pagination: z.object({
        per_page: z.number().int(),
        next: z.string().nullable().meta({ description: 'Cursor for `after`; null on the last page' }),
      }),
    })
    .meta({ id: 'LedgerEntryPage' }),
  errors: [400, 401, 403, 404, 429, 503],
});

export const getLedgerProof = contract({
  id: 'getLedgerProof',
  summary: 'Get the proof that an entry is in the ledger',
  description:
    'A `.tlog-proof` file that is verified offline: the entry, its inclusion in the log of the org, the inclusion of ' +
    'that log in the region log, and the cosigned checkpoint. Of a subject with several entries, it proves the newest. ' +
    '503 with `Retry-After` while the entry is not sealed yet; 404 if the installation does not sign checkpoints.',
  tag: 'Ledger',
  method: 'GET',
  path: '/ledger/:org/proof',
  access: 'read',
  params: OrgParams,
  query: Subject,
  status: 200,
  reply: BinaryReply,
  replyType: 'text/plain',
  errors: [400, 401, 403, 404, 429, 503],
});

const EpochParams = z.strictObject({ epoch: z.coerce.number().int().min(1).max(2_147_483_647) });

export const getRegionLogs = contract({
  id: 'getRegionLogs',
  summary: 'Get the epochs and keys of the region log',
  description: 'The region log contains the heads of the logs of all orgs, by random id. It says nothing about them.',
  tag: 'Ledger',
  method: 'GET',
  path: '/region-log',
  access: 'public',
  status: 200,
  reply: RegionLogs,
  errors: [429, 503],
});

export const getTrustPolicy = contract({
  id: 'getTrustPolicy',
  summary: 'Get a trust policy with the key of the region log and its witnesses',
  description:
    'A file as in C2SP tlog-policy, for `waymark verify --policy`. A verifier must get the keys over a channel of its own: ' +
    'compare this file with the one that was published or handed over.',
  tag: 'Ledger',
  method: 'GET',
  path: '/region-log/trust-policy',
  access: 'public',
  status: 200,
  reply: BinaryReply,
  replyType: 'text/plain',
  errors: [404, 429, 503],
});

export const getRegionCheckpoint = contract({
  id: 'getRegionCheckpoint',
  summary: 'Get the newest checkpoint of the region log in an epoch',
  description:
    'A signed note, as in C2SP tlog-checkpoint, with the cosignatures that have arrived. While those of the newest ' +
    'one are on their way, for up to a minute, returns the one before it that has them.',
  tag: 'Ledger',
  method: 'GET',
  path: '/region-log/:epoch/checkpoint',
  access: 'public',
  params: EpochParams,
  status: 200,
  reply: BinaryReply,
  replyType: 'text/plain',
  errors: [400, 404, 429, 503],
});

export const getRegionTile = contract({
  id: 'getRegionTile',
  summary: 'Get a tile or an entry bundle of the region log',
  description: 'The layout is that of C2SP tlog-tiles. A full tile or bundle never changes.',
  tag: 'Ledger',
  method: 'GET',
  path: '/region-log/:epoch/tile/*path',
  access: 'public',
  params: EpochParams.extend({ path: TilePath }),
  status: 200,
  reply: BinaryReply,
  replyType: 'application/octet-stream',
  errors: [400, 404, 429, 503],
});
