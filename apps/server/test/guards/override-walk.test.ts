import { randomUUID } from 'node:crypto';
import { attestGeneric, attestJunit, attestOverride, type Contract } from '@waymark/contract';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { isFull } from '../../../../tools/test-size.ts';
import { commit, fingerprint, givenArtifact, givenFlow, givenTrail, trailOf } from '../given/evidence.ts';
import { countHeldUp } from '../given/held-up.ts';
import { startApi } from '../harness.ts';
import { type EvidenceRow, listEvidence, type ModelVerdict, modelVerdictsOf } from '../model/evidence-model.ts';
import { createRandom } from '../model/random.ts';

/*
 * Two clients report and override on one trail, often at the same moment. Whatever they do, a trail must not be
 * compliant while its newest report under a name fails and no override names that report.
 * WAYMARK_MODEL_SEED and WAYMARK_MODEL_OPERATIONS repeat a failure as far as its requests go.
 */

const OPERATIONS = Number(process.env['WAYMARK_MODEL_OPERATIONS'] ?? (isFull ? 2_000 : 120));
const SEED = Number(process.env['WAYMARK_MODEL_SEED'] ?? 20_261_116);

const TEMPLATE = `version: 1
trail:
  attestations:
    - { name: lint, type: '*' }
  artifacts:
    - { name: backend, attestations: [] }
    - { name: web, attestations: [] }
`;
const OF_ANY_TYPE = new Set(['lint']);
const NAMES = ['lint', 'unit'];

/** Each way to name what evidence is about, by the subject that it means. Nobody reports the artifact `ghost`. */
const TARGETS = [
  {},
  { artifact_fingerprint: fingerprint('a') },
  { target_artifacts: ['backend'], git_commit_info: { sha1: commit('a') } },
  { artifact_fingerprint: fingerprint('b') },
  { target_artifacts: ['ghost'], git_commit_info: { sha1: commit('c') } },
  { target_artifacts: ['ghost'], git_commit_info: { sha1: commit('d') } },
];

function subjectOf({ fingerprint: digest, target_artifact }: EvidenceRow): string {
  if (digest === fingerprint('a')) return 'backend';
  if (digest === fingerprint('b')) return 'web';
  return target_artifact ?? '';
}

const api = await startApi();
const FLOW = 'walk';

interface Request {
  readonly contract: Contract;
  readonly body: object;
  readonly headers: Record<string, string>;
}

it(`never covers a failing report by an override of another in ${OPERATIONS} operations of two clients`, {
  timeout: 3_600_000,
}, async () => {
  const random = createRandom(SEED);
  await givenFlow(api, FLOW, TEMPLATE);
  await givenTrail(api, FLOW, 't');
  await givenArtifact(api, FLOW, 'a', { trail_name: 't', template_reference_name: 'backend' });
  await givenArtifact(api, FLOW, 'b', { trail_name: 't', template_reference_name: 'web' });
  const keys = [api.org.keys.member, api.org.keys.admin];
  const answers = new Map<string, number>();
  /** What each client saw last; the other client may have reported since. */
  const seen: [readonly ModelVerdict[], readonly ModelVerdict[]] = [[], []];
  let operations = 0;
  while (operations < OPERATIONS) {
    const clients = random.chance(0.6) ? [0, 1] : [random.below(2)];
    const requests = clients.map((client) => nextRequest(seen[client as 0 | 1]));
    const sent = await Promise.all(requests.map((request, place) => send(request, keys[clients[place] ?? 0] ?? '')));
    operations += sent.length;
    for (const { id, status } of sent) answers.set(`${id} ${status}`, (answers.get(`${id} ${status}`) ?? 0) + 1);
    const verdicts = modelVerdictsOf(await listEvidence(api, 't'), subjectOf, OF_ANY_TYPE);
    for (const client of [0, 1] as const) if (random.chance(0.7)) seen[client] = verdicts;
    await checkVerdict(verdicts, requests, operations);
  }
  const verdict = random.pick(modelVerdictsOf(await listEvidence(api, 't'), subjectOf, OF_ANY_TYPE));
  expect(await overtaken(verdict)).toEqual({ id: 'attestOverride', status: 409 });
  for (const expected of ['attestOverride 201', 'attestGeneric 201', 'verdict COMPLIANT']) {
    expect(answers.get(expected) ?? 0, expected).toBeGreaterThan(0);
  }

  /** Overrides a report while a newer one arrives, which is random above and certain here. */
  async function overtaken({ report, subject }: ModelVerdict) {
    const about = TARGETS.find((target) => subjectOf(asRow(target)) === subject);
    const overriding: Request = {
      contract: attestOverride,
      body: {
        attestation_name: report.name,
        original_attestation_type: report.counts_as,
        new_compliance_status: true,
        reason: 'Reviewed',
        ...about,
        repo_info: { name: 'acme/shop', description: 'held' },
      },
      headers: {},
    };
    const isJunit = report.counts_as === 'junit';
    const newer: Request = {
      contract: isJunit ? attestJunit : attestGeneric,
      body: {
        attestation_name: report.name,
        ...about,
        ...(isJunit ? { junit_results: [suiteOf(false)] } : { is_compliant: false }),
      },
      headers: {},
    };
    const { answer } = await holdingRepository('acme/shop', async () => {
      const answer = send(overriding, api.org.keys.admin);
      await expect.poll(() => countHeldUp(api.db)).toBe(1);
      expect(await send(newer, api.org.keys.member)).toMatchObject({ status: 201 });
      return { answer };
    });
    return answer;
  }

  function nextRequest(known: readonly ModelVerdict[]): Request {
    const kind = random.weighted({ report: 5, override: 5 });
    return kind === 'report' || known.length === 0 ? report() : override(known);
  }

  function report(): Request {
    const isJunit = random.chance(0.3);
    const passes = random.chance(0.6);
    return {
      contract: isJunit ? attestJunit : attestGeneric,
      body: {
        attestation_name: isJunit ? 'lint' : random.pick(NAMES),
        ...random.pick(TARGETS),
        ...(isJunit ? { junit_results: [suiteOf(passes)] } : { is_compliant: passes }),
        ...repository(),
      },
      headers: { ...claimed(), ...(random.chance(0.3) && { 'waymark-evidence-id': randomUUID() }) },
    };
  }

  function override(known: readonly ModelVerdict[]): Request {
    const failing = known.filter(({ deciding }) => !deciding.is_compliant);
    const { report, deciding, subject } = random.pick(failing.length > 0 && random.chance(0.8) ? failing : known);
    const named = random.pick([{}, { attestation_id: report.id }, { attestation_id: deciding.id }]);
    const about = TARGETS.filter((target) => subjectOf(asRow(target)) === subject);
    return {
      contract: attestOverride,
      body: {
        attestation_name: report.name,
        original_attestation_type: report.counts_as,
        new_compliance_status: random.chance(0.85),
        reason: 'Reviewed',
        ...random.pick(about),
        ...named,
        ...repository(),
      },
      headers: claimed(),
    };
  }

  /** Late evidence, and overrides that were recorded while the service was down. */
  function claimed(): Record<string, string> {
    return random.chance(0.1) ? { 'waymark-claimed-at': `${api.clock.now.getTime() / 1000 - 3600}` } : {};
  }

  /** A changed repository takes a separate transaction, so that two requests meet in the database. */
  function repository(): object {
    return random.chance(0.4) ? { repo_info: { name: 'acme/shop', description: `${random.below(1000)}` } } : {};
  }

  async function send({ contract, body, headers }: Request, key: string) {
    const answer = await api.call(contract, { params: { flow_name: FLOW, trail_name: 't' }, body, headers, key });
    return { id: contract.id, status: answer.status };
  }

  async function checkVerdict(verdicts: readonly ModelVerdict[], requests: readonly Request[], step: number) {
    const { status } = (await trailOf(api, FLOW, 't')).compliance_status;
    const failing = verdicts.filter(({ deciding }) => !deciding.is_compliant);
    const isThere = verdicts.some(({ report, subject }) => report.name === 'lint' && subject === '');
    const expected = failing.length > 0 ? 'NON-COMPLIANT' : isThere ? 'COMPLIANT' : 'INCOMPLETE';
    answers.set(`verdict ${status}`, (answers.get(`verdict ${status}`) ?? 0) + 1);
    expect(status, `seed ${SEED}, operation ${step}: ${JSON.stringify({ requests, failing })}`).toBe(expected);
  }
});

/** Runs work while nobody else can change the repository: an override that does waits before it is written. */
async function holdingRepository<T>(name: string, work: () => Promise<T>): Promise<T> {
  return api.db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      select from repository where org_id = ${api.org.id} and name = ${name} for update`.execute(trx);
    expect(rows).toHaveLength(1);
    return work();
  });
}

function suiteOf(passes: boolean) {
  return { name: 's', failures: passes ? 0 : 1, errors: 0, skipped: 0, total: 1, duration: 1 };
}

function asRow(target: (typeof TARGETS)[number]): EvidenceRow {
  const { artifact_fingerprint = null, target_artifacts = [] } = target as {
    artifact_fingerprint?: string;
    target_artifacts?: string[];
  };
  const [target_artifact = null] = target_artifacts;
  const unused = { id: '', name: '', counts_as: '', is_compliant: true, overrides_id: null };
  return { ...unused, fingerprint: artifact_fingerprint, target_artifact };
}
