import { allowArtifact, withdrawWaiver } from '@waymark/contract';
import { watchFreshness } from '../../src/features/environments/freshness.tasks.ts';
import { noLog, type TestApi } from '../harness.ts';
import { givenEnvironment } from './environments.ts';
import { fingerprint, givenArtifact, givenFlow } from './evidence.ts';
import { givenAttached, givenPolicy } from './policies.ts';
import { givenRunning } from './runs.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const WEB_1 = 'registry.example.com:5000/shop/web:1.0';
export const WEB_2 = 'registry.example.com:5000/shop/web:2.0@sha256:cc';
export const DB = 'registry.example.com:5000/shop/db:14@sha256:bb';

/** A day of UTC that begins after PostgreSQL was started: no earlier report could have been received. */
export const DAY_ONE = Math.ceil(Date.now() / DAY) * DAY + DAY;

export interface Story {
  /** Moves the clock to this many hours after the first day began. */
  at(hours: number): void;
  /** What the worker does each minute. */
  checkFreshness(): Promise<void>;
}

export function startStory(api: TestApi): Story {
  const now = () => api.clock.now;
  api.clock.now = new Date(DAY_ONE);
  const task = watchFreshness(noLog, now);
  return {
    at: (hours) => {
      api.clock.now = new Date(DAY_ONE + hours * HOUR);
    },
    checkFreshness: () => task.run(api.db),
  };
}

/**
 * An environment that should report every six hours, up to noon of the second day, in hours of the first: 12 web 1
 * starts, 16 a database without provenance starts, 20 it gets a waiver, 22 reports are overdue, 28 web 2 replaces web
 * 1, 30 the waiver is withdrawn, 32 the database stops.
 */
export async function givenDayAndAHalf(api: TestApi, { at, checkFreshness }: Story, name: string): Promise<void> {
  at(10);
  await givenFlow(api, 'shop');
  await givenArtifact(api, 'shop', 'a', { trail_name: 'first', template_reference_name: 'backend' });
  await givenPolicy(api, 'traced');
  await givenEnvironment(api, name, 'server', { expected_report_interval_s: 6 * 3_600 });
  await givenAttached(api, name, ['traced']);
  at(12);
  await givenRunning(api, name, { [WEB_1]: 'a' });
  at(16);
  await givenRunning(api, name, { [WEB_1]: 'a', [DB]: 'b' });
  at(20);
  const body = { artifact_fingerprint: fingerprint('b'), artifact_name: DB, description: 'an old database' };
  const listed = await api.call(allowArtifact, { params: { env_name: name }, body });
  if (listed.status !== 201) throw new Error(`it was not allow-listed: ${JSON.stringify(listed.body)}`);
  at(23);
  await checkFreshness();
  at(27);
  await givenArtifact(api, 'shop', 'c', { trail_name: 'second', template_reference_name: 'backend' });
  at(28);
  await givenRunning(api, name, { [WEB_2]: 'c', [DB]: 'b' });
  await checkFreshness();
  at(30);
  await api.call(withdrawWaiver, { params: { env_name: name, fingerprint: fingerprint('b') } });
  at(32);
  await givenRunning(api, name, { [WEB_2]: 'c' });
  at(36);
}

/** An environment that fails policy `traced` of that story, and should report every two hours. */
export async function givenFailing(api: TestApi, name: string): Promise<void> {
  await givenEnvironment(api, name, 'server', { expected_report_interval_s: 2 * 3_600 });
  await givenAttached(api, name, ['traced']);
  await givenRunning(api, name, { stray: '9' });
}
